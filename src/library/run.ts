import type { RunOutcome } from '../chain/request.js';
import { runBlocks } from '../fits/block-loop.js';
import { type Outlook, outlookOf } from '../fits/outlook.js';
import type { BlockPlan } from '../fits/plan.js';
import { type SpentTime, ThreadNeed } from '../fits/thread-need.js';
import { elapsedLines } from '../inference/algorithms/iterations.js';
import { combinedEstimates } from '../inference/diagnostics/running-estimates.js';
import { type CurrentShortfall, stoppedText } from '../requests/until.js';
import { ChainRecord } from './chain-record.js';
import { RunError } from './errors.js';
import { EventLog } from './event-log.js';
import type { RunEvent, SentEvent } from './events.js';
import { Fit, type Origin } from './fit.js';
import type { PortableRun } from './protocol.js';
import type { Threads } from './threads.js';

/** Milliseconds between two checks whether more chains run concurrently. */
const INTERVAL = 50;
/** Milliseconds for which a run may wait for its first chain to start. */
const START = 300;

type Finished = Extract<RunOutcome, { readonly kind: 'finished' }>;

/** Chains to run. */
export interface Prepared {
  readonly origin: Origin;
  readonly chains: readonly PortableRun[];
  readonly blocks?: BlockPlan;
  /** Maximum number of chains that run concurrently; unlimited if absent. */
  readonly parallelChains?: number;
}

/**
 * A running or finished function. It starts when the object is created, and continues even without readers. Each
 * iterator yields every event from the first one on, and throws the error with which `result` rejects.
 */
export class Run implements AsyncIterable<RunEvent> {
  private readonly log = new EventLog();
  private readonly records = new Map<number, ChainRecord>();
  private readonly finished: Promise<Fit>;
  private readonly threads: Threads;
  private origin: Origin | undefined;
  private shortfall: CurrentShortfall | undefined;
  /** Time of the first event. */
  private begun: SpentTime | undefined;

  constructor(threads: Threads, prepare: () => Promise<Prepared>, signal: AbortSignal | undefined) {
    this.threads = threads;
    this.finished = this.perform(prepare, signal);
    this.finished.then(
      () => this.log.close(undefined),
      (error: unknown) => this.log.close(error),
    );
  }

  /**
   * Resolves to all draws when every chain has ended. Rejects with `RequestError`, with `RunError` if the program
   * fails, or with the reason of an aborted signal.
   */
  result(): Promise<Fit> {
    return this.finished;
  }

  /** The draws so far, also of an aborted run; undefined before the run has started. */
  soFar(): Fit | undefined {
    return this.origin && this.fitOf(this.origin);
  }

  /**
   * The worst estimates from the draws so far, the number of divergences, the remaining time and, for a run with
   * `until`, the shortfall at the last check.
   */
  outlook(): Outlook {
    const records = [...this.records.values()];
    const { until } = this.origin?.asked ?? {};
    const target = until && { until, block: until.block, shortfall: this.shortfall };
    const estimates = records.map(({ progress }) => progress?.estimates ?? []);
    return outlookOf(records, combinedEstimates(estimates, Number.POSITIVE_INFINITY), target);
  }

  [Symbol.asyncIterator](): AsyncGenerator<RunEvent, void, undefined> {
    return this.log.read();
  }

  private async perform(prepare: () => Promise<Prepared>, signal: AbortSignal | undefined): Promise<Fit> {
    const { blocks, chains, origin, parallelChains = chains.length } = await prepare();
    this.origin = origin;
    for (const each of chains) this.records.set(each.chain, new ChainRecord(each));
    // A failed chain stops the others.
    const stop = new AbortController();
    const abort = () => stop.abort(signal?.reason);
    signal?.addEventListener('abort', abort);
    // Each chain has its own signal, because Node warns if a signal has more than ten listeners.
    const own = new Set<AbortController>();
    stop.signal.addEventListener('abort', () => {
      for (const each of own) each.abort(stop.signal.reason);
    });
    const runOne = async (chain: PortableRun): Promise<Finished> => {
      const controller = new AbortController();
      own.add(controller);
      try {
        stop.signal.throwIfAborted();
        return await this.runChain(origin.asked, chain, controller.signal);
      } catch (error) {
        stop.abort(error);
        throw error;
      } finally {
        own.delete(controller);
      }
    };
    try {
      signal?.throwIfAborted();
      const runAll = (jobs: readonly PortableRun[]) => performAll(jobs, runOne, parallelChains, () => true);
      if (blocks !== undefined) return await this.runBlocks(origin, blocks, chains, runAll);
      await performAll(chains, runOne, parallelChains, this.threadNeed());
      return this.fitOf(origin);
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  private async runBlocks(
    origin: Origin,
    blocks: BlockPlan,
    chains: readonly PortableRun[],
    runAll: (jobs: readonly PortableRun[]) => Promise<readonly Finished[]>,
  ): Promise<Fit> {
    const { limit } = blocks;
    let ends: readonly Finished[] = [];
    const { stopped } = await runBlocks(blocks, async ({ done }, decide) => {
      const jobs = chains.map((chain, index): PortableRun => {
        const { seconds, state: from } = ends.at(index) ?? {};
        if (from === undefined) return { ...chain, block: { limit, done } };
        const before = this.recordOf(chain.chain).progress;
        return {
          ...chain,
          inputs: {},
          block: { limit, done, from, ...(before && { before }), ...(seconds && { seconds }) },
        };
      });
      ends = await runAll(jobs);
      const decision = await decide(() => this.fitOf(origin).blockDraws());
      this.shortfall = decision.shortfall;
      return decision;
    });
    for (const [index, { chain }] of chains.entries()) {
      const log = (text: string) => this.receive({ kind: 'log', chain, level: 'info', text });
      const { warmup = 0, sampling = 0 } = ends[index].seconds ?? {};
      for (const line of elapsedLines(warmup, sampling)) log(line);
      if (stopped !== undefined) log(stoppedText(stopped));
      this.endChain(chain, ends[index]);
    }
    if (stopped === undefined) return this.fitOf(origin);
    const { asked } = origin;
    const done = { ...asked, arguments: { ...asked.arguments, num_samples: stopped.iterations } };
    this.origin = { ...origin, asked: done, stopped };
    return this.fitOf(this.origin);
  }

  private async runChain(asked: Origin['asked'], job: PortableRun, signal: AbortSignal): Promise<Finished> {
    const receive = (events: readonly SentEvent[]) => {
      for (const event of events) this.receive(event);
    };
    const order = { ...job, kind: 'run', functionName: asked.function } as const;
    const { outcome } = await this.threads.perform(order, 'ran', { signal, receive });
    if (outcome.kind === 'refused') throw new RunError(outcome);
    if (outcome.kind !== 'finished') throw new Error(`unexpected outcome of a chain: ${outcome.kind}`);
    if (job.block === undefined) this.endChain(job.chain, outcome);
    return outcome;
  }

  private endChain(chain: number, { adaptation, state }: Finished): void {
    this.receive({
      kind: 'end',
      chain,
      ...(adaptation && { adapted: adaptation }),
      ...(state && { state }),
    });
  }

  /** Whether the chains take long enough to run in several threads. Short ones run one after the other in one thread, which then starts sooner. */
  private threadNeed(): () => boolean {
    const need = new ThreadNeed();
    const latest = performance.now() + START;
    return () => {
      const now = this.threads.timeSoFar();
      if (now.elapsed > latest) this.begun ??= now;
      if (this.begun === undefined) return false;
      const { elapsed, processor } = this.begun;
      const chains = [...this.records.values()].map(({ isOver, progress }) => ({ ...progress, isOver }));
      return need.isGiven({ elapsed: now.elapsed - elapsed, processor: now.processor - processor }, chains);
    };
  }

  private fitOf(origin: Origin): Fit {
    const records = [...this.records.values()];
    const first = records.find(({ columns }) => columns.length > 0);
    const columns = first?.columns ?? [];
    const diagnosticColumns = first?.diagnosticColumns ?? [];
    const chains = records.map((record) => record.snapshot());
    return new Fit({ ...origin, columns, diagnosticColumns, chains }, this.threads);
  }

  private recordOf(chain: number): ChainRecord {
    const record = this.records.get(chain);
    if (record === undefined) throw new Error(`an event of chain ${chain}, which does not run`);
    return record;
  }

  private receive(event: SentEvent): void {
    this.begun ??= this.threads.timeSoFar();
    const record = this.recordOf(event.chain);
    if (event.kind === 'draws' || event.kind === 'diagnostics') {
      const rows = record[event.kind];
      const from = rows.count;
      record.add(event);
      this.log.addRows(event.kind, event.chain, rows, from);
    } else {
      record.add(event);
      if (event.kind !== 'checkpoint') this.log.add(event);
    }
  }
}

/**
 * Performs all jobs: one after the other until `isLong`, then at most `most` of them concurrently. Each starts as soon as another ends.
 */
async function performAll<Job, Done>(
  jobs: readonly Job[],
  perform: (job: Job) => Promise<Done>,
  most: number,
  isLong: () => boolean,
): Promise<readonly Done[]> {
  const results: Done[] = [];
  const waiting = jobs.entries();
  const performNext = async () => {
    for (const [index, job] of waiting) results[index] = await perform(job);
  };
  const first = performNext();
  const others = async () => {
    await untilLong(isLong, first);
    await Promise.all(Array.from({ length: Math.min(most, jobs.length) - 1 }, performNext));
  };
  await Promise.all([first, others()]);
  return results;
}

/** Waits until `isLong`, or until the end. */
async function untilLong(isLong: () => boolean, end: Promise<unknown>): Promise<void> {
  if (isLong()) return;
  await new Promise<void>((resolve) => {
    const finish = () => {
      clearInterval(timer);
      resolve();
    };
    const timer = setInterval(() => isLong() && finish(), INTERVAL);
    end.then(finish, finish);
  });
}
