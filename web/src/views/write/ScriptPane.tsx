import { javascript } from '@codemirror/lang-javascript';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { tags } from '@lezer/highlight';
import { useEffect, useMemo, useState } from 'react';
import { replaceData } from '../../data/replacing.js';
import { runScript, stopScript, useScript } from '../../script/running-script.js';
import type { ScriptOutput } from '../../script/script-output.js';
import { SCRIPT_FILE } from '../../state/file-names.js';
import { updateProject, useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';
import { rich } from '../../words/rich.js';
import { TextEditor } from './TextEditor.js';

const colors = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--code-keyword)' },
  { tag: tags.number, color: 'var(--code-number)' },
  { tag: tags.string, color: 'var(--code-string)' },
  { tag: tags.comment, color: 'var(--code-comment)' },
]);

/** Example scripts. */
const EXAMPLES = {
  draws: `// draws has the draws of each quantity, draws["theta[1]"], and chain the chain of each draw.
const [name] = Object.keys(draws).filter((name) => !name.endsWith("__"));
const values = draws[name];
print(name, "is positive with probability", values.filter((value) => value > 0).length / values.length);
show(Plot.plot({
  title: \`Draws of \${name}\`,
  color: { legend: true, type: "categorical" },
  marks: [Plot.rectY(values, Plot.binX({ y: "count" }, { x: values, fill: Array.from(chain, String) }))],
}));
`,
  data: `// The returned object can become the data.
const N = 20;
const normal = () => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
const x = Array.from({ length: N }, (_, n) => n / N);
const y = x.map((x) => 1 + 2 * x + 0.5 * normal());
table({ x, y });
return { N, x, y };
`,
};

/** A script with its output below it. */
export function ScriptPane() {
  const script = useStore(({ project }) => project.script ?? '');
  const id = useStore(({ project }) => project.id);
  const isRunning = useScript(({ isRunning }) => isRunning);
  const extensions = useMemo(() => [javascript(), syntaxHighlighting(colors)], []);
  return (
    <>
      <div className="toolbar data-tools">
        {isRunning ? (
          <button type="button" onClick={stopScript}>
            {t('script.stop')}
          </button>
        ) : (
          <button type="button" disabled={script.trim() === ''} onClick={() => void runScript()}>
            {t('script.run')}
          </button>
        )}
        {script.trim() === '' && (
          <>
            <button type="button" onClick={() => updateProject({ script: EXAMPLES.draws })}>
              {t('script.exampleDraws')}
            </button>
            <button type="button" onClick={() => updateProject({ script: EXAMPLES.data })}>
              {t('script.exampleData')}
            </button>
          </>
        )}
      </div>
      <TextEditor
        key={id}
        of={`${id} ${SCRIPT_FILE}`}
        label={t('script.editor')}
        text={script}
        onChange={(text) => updateProject({ script: text })}
        extensions={extensions}
      />
      <Outputs projectId={id} />
    </>
  );
}

function Outputs({ projectId }: { readonly projectId: string }) {
  const outputs = useScript((state) => (state.projectId === projectId ? state.outputs : NONE));
  const isRunning = useScript(({ isRunning }) => isRunning);
  if (outputs.length === 0 && !isRunning) return <p className="script-help muted">{rich('script.help')}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, which the keyboard must be able to do
    <section className="script-output scrolls" aria-label={t('script.output')} aria-live="polite" tabIndex={0}>
      {isRunning && outputs.length === 0 && <p className="muted">{t('script.running')}</p>}
      {outputs.map((output, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: outputs are only appended
        <Output key={place} output={output} />
      ))}
    </section>
  );
}

const NONE: readonly ScriptOutput[] = [];

function Output({ output }: { readonly output: ScriptOutput }) {
  switch (output.kind) {
    case 'text':
      return <pre>{output.text}</pre>;
    case 'table':
      return <OutputTable output={output} />;
    case 'picture':
      return <OutputPicture output={output} />;
    case 'data':
      return <OutputData json={output.json} />;
    case 'error':
      return (
        <p className="script-error" role="alert">
          {output.line === undefined
            ? output.message
            : t('script.errorAt', { line: output.line, message: output.message })}
        </p>
      );
  }
}

function OutputTable({ output }: { readonly output: Extract<ScriptOutput, { kind: 'table' }> }) {
  const { columns, rows, left } = output;
  return (
    <>
      <table>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
            <tr key={row}>
              {cells.map((cell, column) => (
                <td key={columns[column]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {left > 0 && <p className="muted">{t('script.moreRows', { count: left })}</p>}
    </>
  );
}

/** A picture is shown as an image, in which nothing of the script can run. */
function OutputPicture({ output }: { readonly output: Extract<ScriptOutput, { kind: 'picture' }> }) {
  const { svg, label } = output;
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [svg]);
  return <img src={address} alt={label} />;
}

function OutputData({ json }: { readonly json: string }) {
  const isData = json.startsWith('{');
  const use = (): void => replaceData(`${json}\n`, t('script.dataTaken'));
  return (
    <>
      <pre>{json.length > MOST_CHARACTERS ? `${json.slice(0, MOST_CHARACTERS)}…` : json}</pre>
      {isData && (
        <button type="button" onClick={use}>
          {t('tables.useAsData')}
        </button>
      )}
    </>
  );
}

/** Characters of a returned value that are shown. */
const MOST_CHARACTERS = 2_000;
