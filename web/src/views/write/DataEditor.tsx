import { json } from '@codemirror/lang-json';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import type { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useMemo, useRef, useState } from 'react';
import { openFile } from '../../actions/taking.js';
import type { DataProblem } from '../../data/data-problems.js';
import { pasteTable, writeExampleData } from '../../data/filling.js';
import { isLarge } from '../../data/large-data.js';
import { registerEditor } from '../../language/editors.js';
import { DATA_FILE } from '../../state/file-names.js';
import { updateProject, useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';
import { LargeData } from './LargeData.js';
import { TextEditor } from './TextEditor.js';

const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--code-type)' },
  { tag: tags.number, color: 'var(--code-number)' },
  { tag: tags.string, color: 'var(--code-string)' },
  { tag: [tags.bool, tags.null], color: 'var(--code-keyword)' },
]);

/** The data as JSON text, or as a table of variables if they are large. */
export function DataEditor() {
  const data = useStore(({ project }) => project.data);
  const id = useStore(({ project }) => project.id);
  const [shown, setShown] = useState<string>();
  const isTable = isLarge(data) && shown !== id;
  return (
    <>
      <DataTools />
      {isTable ? <LargeData data={data} onShowText={() => setShown(id)} /> : <DataText />}
    </>
  );
}

function DataText() {
  const data = useStore(({ project }) => project.data);
  const id = useStore(({ project }) => project.id);
  const problems = useStore(({ dataProblems }) => dataProblems);
  const view = useRef<EditorView>(null);
  const extensions = useMemo(() => [json(), syntaxHighlighting(colors)], []);
  useEffect(() => {
    if (view.current !== null) show(view.current, problems);
  }, [problems]);
  return (
    <TextEditor
      key={id}
      of={`${id} ${DATA_FILE}`}
      label={t('write.dataEditor')}
      text={data}
      onChange={(text) => updateProject({ data: text })}
      extensions={extensions}
      onReady={(made) => {
        view.current = made;
        registerEditor(DATA_FILE, made);
        show(made, useStore.getState().dataProblems);
      }}
    />
  );
}

/** Buttons that provide data other than by typing. */
function DataTools() {
  const hasInputs = useStore(({ report }) => Object.keys(report?.info?.inputs ?? {}).length > 0);
  return (
    <div className="toolbar data-tools">
      <button type="button" onClick={openFile} title={t('write.openFilesHelp')}>
        {t('frame.openFiles')}
      </button>
      <button type="button" onClick={() => void pasteTable()} title={t('write.pasteTableHelp')}>
        {t('start.pasteTable')}
      </button>
      <button
        type="button"
        disabled={!hasInputs}
        onClick={() => void writeExampleData()}
        title={t('write.fillDataHelp')}
      >
        {t('write.fillData')}
      </button>
    </div>
  );
}

function show(view: EditorView, problems: readonly DataProblem[]): void {
  const { length } = view.state.doc;
  const within = problems.map(({ from, to, ...rest }) => ({
    ...rest,
    from: Math.min(from, length),
    to: Math.min(to, length),
  }));
  view.dispatch(setDiagnostics(view.state, within));
}
