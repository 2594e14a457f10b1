import { actions } from '../../actions/actions.js';
import { t } from '../../words/messages.js';
import type { PlainKey } from '../../words/types.js';
import { CloseButton, Overlay } from './Overlay.js';
import { Keys } from './PaletteActions.js';

/** Keys of the editor, which CodeMirror and its Stan support define. */
const EDITOR: readonly (readonly [keys: string, name: PlainKey])[] = [
  ['Mod+Space', 'actions.complete'],
  ['F12', 'actions.declaration'],
  ['F2', 'actions.rename'],
  ['Mod+F', 'actions.replace'],
  ['Mod+Z', 'actions.undo'],
  ['Mod+/', 'actions.comment'],
  ['Mod+Shift+[', 'actions.foldBlock'],
  ['Mod+Shift+]', 'actions.unfoldBlock'],
  ['Tab', 'actions.indent'],
];

export function KeysHelp() {
  const withKeys = actions().flatMap(({ keys, name }) => (keys === undefined ? [] : [[keys, name] as const]));
  return (
    <Overlay label={t('actions.keys')}>
      <h2>{t('actions.keys')}</h2>
      <KeyTable title={t('actions.everywhere')} rows={withKeys} />
      <KeyTable title={t('actions.inEditor')} rows={EDITOR.map(([keys, name]) => [keys, t(name)])} />
      <div className="buttons">
        <CloseButton />
      </div>
    </Overlay>
  );
}

function KeyTable({ title, rows }: { readonly title: string; readonly rows: readonly (readonly [string, string])[] }) {
  return (
    <table className="key-table">
      <caption>{title}</caption>
      <tbody>
        {rows.map(([keys, name]) => (
          <tr key={name}>
            <th scope="row">
              <Keys keys={keys} />
            </th>
            <td>{name}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
