/** Summaries and verdicts, computed by the engine in a worker, some columns at a time. */
import { transfer, wrap } from 'comlink';
import { variableOf } from '#engine/run/columns.js';
import type { NamedSummary } from '#engine/run/statistics.js';
import { type Draws, drawsOf } from '../state/draws.js';
import type { Run } from '../state/run.js';
import { updateRun } from '../state/store.js';
import type { Statistics } from './statistics-worker.js';

const worker = new Worker(new URL('./statistics-worker.ts', import.meta.url), { type: 'module' });
const statistics = wrap<Statistics>(worker);

/** Numbers that the worker is given at a time. */
const NUMBERS_AT_ONCE = 1 << 18;

const known = new Map<string, Promise<readonly NamedSummary[]>>();

/** Summaries of all quantities of a run that is over; computed once. */
export function summariesOf(run: Run): Promise<readonly NamedSummary[]> {
  const there = known.get(run.id);
  if (there !== undefined) return there;
  const made = summarizeAll(drawsOf(run.id));
  known.set(run.id, made);
  return made;
}

async function summarizeAll(draws: Draws): Promise<readonly NamedSummary[]> {
  const names = draws.quantities;
  const numbers = draws.count * draws.chains.length;
  if (numbers === 0) return [];
  const atOnce = Math.max(1, Math.floor(NUMBERS_AT_ONCE / numbers));
  const summaries: NamedSummary[] = [];
  for (let start = 0; start < names.length; start += atOnce) {
    const some = names.slice(start, start + atOnce);
    const copies = some.map((name) => ({ name, chains: draws.evenColumn(name).map((column) => column.slice()) }));
    const buffers = copies.flatMap(({ chains }) => chains.map(({ buffer }) => buffer));
    summaries.push(...(await statistics.summarize(transfer(copies, buffers))));
  }
  return summaries;
}

const SAMPLER_COLUMNS = ['divergent__', 'treedepth__', 'energy__'];

/** Judges a run that is over, and notes the verdict in it. What is generated adds noise alone: its convergence is not judged. */
export async function judge(run: Run, maximumDepth: number | undefined): Promise<void> {
  const draws = drawsOf(run.id);
  const summaries = await summariesOf(run);
  const judged = summaries.filter(({ name }) => !run.generated.includes(variableOf(name)));
  const columns = SAMPLER_COLUMNS.filter((name) => draws.columns.includes(name)).map(
    (name) => [name, draws.evenColumn(name).map((column) => column.slice())] as const,
  );
  const sampler = {
    chainIds: draws.chains.map(({ id }) => id),
    draws: draws.count,
    columns: Object.fromEntries(columns),
    maximumDepth,
  };
  updateRun(run.id, { findings: await statistics.judge(sampler, judged) });
}
