import { actions } from '../../actions/actions.js';
import { closeOverlay, Overlay } from './Overlay.js';
import { Keys } from './Palette.js';

/** Keys of the editor, which CodeMirror and its Stan support define. */
const EDITOR: readonly (readonly [keys: string, name: string])[] = [
  ['Mod+Space', 'Complete a name'],
  ['F12', 'Go to the declaration (or click with the command key)'],
  ['F2', 'Rename: select every occurrence of a name'],
  ['Mod+F', 'Search and replace'],
  ['Mod+Z', 'Undo'],
  ['Mod+/', 'Comment in or out'],
  ['Tab', 'Indent; Esc and then Tab leaves the editor'],
];

export function KeysHelp() {
  const withKeys = actions.flatMap(({ keys, name }) => (keys === undefined ? [] : [[keys, name] as const]));
  return (
    <Overlay label="Keys">
      <h2>Keys</h2>
      <KeyTable title="Everywhere" rows={withKeys} />
      <KeyTable title="In the editor" rows={EDITOR} />
      <div className="buttons">
        <button type="button" onClick={closeOverlay}>
          Close
        </button>
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
