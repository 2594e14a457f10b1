/** Words, comments and signs of a Stan program with their styles, and the colors of an editor. */
import { type EditorState, type Extension, StateField, type Text } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import { highlight, type Styled } from '#engine/editing/highlight.js';

/** All words, comments and signs of the program, in its order. */
const styled = StateField.define<readonly Styled[]>({
  create: ({ doc }) => highlight(doc.toString()),
  update: (found, { docChanged, newDoc }) => (docChanged ? highlight(newDoc.toString()) : found),
});

/** All words, comments and signs of an editor's program, in its order. */
export function styledWords(state: EditorState): readonly Styled[] {
  return state.field(styled);
}

/**
 * A line has colors up to this column. The browser lays out each colored word by itself, which takes long in the lines of
 * a generated program.
 */
const COLORED_COLUMNS = 1000;

function decorate(words: readonly Styled[], text: Text): DecorationSet {
  const marks = words
    .filter(({ from, to }) => from < to && from - text.lineAt(from).from < COLORED_COLUMNS)
    .map(({ from, to, style }) => Decoration.mark({ class: `stan-${style}` }).range(from, to));
  return Decoration.set(marks, true);
}

const colors = StateField.define<DecorationSet>({
  create: (state) => decorate(styledWords(state), state.doc),
  update: (marks, { docChanged, state }) => (docChanged ? decorate(styledWords(state), state.doc) : marks),
  provide: (field) => EditorView.decorations.from(field),
});

export const coloring: Extension = [styled, colors];
