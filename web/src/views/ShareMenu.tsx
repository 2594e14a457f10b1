import { isPossible } from '../actions/action.js';
import { shareActions } from '../actions/share-actions.js';
import { useStore } from '../state/store.js';
import { t } from '../words/messages.js';
import { Menu, MenuItem } from './Menu.js';

/** Export of the project and its results. */
export function ShareMenu() {
  const isEmpty = useStore(({ project }) => project.program.trim() === '');
  return (
    <Menu label={t('frame.share')} isDisabled={isEmpty}>
      <ShareItems />
    </Menu>
  );
}

/** A separate part, so that only an open menu follows the state of the page. */
function ShareItems() {
  const state = useStore();
  return shareActions()
    .filter((action) => isPossible(action, state))
    .map(({ act, detail, name }) => <MenuItem key={name} title={name} detail={detail} onSelect={act} />);
}
