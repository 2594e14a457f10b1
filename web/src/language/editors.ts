/** The editors of the page by the texts that they show, so that others can lead to a place in them. */
import { EditorView } from '@codemirror/view';
import { DATA_FILE, PROGRAM_FILE } from '../state/file-names.js';
import { update } from '../state/store.js';

const editors = new Map<string, EditorView>();

export function registerEditor(file: string, view: EditorView): void {
  editors.set(file, view);
}

export function editorOf(file: string): EditorView | undefined {
  return editors.get(file);
}

/** Shows a text, and moves the cursor of its editor. */
export function jumpTo(file: string, offset: number): void {
  const leftTab = file === PROGRAM_FILE ? 'program' : file === DATA_FILE ? 'data' : (`include:${file}` as const);
  update({ leftTab, side: 'left' });
  // The editor may be made by that very change.
  setTimeout(() => {
    const editor = editors.get(file);
    if (editor === undefined) return;
    const anchor = Math.min(offset, editor.state.doc.length);
    editor.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
    editor.focus();
  });
}
