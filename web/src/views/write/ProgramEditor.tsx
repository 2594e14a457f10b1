import { EditorSelection, EditorState } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { useEffect, useMemo, useRef } from 'react';
import { PROGRAM_FILE } from '../../language/analysis.js';
import { completeStan, goToDeclaration, placesToRename, showReport, stanLanguage } from '../../language/stan-editor.js';
import { updateProject, useStore } from '../../state/store.js';
import { TextEditor } from './TextEditor.js';

let current: EditorView | undefined;

/** Moves the cursor of the program's editor. */
export function jumpTo(offset: number): void {
  if (current === undefined) return;
  const anchor = Math.min(offset, current.state.doc.length);
  current.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
  current.focus();
}

const jump = (_file: string, offset: number) => jumpTo(offset);

const keys = keymap.of([
  {
    key: 'F12',
    run: (view) => {
      void goToDeclaration(view, PROGRAM_FILE, jump);
      return true;
    },
  },
  {
    key: 'F2',
    run: (view) => {
      void selectAllPlaces(view);
      return true;
    },
  },
]);

/** Renaming is typing at every place of a name at once. */
async function selectAllPlaces(view: EditorView): Promise<void> {
  const places = await placesToRename(view, PROGRAM_FILE);
  if (places.length === 0) return;
  const { head } = view.state.selection.main;
  const main = Math.max(
    0,
    places.findIndex(({ from, to }) => from <= head && head <= to),
  );
  const ranges = places.map(({ from, to }) => EditorSelection.range(from, to));
  view.dispatch({ selection: EditorSelection.create(ranges, main) });
}

const clicks = EditorView.domEventHandlers({
  mousedown(event, view) {
    if (!(event.metaKey || event.ctrlKey)) return false;
    const position = view.posAtCoords(event);
    if (position === null) return false;
    view.dispatch({ selection: { anchor: position } });
    void goToDeclaration(view, PROGRAM_FILE, jump);
    event.preventDefault();
    return true;
  },
});

export function ProgramEditor() {
  const program = useStore(({ project }) => project.program);
  const id = useStore(({ project }) => project.id);
  const report = useStore(({ report }) => report);
  const view = useRef<EditorView>(null);
  const extensions = useMemo(
    () => [stanLanguage(PROGRAM_FILE), keys, clicks, EditorState.allowMultipleSelections.of(true)],
    [],
  );
  useEffect(() => {
    if (view.current !== null && report !== undefined) showReport(view.current, PROGRAM_FILE, report);
  }, [report]);
  return (
    <TextEditor
      key={id}
      label="Stan program"
      text={program}
      onChange={(text) => updateProject({ program: text })}
      extensions={extensions}
      completions={completeStan}
      onReady={(made) => {
        view.current = made;
        current = made;
        const { report } = useStore.getState();
        if (report !== undefined) showReport(made, PROGRAM_FILE, report);
      }}
    />
  );
}
