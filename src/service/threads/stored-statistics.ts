/** Statistics of draws in the files of a fit, computed by threads in batches of columns. */
import type { FitContents } from '../../fit-files/reading.js';
import { displayName } from '../../formats/columns.js';
import type { Convergence, Finding, Finiteness, SamplerReport } from '../../inference/diagnostics/findings.js';
import { concludeLeavingOut, type LeaveOneOut, type Observation } from '../../run/cross-validation.js';
import { type DiagnosedFit, diagnose } from '../../run/diagnosis.js';
import type { NamedSummary } from '../../run/statistics.js';
import type { BlockDraws } from '../../run/until.js';
import type { DrawRange, FitJob } from './fit-job.js';
import type { PerformJob } from './protocol.js';

const SUMMARIZING = 'Summarizing the draws';
/** Maximum number of values in a batch. */
const NUMBERS_AT_ONCE = 1 << 18;
/** Maximum number of batches that are processed concurrently. */
const AT_ONCE = 3;

interface StatisticsOptions {
  /** Caches summaries by the index of the column. */
  readonly known?: Map<number, NamedSummary>;
  readonly atOnce?: number;
}

/** Statistics of ranges of equal length. Names are those of columns, such as `theta.2`, except in a diagnosis. */
export class StoredStatistics implements BlockDraws {
  private readonly contents: FitContents;
  private readonly ranges: readonly DrawRange[];
  private readonly perform: PerformJob<FitJob>;
  private readonly options: StatisticsOptions;

  constructor(
    contents: FitContents,
    ranges: readonly DrawRange[],
    perform: PerformJob<FitJob>,
    options: StatisticsOptions = {},
  ) {
    this.contents = contents;
    this.ranges = ranges;
    this.perform = perform;
    this.options = options;
  }

  get columns(): FitContents['columns'] {
    return this.contents.columns;
  }

  get outputs(): FitContents['outputs'] {
    return this.contents.outputs;
  }

  /** Summaries of columns, in order, batch by batch. */
  summaries(columns: readonly number[]): AsyncGenerator<readonly NamedSummary[]> {
    const { known = new Map<number, NamedSummary>() } = this.options;
    return this.inBatches(columns, async (batch) => {
      const missing = batch.filter((column) => !known.has(column));
      if (missing.length > 0) {
        const { summaries } = await this.perform(
          SUMMARIZING,
          { kind: 'summarize', ...this.draws(missing) },
          'summaries',
        );
        for (const [index, column] of missing.entries()) known.set(column, summaries[index]);
      }
      return batch.flatMap((column) => known.get(column) ?? []);
    });
  }

  summarize(columns: readonly number[]): Promise<readonly NamedSummary[]> {
    return all(this.summaries(columns));
  }

  /** Diagnoses the draws and their sampler. `selected`: the columns to consider, by default all. */
  diagnose(run: Pick<DiagnosedFit, 'function' | 'maximumDepth'>, selected?: readonly number[]): Promise<Finding[]> {
    const { function: name, maximumDepth } = run;
    const fit = { function: name, columns: this.columns, outputs: this.outputs, maximumDepth };
    return diagnose(
      fit,
      {
        reports: (depth) => this.reports(depth),
        convergence: async (columns) => displayed(await this.convergence(columns)),
        finiteness: async (columns) => displayed(await this.finiteness(columns)),
      },
      selected,
    );
  }

  /** Computes only what a diagnosis requires, unless summaries are cached. */
  private convergence(columns: readonly number[]): Promise<readonly Convergence[]> {
    const judge = async (batch: readonly number[]) =>
      (await this.perform(SUMMARIZING, { kind: 'judge', ...this.draws(batch) }, 'judged')).quantities;
    return this.options.known ? this.summarize(columns) : all(this.inBatches(columns, judge));
  }

  private finiteness(columns: readonly number[]): Promise<readonly Finiteness[]> {
    const count = async (batch: readonly number[]) =>
      (await this.perform('Reading the generated quantities', { kind: 'count', ...this.draws(batch) }, 'counted'))
        .quantities;
    return all(this.inBatches(columns, count));
  }

  private async reports(maximumDepth: number): Promise<readonly SamplerReport[]> {
    const job = { kind: 'sampler', path: this.contents.path, ranges: this.ranges, maximumDepth } as const;
    return (await this.perform("Reading the sampler's reports", job, 'sampler')).reports;
  }

  /**
   * Leave-one-out cross-validation from columns with log likelihoods, or the reason why one of them cannot be used. A group
   * is a column, with the column that marks outcomes if there is one.
   */
  async leaveOut(groups: readonly (readonly number[])[]): Promise<LeaveOneOut | { readonly refused: string }> {
    const observations: Observation[] = [];
    const leaveOut = async (batch: readonly (readonly number[])[]) => [
      await this.perform('Leaving out observations', { kind: 'leave out', ...this.draws(batch.flat()) }, 'left out'),
    ];
    for await (const [result] of this.inBatches(groups, leaveOut)) {
      if ('refused' in result) return { refused: result.refused };
      observations.push(...result.observations);
    }
    return concludeLeavingOut(observations, drawsIn(this.ranges));
  }

  private draws(columns: readonly number[]) {
    return { path: this.contents.path, columns, ranges: this.ranges };
  }

  /** The results of batches, in order. */
  private async *inBatches<Item, Result>(
    items: readonly Item[],
    process: (batch: readonly Item[]) => Promise<readonly Result[]>,
  ): AsyncGenerator<readonly Result[]> {
    const { atOnce = AT_ONCE } = this.options;
    const pending: Promise<readonly Result[]>[] = [];
    for (const batch of piecesOf(items, this.ranges)) {
      const next = process(batch);
      // The error is thrown where the result is awaited.
      next.catch(() => undefined);
      pending.push(next);
      if (pending.length >= atOnce) yield (await pending.shift()) ?? [];
    }
    for (const next of pending) yield await next;
  }
}

async function all<Item>(batches: AsyncGenerator<readonly Item[]>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const batch of batches) items.push(...batch);
  return items;
}

/** Columns, or groups of them, in batches for threads. */
export function piecesOf<Item>(items: readonly Item[], ranges: readonly DrawRange[]): Item[][] {
  const atOnce = Math.max(1, Math.floor(NUMBERS_AT_ONCE / Math.max(1, drawsIn(ranges))));
  return Array.from({ length: Math.ceil(items.length / atOnce) }, (_, piece) =>
    items.slice(piece * atOnce, (piece + 1) * atOnce),
  );
}

function drawsIn(ranges: readonly DrawRange[]): number {
  return ranges.reduce((sum, { count }) => sum + count, 0);
}

/** Quantities with names such as `theta[2]`. */
export function displayed<Named extends { readonly name: string }>(quantities: readonly Named[]): readonly Named[] {
  return quantities.map((each) => ({ ...each, name: displayName(each.name) }));
}
