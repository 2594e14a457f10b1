/** Folding of everything between braces that span several lines: blocks, loops, functions. */
import { foldGutter, foldKeymap, foldService } from '@codemirror/language';
import { type EditorState, type Extension, StateField } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import { t } from '../words/messages.js';
import { styledWords } from './coloring.js';

interface Fold {
  readonly from: number;
  readonly to: number;
}

/** The outermost fold of each line, by the beginning of the line. */
const folds = StateField.define<ReadonlyMap<number, Fold>>({
  create: foldsOf,
  update: (found, { docChanged, state }) => (docChanged ? foldsOf(state) : found),
});

function foldsOf(state: EditorState): ReadonlyMap<number, Fold> {
  const { doc } = state;
  const text = doc.toString();
  const found = new Map<number, Fold>();
  const open: number[] = [];
  for (const { from, to, style } of styledWords(state)) {
    if (style !== 'bracket' || to - from !== 1) continue;
    if (text[from] === '{') open.push(from);
    if (text[from] !== '}') continue;
    const start = open.pop();
    if (start === undefined) continue;
    const line = doc.lineAt(start);
    if (from > line.to) found.set(line.from, { from: start + 1, to: from });
  }
  return found;
}

function marker(isOpen: boolean): HTMLElement {
  const made = document.createElement('span');
  made.className = isOpen ? 'stan-fold' : 'stan-fold closed';
  made.title = t(isOpen ? 'write.fold' : 'write.unfold');
  made.textContent = isOpen ? '⌄' : '›';
  return made;
}

export const blockFolding: Extension = [
  folds,
  foldService.of((state: EditorState, lineStart) => state.field(folds).get(lineStart) ?? null),
  foldGutter({ markerDOM: marker }),
  keymap.of(foldKeymap),
];
