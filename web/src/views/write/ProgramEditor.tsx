import { EditorSelection, EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { useEffect, useMemo } from 'react';
import { editorOf, jumpTo, registerEditor } from '../../language/editors.js';
import { completeStan, goToDeclaration, placesToRename, showReport, stanLanguage } from '../../language/stan-editor.js';
import { showTimes, statementTimes } from '../../language/statement-times.js';
import { PROGRAM_FILE } from '../../state/file-names.js';
import { currentProfile } from '../../state/profiling.js';
import { useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';
import { TextEditor } from './TextEditor.js';

function keysOf(file: string): Extension {
  return keymap.of([
    {
      key: 'F12',
      run: (view) => {
        void goToDeclaration(view, file, jumpTo);
        return true;
      },
    },
    {
      key: 'F2',
      run: (view) => {
        void selectAllPlaces(view, file);
        return true;
      },
    },
  ]);
}

/** Renames by multiple cursors: one at every occurrence of the name. */
async function selectAllPlaces(view: EditorView, file: string): Promise<void> {
  const places = await placesToRename(view, file);
  if (places.length === 0) return;
  const { head } = view.state.selection.main;
  const main = Math.max(
    0,
    places.findIndex(({ from, to }) => from <= head && head <= to),
  );
  const ranges = places.map(({ from, to }) => EditorSelection.range(from, to));
  view.dispatch({ selection: EditorSelection.create(ranges, main) });
}

function clicksIn(file: string): Extension {
  return EditorView.domEventHandlers({
    mousedown(event, view) {
      if (!(event.metaKey || event.ctrlKey)) return false;
      const position = view.posAtCoords(event);
      if (position === null) return false;
      view.dispatch({ selection: { anchor: position } });
      void goToDeclaration(view, file, jumpTo);
      event.preventDefault();
      return true;
    },
  });
}

/** The editor of one file of the program, the main one or an included one. */
export function ProgramEditor({
  file,
  text,
  onChange,
}: {
  readonly file: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
}) {
  const id = useStore(({ project }) => project.id);
  const report = useStore(({ report }) => report);
  const profile = useStore((state) => currentProfile(state)?.result);
  const extensions = useMemo(
    () => [
      stanLanguage(file),
      keysOf(file),
      clicksIn(file),
      statementTimes,
      EditorState.allowMultipleSelections.of(true),
    ],
    [file],
  );
  useEffect(() => {
    const editor = editorOf(file);
    if (editor !== undefined && report !== undefined) showReport(editor, file, report);
  }, [file, report]);
  useEffect(() => {
    const editor = editorOf(file);
    if (editor !== undefined) showTimes(editor, file, profile);
  }, [file, profile]);
  return (
    <TextEditor
      key={`${id} ${file}`}
      of={`${id} ${file}`}
      label={file === PROGRAM_FILE ? t('write.programEditor') : t('write.includeEditor', { file })}
      text={text}
      onChange={onChange}
      extensions={extensions}
      completions={completeStan(file)}
      onReady={(made) => {
        registerEditor(file, made);
        const state = useStore.getState();
        if (state.report !== undefined) showReport(made, file, state.report);
        showTimes(made, file, currentProfile(state)?.result);
      }}
    />
  );
}
