import { Command } from 'cmdk';
import { useLayoutEffect, useRef } from 'react';
import { isPossible } from '../../actions/action.js';
import { actions, keyNames } from '../../actions/actions.js';
import { useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';
import { closeOverlay } from './Overlay.js';

interface PaletteActionsProps {
  readonly search: string;
  readonly onSearch: (search: string) => void;
}

/** The field and the list of the command palette. The field takes the focus from the one that was shown before. */
export function PaletteActions({ search, onSearch }: PaletteActionsProps) {
  const state = useStore();
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const { current } = field;
    current?.focus();
    current?.setSelectionRange(current.value.length, current.value.length);
  }, []);
  const possible = actions().filter((action) => isPossible(action, state));
  const groups = [...new Set(possible.map(({ group }) => group))];
  return (
    <Command label={t('frame.actions')} loop filter={relevance}>
      <Command.Input ref={field} value={search} onValueChange={onSearch} placeholder={t('actions.search')} />
      <Command.List>
        <Command.Empty>{t('actions.none')}</Command.Empty>
        {groups.map((group) => (
          <Command.Group key={group} heading={group}>
            {possible
              .filter((action) => action.group === group)
              .map(({ name, detail = '', keys, act }) => (
                <Command.Item
                  key={name}
                  value={`${group} ${name} ${detail}`}
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
  );
}

/**
 * Whether an action contains every searched word: 1 at the beginnings of its words, 0.5 elsewhere. Letters scattered over a name do not count: the groups
 * keep their order, so that a better match in a later group would not be the first one.
 */
function relevance(action: string, search: string): number {
  const text = ` ${action.toLowerCase()}`;
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.every((word) => text.includes(word))) return 0;
  return words.every((word) => text.includes(` ${word}`)) ? 1 : 0.5;
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
