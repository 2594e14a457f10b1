import { json } from '@codemirror/lang-json';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import type { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useMemo, useRef } from 'react';
import type { DataProblem } from '../../data/data-problems.js';
import { updateProject, useStore } from '../../state/store.js';
import { TextEditor } from './TextEditor.js';

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--code-type)' },
  { tag: tags.number, color: 'var(--code-number)' },
  { tag: tags.string, color: 'var(--code-string)' },
  { tag: [tags.bool, tags.null], color: 'var(--code-keyword)' },
]);

/** The data as JSON text. */
export function DataEditor() {
  const data = useStore(({ project }) => project.data);
  const id = useStore(({ project }) => project.id);
  const problems = useStore(({ dataProblems }) => dataProblems);
  const view = useRef<EditorView>(null);
  const extensions = useMemo(() => [json(), syntaxHighlighting(colours)], []);
  useEffect(() => {
    if (view.current !== null) show(view.current, problems);
  }, [problems]);
  return (
    <TextEditor
      key={id}
      label="Data as JSON"
      text={data}
      onChange={(text) => updateProject({ data: text })}
      extensions={extensions}
      onReady={(made) => {
        view.current = made;
        show(made, useStore.getState().dataProblems);
      }}
    />
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
