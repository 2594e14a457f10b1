import { Command } from 'cmdk';
import { actions, isPossible, keyNames } from '../../actions/actions.js';
import { useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';
import { closeOverlay, Overlay } from './Overlay.js';

/** The command palette: every action by name. */
export function Palette() {
  const state = useStore();
  const possible = actions().filter((action) => isPossible(action, state));
  const groups = [...new Set(possible.map(({ group }) => group))];
  return (
    <Overlay label={t('actions.palette')}>
      <Command label={t('frame.actions')} loop>
        <Command.Input placeholder={t('actions.search')} />
        <Command.List>
          <Command.Empty>{t('actions.none')}</Command.Empty>
          {groups.map((group) => (
            <Command.Group key={group} heading={group}>
              {possible
                .filter((action) => action.group === group)
                .map(({ name, keys, act }) => (
                  <Command.Item
                    key={name}
                    value={`${group} ${name}`}
                    onSelect={() => {
                      closeOverlay();
                      act();
                    }}
                  >
                    <span>{name}</span>
                    {keys !== undefined && <Keys keys={keys} />}
                  </Command.Item>
                ))}
            </Command.Group>
          ))}
        </Command.List>
      </Command>
    </Overlay>
  );
}

export function Keys({ keys }: { readonly keys: string }) {
  return (
    <span className="keys">
      {keyNames(keys).map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  );
}
