import { execute, type FinishedChain, reportEnd } from '../fits/execute.js';
import { currentOutlook, type Outlook } from '../fits/outlook.js';
import type { BlockPlan } from '../fits/plan.js';
import type { SpentTime } from '../fits/thread-need.js';
import type { LogLevel } from '../inference/events.js';
import { type CurrentShortfall, type Stopped, stoppedText } from '../requests/until.js';
import { ChainRecord } from './chain-record.js';
import { EventLog } from './event-log.js';
import type { RunEvent, SentEvent } from './events.js';
import { Fit, type Origin } from './fit.js';
import type { PortableRun } from './protocol.js';
import type { Threads } from './threads.js';

/** Milliseconds for which a run may wait for its first chain to start. */
const START = 300;

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
    const { until } = this.origin?.asked ?? {};
    const target = until && { until, block: until.block, shortfall: this.shortfall };
    return currentOutlook([...this.records.values()], target);
  }

  [Symbol.asyncIterator](): AsyncGenerator<RunEvent, void, undefined> {
    return this.log.read();
  }

  private async perform(prepare: () => Promise<Prepared>, signal: AbortSignal | undefined): Promise<Fit> {
    const { blocks, chains, origin, parallelChains } = await prepare();
    this.origin = origin;
    for (const each of chains) this.records.set(each.chain, new ChainRecord(each));
    const latest = performance.now() + START;
    // Each chain has its own signal, because Node warns if a signal has more than ten listeners.
    const running = new Set<AbortController>();
    const stop = (reason: unknown) => {
      for (const each of running) each.abort(reason);
    };
    const abort = () => stop(signal?.reason);
    signal?.addEventListener('abort', abort);
    try {
      const { ends, stopped } = await execute(chains, blocks, {
        most: parallelChains,
        fail: stop,
        run: async (chain) => {
          signal?.throwIfAborted();
          const controller = new AbortController();
          running.add(controller);
          try {
            return await this.runChain(origin.asked, chain, controller.signal);
          } finally {
            running.delete(controller);
          }
        },
        reports: () => [...this.records.values()],
        timeSoFar: () => this.threads.timeSoFar(),
        begun: () => {
          const now = this.threads.timeSoFar();
          if (now.elapsed > latest) this.begun ??= now;
          return this.begun;
        },
        draws: () => this.fitOf(origin).blockDraws(),
        noteDecision: ({ shortfall }) => {
          this.shortfall = shortfall;
        },
      });
      if (blocks !== undefined) this.endBlocks(chains, ends, stopped);
      if (stopped === undefined) return this.fitOf(origin);
      const { asked } = origin;
      const done = { ...asked, arguments: { ...asked.arguments, num_samples: stopped.iterations } };
      this.origin = { ...origin, asked: done, stopped };
      return this.fitOf(this.origin);
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  private endBlocks(
    chains: readonly PortableRun[],
    ends: readonly FinishedChain[],
    stopped: Stopped | undefined,
  ): void {
    for (const [index, { chain }] of chains.entries()) {
      const log = (level: LogLevel, text: string) => this.receive({ kind: 'log', chain, level, text });
      const elapsed = (lines: readonly string[]) => {
        for (const line of lines) log('info', line);
      };
      reportEnd({ log, elapsed }, ends[index].seconds, stopped && stoppedText(stopped));
      this.endChain(chain, ends[index]);
    }
  }

  private async runChain(asked: Origin['asked'], job: PortableRun, signal: AbortSignal): Promise<FinishedChain> {
    const receive = (events: readonly SentEvent[]) => {
      for (const event of events) this.receive(event);
    };
    const order = { ...job, kind: 'run', functionName: asked.function } as const;
    const finished = await this.threads.perform(order, 'finished', { signal, receive });
    if (job.block === undefined) this.endChain(job.chain, finished);
    return finished;
  }

  private endChain(chain: number, { adaptation, state }: FinishedChain): void {
    this.receive({
      kind: 'end',
      chain,
      ...(adaptation && { adapted: adaptation }),
      ...(state && { state }),
    });
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
