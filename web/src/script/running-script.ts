/** Runs the script of the project in a worker, and keeps its output. */

import { create } from 'zustand';
import { displayName } from '#engine/formats/columns.js';
import { reasonOf } from '../reasons.js';
import { fitOf } from '../state/fits.js';
import { loadFit } from '../state/kept-runs.js';
import { currentRun, useStore } from '../state/store.js';
import { t } from '../words/messages.js';
import type { ScriptOrder, ScriptOutput, ScriptReport } from './script-output.js';

interface ScriptState {
  /** The project whose output is kept. */
  readonly projectId: string | undefined;
  readonly isRunning: boolean;
  readonly outputs: readonly ScriptOutput[];
}

export const useScript = create<ScriptState>()(() => ({ projectId: undefined, isRunning: false, outputs: [] }));

/** Milliseconds after which a script is stopped. */
const LIMIT = 30_000;
/** Outputs after which a script is stopped. */
const MOST_OUTPUTS = 500;
/** Draws of all quantities that a script receives; more would take too much memory. */
const MOST_NUMBERS = 5e7;

let stop: (() => void) | undefined;

/** Ends the script that runs. */
export function stopScript(): void {
  stop?.();
}

/** Runs the script with the draws of the displayed run and the data. */
export async function runScript(): Promise<void> {
  stopScript();
  const { project } = useStore.getState();
  useScript.setState({ projectId: project.id, isRunning: true, outputs: [] });
  try {
    await work(await orderOf(project.script ?? '', project.data));
  } catch (error) {
    add({ kind: 'error', message: reasonOf(error) });
  }
  useScript.setState({ isRunning: false });
}

function add(output: ScriptOutput): void {
  useScript.setState(({ outputs }) => ({ outputs: [...outputs, output] }));
}

function work(order: ScriptOrder): Promise<void> {
  const worker = new Worker(new URL('./script-worker.ts', import.meta.url), { type: 'module' });
  return new Promise((resolve) => {
    const end = (output?: ScriptOutput): void => {
      clearTimeout(timer);
      worker.terminate();
      stop = undefined;
      if (output !== undefined) add(output);
      resolve();
    };
    const timer = setTimeout(
      () => end({ kind: 'error', message: t('script.tooLong', { seconds: LIMIT / 1000 }) }),
      LIMIT,
    );
    stop = () => end({ kind: 'error', message: t('script.stopped') });
    worker.onerror = ({ message }) => end({ kind: 'error', message: message ?? t('script.notStarted') });
    worker.onmessage = ({ data: { output } }: MessageEvent<ScriptReport>) => {
      if (output === undefined) end();
      else if (useScript.getState().outputs.length >= MOST_OUTPUTS)
        end({ kind: 'error', message: t('script.tooManyOutputs', { count: MOST_OUTPUTS }) });
      else void withLine(order.source, output).then(add);
    };
    worker.postMessage(
      order,
      order.columns.map(({ buffer }) => buffer),
    );
  });
}

async function orderOf(source: string, data: string): Promise<ScriptOrder> {
  const run = currentRun(useStore.getState());
  if (run !== undefined) await loadFit(run);
  const fit = run === undefined ? undefined : fitOf(run.id);
  const chains = fit?.chains ?? [];
  const total = chains.reduce((sum, { draws }) => sum + draws, 0);
  const columns = fit?.columns ?? [];
  if (total * columns.length > MOST_NUMBERS) throw new Error(t('script.tooManyDraws'));
  const chain = new Int32Array(total);
  let from = 0;
  for (const { id, draws } of chains) {
    chain.fill(id, from, from + draws);
    from += draws;
  }
  const { color, backgroundColor } = getComputedStyle(document.body);
  return {
    source,
    names: columns.map(displayName),
    columns: columns.map((_, place) => joined(fit?.columnAt(place) ?? [], total)),
    chain,
    data: parsed(data),
    ink: color,
    surface: backgroundColor,
    faults: {
      noImport: t('script.noImport'),
      notPlot: t('script.notPlot'),
      notTable: t('script.notTable'),
      noCanvas: t('script.noCanvas'),
    },
  };
}

function joined(chains: readonly Float64Array[], total: number): Float64Array<ArrayBuffer> {
  const values = new Float64Array(total);
  let from = 0;
  for (const own of chains) {
    values.set(own, from);
    from += own.length;
  }
  return values;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Adds the line of a syntax error, which some browsers do not report. */
async function withLine(source: string, output: ScriptOutput): Promise<ScriptOutput> {
  if (output.kind !== 'error' || output.isSyntax !== true) return output;
  const { javascriptLanguage } = await import('@codemirror/lang-javascript');
  let line: number | undefined;
  javascriptLanguage.parser.parse(source).iterate({
    enter: ({ from, type }) => {
      if (type.isError) line ??= source.slice(0, from).split('\n').length;
    },
  });
  return { ...output, line };
}
