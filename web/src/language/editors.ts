/** Registry of the page's editors by file, so that other parts can navigate to a location. */
import { isolateHistory } from '@codemirror/commands';
import { EditorView } from '@codemirror/view';
import type { Edit } from '#engine/derive/program-text.js';
import { DATA_FILE, PROGRAM_FILE } from '../state/file-names.js';
import { update, useStore } from '../state/store.js';

const editors = new Map<string, EditorView>();

export function registerEditor(file: string, view: EditorView): void {
  editors.set(file, view);
}

/** Must be called when a file has no editor any more. */
export function forgetEditor(file: string): void {
  editors.delete(file);
}

export function editorOf(file: string): EditorView | undefined {
  return editors.get(file);
}

/** Opens a file, and moves the cursor of its editor. */
export function jumpTo(file: string, offset: number): void {
  show(file, (editor) => {
    const anchor = Math.min(offset, editor.state.doc.length);
    editor.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
  });
}

/** Opens a file of the program, and moves the cursor of its editor. `line` counts from 1, `column` from 0. */
export function jumpToLine({
  column,
  file,
  line,
}: Readonly<Record<'column' | 'line', number>> & { file: string }): void {
  const { includes, program } = useStore.getState().project;
  const included = includes.find(({ name }) => name === file);
  const before = (included?.text ?? program).split('\n').slice(0, line - 1);
  const offset = before.reduce((sum, each) => sum + each.length + 1, column);
  jumpTo(included === undefined ? PROGRAM_FILE : file, offset);
}

/** Edits one file of the program, and shows the change. It is one undo step. */
export function applyEdits(edits: readonly Edit[]): void {
  const [first] = edits.toSorted((a, b) => a.at.from - b.at.from);
  if (first === undefined) return;
  const { file, from } = first.at;
  show(file, (editor) => {
    const changes = edits.filter(({ at }) => at.file === file).map(({ at, text }) => ({ ...at, insert: text }));
    editor.dispatch({
      changes,
      selection: { anchor: from + first.text.length },
      effects: EditorView.scrollIntoView(from + first.text.length, { y: 'center' }),
      annotations: isolateHistory.of('full'),
      userEvent: 'input.complete',
    });
  });
}

/** Opens a file, and performs an action in its editor, which then has the focus. */
function show(file: string, act: (editor: EditorView) => void): void {
  const leftTab = file === PROGRAM_FILE ? 'program' : file === DATA_FILE ? 'data' : (`include:${file}` as const);
  update({ leftTab, side: 'left' });
  // The editor may not exist until this change is rendered.
  setTimeout(() => {
    const editor = editors.get(file);
    if (editor === undefined) return;
    act(editor);
    editor.focus();
  });
}
