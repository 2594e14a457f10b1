/** Follows a running fit on the server: its log, and draws of the quantities with traces. */
import { openFit } from 'leapfrog';
import type { Client, Message } from '#engine/client/index.js';
import { countLeadingRows, leadingRowsOf } from '#engine/formats/leading-rows.js';
import { LOG_LEVELS, type LogLevel } from '#engine/inference/events.js';
import { Rows } from '#engine/library/rows.js';
import { setFit } from '../state/fits.js';
import type { LogLine, RemoteRun, Run } from '../state/run.js';
import { update, updateRun } from '../state/store.js';

/** Milliseconds between two changes of the page. */
const INTERVAL = 250;
/** Maximum number of messages that the page receives. Of very long runs it shows only the beginning, to reduce the server's load. */
const MOST_MESSAGES = 40_000;
const MOST_QUANTITIES = 3;
/** Milliseconds of processing after which the page can render and respond: messages that have already arrived are processed without a pause. */
const MOST_WITHOUT_PAUSE = 8;

/**
 * Shows new events until the run ends, or `signal` is aborted. A short run may end before its messages have arrived: only its log is then
 * taken from them.
 */
export async function showLive(
  run: Run & { readonly remote: RemoteRun },
  client: Client,
  { isOver, signal }: { readonly isOver: () => boolean; readonly signal: AbortSignal },
): Promise<void> {
  const columns = await quantitiesOf(run, client);
  const chains = new Map<number, Rows>();
  const log: LogLine[] = [];
  let shown = performance.now();
  let paused = shown;
  let count = 0;
  for await (const message of client.fit(run.remote.fit).messages({ follow: true, variables: columns })) {
    if (signal.aborted || ++count > MOST_MESSAGES) break;
    take(message, columns, chains, log);
    const now = performance.now();
    if (now - paused > MOST_WITHOUT_PAUSE) {
      await new Promise((resolve) => setTimeout(resolve));
      paused = performance.now();
    }
    if (isOver() || now - shown < INTERVAL) continue;
    show(run, columns, chains, log);
    shown = performance.now();
  }
  updateRun(run.id, { log: [...log] });
}

/** The log density, and the first parameters. */
async function quantitiesOf({ remote, source }: Run & { readonly remote: RemoteRun }, client: Client) {
  const model = client.model(remote.fit.replace(/\/fits\/.*$/, ''));
  const params = await model.params({ data: source.data });
  const names = params.flatMap(({ constrained_names: names }) => names.slice(0, MOST_QUANTITIES));
  return ['lp__', ...names.slice(0, MOST_QUANTITIES)];
}

function take(message: Message, columns: readonly string[], chains: Map<number, Rows>, log: LogLine[]): void {
  const { chain = 1, topic, values } = message;
  if (topic === 'logger') {
    const [, level = 'info', text = values[0]] = /^(\w+):(.*)$/s.exec(values[0]) ?? [];
    log.push({ chain, level: isLevel(level) ? level : 'info', text });
  }
  if (topic !== 'sample' || 0 in values) return;
  const rows = chains.get(chain) ?? new Rows(columns.length);
  chains.set(chain, rows);
  rows.append(
    1,
    Float64Array.from(columns, (name) => values[name] ?? Number.NaN),
  );
}

function show(run: Run, columns: readonly string[], chains: ReadonlyMap<number, Rows>, log: readonly LogLine[]): void {
  const { settings } = run.source;
  const fit = openFit({
    program: 'model',
    asked: { function: settings.functionName, arguments: settings.arguments, random_seed: 0, created: '' },
    outputs: [],
    columns,
    diagnosticColumns: [],
    chains: [...chains]
      .toSorted(([a], [b]) => a - b)
      .map(([id, rows]) => {
        const warmup = countLeadingRows(leadingRowsOf(settings.functionName), rows.count);
        return {
          id,
          warmup,
          draws: rows.count - warmup,
          values: rows.slice(0),
          diagnostics: new Float64Array(),
          initial: undefined,
          adapted: undefined,
          comments: [],
        };
      }),
  });
  setFit(run.id, fit);
  updateRun(run.id, { log: [...log] });
  update(({ drawsVersion }) => ({ drawsVersion: drawsVersion + 1 }));
}

function isLevel(level: string): level is LogLevel {
  return LOG_LEVELS.some((each) => each === level);
}
