import { copyEmbedding, copyLink, saveZip } from '../actions/sharing.js';
import { update, useStore } from '../state/store.js';
import { t } from '../words/messages.js';
import { Menu, MenuItem } from './Menu.js';

/** Export of the project. */
export function ShareMenu() {
  const isEmpty = useStore(({ project }) => project.program.trim() === '');
  return (
    <Menu label={t('frame.share')} isDisabled={isEmpty}>
      <MenuItem title={t('frame.copyLink')} detail={t('frame.copyLinkHelp')} onSelect={() => void copyLink()} />
      <MenuItem
        title={t('frame.copyEmbedding')}
        detail={t('frame.copyEmbeddingHelp')}
        onSelect={() => void copyEmbedding()}
      />
      <MenuItem title={t('frame.saveZip')} detail={t('frame.saveZipHelp')} onSelect={() => void saveZip()} />
      <MenuItem title={t('frame.code')} detail={t('frame.codeHelp')} onSelect={() => update({ overlay: 'code' })} />
    </Menu>
  );
}
