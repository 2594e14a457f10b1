/**
 * Statistics of the draws of a fit: summaries, diagnosis and leave-one-out cross-validation. They are computed in batches of
 * columns, on any threads. Every entry point obtains them here.
 */
import { LOG_LIKELIHOOD } from '../derive/derived-names.js';
import { displayName } from '../formats/columns.js';
import type { Convergence, Finding, Finiteness, SamplerReport } from '../inference/diagnostics/findings.js';
import type { BlockDraws } from './block-decision.js';
import {
  concludeLeavingOut,
  type LeaveOneOut,
  type LeftOutColumns,
  type Observation,
  UnusableLogLikelihood,
} from './cross-validation.js';
import { type DiagnosedFit, diagnose } from './diagnosis.js';
import type { NamedSummary } from './statistics.js';

/** Computes statistics of a batch of columns, by their indexes, over chains with equal numbers of draws. */
export interface ColumnStatistics {
  summarize(columns: readonly number[]): Promise<readonly NamedSummary[]>;
  /** What a diagnosis requires of summaries. If absent, it uses summaries. */
  judge?(columns: readonly number[]): Promise<readonly Convergence[]>;
  count(columns: readonly number[]): Promise<readonly Finiteness[]>;
  leaveOut(columns: readonly number[]): Promise<LeftOutColumns>;
  reports(maximumDepth: number): Promise<readonly SamplerReport[]>;
}

export interface StatisticsOptions {
  /** Summaries by the index of the column. */
  readonly cache?: Map<number, Promise<NamedSummary>>;
  /** Maximum number of batches that are processed concurrently; 3 by default. */
  readonly atOnce?: number;
}

export interface LeavingOutOptions {
  /** The field of the request that selects the columns, for errors; `log_lik` by default. */
  readonly field?: string;
  /** Called with the number of columns that have been processed, and the number of all. */
  readonly onProgress?: (done: number, count: number) => void;
  readonly signal?: AbortSignal;
}

/** Maximum number of values in a batch. */
const NUMBERS_AT_ONCE = 1 << 18;

/** The columns of a fit. `draws` is the number of draws of all chains together. */
interface StatisticsDraws extends Pick<BlockDraws, 'columns' | 'outputs'> {
  readonly draws: number;
}

export class FitStatistics implements BlockDraws {
  readonly columns: BlockDraws['columns'];
  readonly outputs: BlockDraws['outputs'];
  private readonly draws: number;
  private readonly source: ColumnStatistics;
  private readonly options: StatisticsOptions;

  constructor({ columns, draws, outputs }: StatisticsDraws, source: ColumnStatistics, options: StatisticsOptions = {}) {
    this.columns = columns;
    this.outputs = outputs;
    this.draws = draws;
    this.source = source;
    this.options = options;
  }

  /** Summaries of columns, in order, batch by batch. */
  summaries(columns: readonly number[]): AsyncGenerator<readonly NamedSummary[]> {
    const { cache = new Map<number, Promise<NamedSummary>>() } = this.options;
    return this.inBatches(columns, (batch) => {
      const missing = batch.filter((column) => !cache.has(column));
      const found = missing.length > 0 ? this.source.summarize(missing) : Promise.resolve([]);
      for (const [index, column] of missing.entries()) {
        const summary = found.then((summaries) => summaries[index]);
        // A failed computation can be requested again.
        summary.catch(() => cache.delete(column));
        cache.set(column, summary);
      }
      return Promise.all(batch.flatMap((column) => cache.get(column) ?? []));
    });
  }

  summarize(columns: readonly number[]): Promise<readonly NamedSummary[]> {
    return all(this.summaries(columns));
  }

  /**
   * Diagnoses the draws and their sampler, with names such as `theta[2]`. `selected`: the columns to consider, by default
   * all.
   */
  diagnose(run: Pick<DiagnosedFit, 'function' | 'maximumDepth'>, selected?: readonly number[]): Promise<Finding[]> {
    const { columns, outputs, source } = this;
    const { judge } = source;
    const fit = { function: run.function, maximumDepth: run.maximumDepth, columns, outputs };
    const convergence = (places: readonly number[]): Promise<readonly Convergence[]> =>
      judge === undefined ? this.summarize(places) : this.collect(places, judge);
    return diagnose(
      fit,
      {
        reports: (depth) => source.reports(depth),
        convergence: async (places) => displayed(await convergence(places)),
        finiteness: async (places) => displayed(await this.collect(places, (batch) => source.count(batch))),
      },
      selected,
    );
  }

  /**
   * Leave-one-out cross-validation from columns with log likelihoods. A group is a column, followed by the column that
   * marks outcomes if there is one. Throws `UnusableLogLikelihood`.
   */
  async leaveOut(
    groups: readonly (readonly number[])[],
    { field = LOG_LIKELIHOOD, onProgress, signal }: LeavingOutOptions = {},
  ): Promise<LeaveOneOut> {
    const observations: Observation[] = [];
    let done = 0;
    const batches = this.inBatches(groups, async (batch) => [
      { count: batch.length, result: await this.source.leaveOut(batch.flat()) },
    ]);
    for await (const [{ count, result }] of batches) {
      signal?.throwIfAborted();
      if ('refused' in result) throw new UnusableLogLikelihood(field, result.refused);
      done += count;
      onProgress?.(done, groups.length);
      observations.push(...result.observations);
    }
    return concludeLeavingOut(observations, this.draws);
  }

  /** The results for items, such as columns or groups of them, computed in batches. */
  collect<Item, Result>(
    items: readonly Item[],
    process: (batch: readonly Item[]) => Promise<readonly Result[]>,
  ): Promise<readonly Result[]> {
    return all(this.inBatches(items, process));
  }

  /** The results of batches, in order. */
  private async *inBatches<Item, Result>(
    items: readonly Item[],
    process: (batch: readonly Item[]) => Promise<readonly Result[]>,
  ): AsyncGenerator<readonly Result[]> {
    const { atOnce = 3 } = this.options;
    const pending: Promise<readonly Result[]>[] = [];
    for (const batch of batchesOf(items, this.draws)) {
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

/** Columns, or groups of them, in batches for threads. `draws` is the number of draws of all chains together. */
function batchesOf<Item>(items: readonly Item[], draws: number): Item[][] {
  const size = Math.max(1, Math.floor(NUMBERS_AT_ONCE / Math.max(1, draws)));
  return Array.from({ length: Math.ceil(items.length / size) }, (_, batch) =>
    items.slice(batch * size, (batch + 1) * size),
  );
}

/** Quantities with names such as `theta[2]`. */
export function displayed<Named extends { readonly name: string }>(quantities: readonly Named[]): readonly Named[] {
  return quantities.map((each) => ({ ...each, name: displayName(each.name) }));
}
