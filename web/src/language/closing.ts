/** A closing brace typed on an empty line reuses the one that the editor has already inserted on the next line. */
import type { EditorState, Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { styledWords } from './coloring.js';

export const closingOver: Extension = EditorView.inputHandler.of((view, from, to, text) => {
  if (text !== '}' || from !== to) return false;
  const { doc } = view.state;
  const line = doc.lineAt(from);
  if (line.text.trim() !== '' || line.number === doc.lines) return false;
  const next = doc.line(line.number + 1);
  const brace = next.text.indexOf('}');
  if (next.text.trim() !== '}' || !isBalanced(view.state)) return false;
  view.dispatch({
    changes: { from: line.from, to: next.from },
    selection: { anchor: line.from + brace + 1 },
    userEvent: 'input.type',
    scrollIntoView: true,
  });
  return true;
});

/** Whether another closing brace would be unbalanced. */
function isBalanced(state: EditorState): boolean {
  const marks = styledWords(state)
    .filter(({ style }) => style === 'bracket')
    .map(({ from, to }) => state.sliceDoc(from, to));
  return marks.filter((mark) => mark === '{').length <= marks.filter((mark) => mark === '}').length;
}
