import { ChainRecord } from './chain-record.js';
import { RunError } from './errors.js';
import { EventLog } from './event-log.js';
import type { RunEvent } from './events.js';
import { Fit, type Origin } from './fit.js';
import type { PortableRun } from './protocol.js';
import type { Threads } from './threads.js';

/** Chains to run. */
export interface Prepared {
  readonly origin: Origin;
  readonly chains: readonly PortableRun[];
}

/**
 * A function that runs, or has run. It begins when it is made and continues with or without readers. Each iteration yields every
 * event from the first one on, and throws the error with which `result` rejects.
 */
export class Run implements AsyncIterable<RunEvent> {
  private readonly log = new EventLog();
  private readonly records = new Map<number, ChainRecord>();
  private readonly finished: Promise<Fit>;
  private readonly threads: Threads;
  private origin: Origin | undefined;

  constructor(threads: Threads, prepare: () => Promise<Prepared>, signal: AbortSignal | undefined) {
    this.threads = threads;
    this.finished = this.perform(prepare, signal);
    this.finished.then(
      () => this.log.close(undefined),
      (error: unknown) => this.log.close(error),
    );
  }

  /**
   * All draws when every chain has ended. Rejects with `RequestError`, `RunError` where the program fails, and the reason of a
   * signal that was aborted.
   */
  result(): Promise<Fit> {
    return this.finished;
  }

  /** The draws that there are now, also of a run that was aborted; undefined before the run has begun. */
  soFar(): Fit | undefined {
    return this.origin && this.fitOf(this.origin);
  }

  [Symbol.asyncIterator](): AsyncGenerator<RunEvent, void, undefined> {
    return this.log.read();
  }

  private async perform(prepare: () => Promise<Prepared>, signal: AbortSignal | undefined): Promise<Fit> {
    const { chains, origin } = await prepare();
    this.origin = origin;
    for (const each of chains) this.records.set(each.chain, new ChainRecord(each));
    // The first chain that fails ends the others.
    const stop = new AbortController();
    const abort = () => stop.abort(signal?.reason);
    signal?.addEventListener('abort', abort);
    try {
      signal?.throwIfAborted();
      await Promise.all(
        chains.map((chain) =>
          this.runChain(origin.asked, chain, stop.signal).catch((error: unknown) => {
            stop.abort(error);
            throw error;
          }),
        ),
      );
      return this.fitOf(origin);
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  private async runChain(asked: Origin['asked'], job: PortableRun, signal: AbortSignal): Promise<void> {
    const receive = (events: readonly RunEvent[]) => {
      for (const event of events) this.receive(event);
    };
    const order = { ...job, kind: 'run', functionName: asked.function } as const;
    const { outcome } = await this.threads.perform(order, 'ran', { signal, receive });
    if (outcome.kind === 'refused') throw new RunError(outcome.message);
    if (outcome.kind !== 'finished') throw new Error(`a chain ended as ${outcome.kind}`);
    const { adaptation, state } = outcome;
    this.receive({
      kind: 'end',
      chain: job.chain,
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

  private receive(event: RunEvent): void {
    const record = this.records.get(event.chain);
    if (record === undefined) throw new Error(`an event of chain ${event.chain}, which does not run`);
    if (event.kind === 'draws' || event.kind === 'diagnostics') {
      const rows = record[event.kind];
      const from = rows.count;
      record.add(event);
      this.log.addRows(event.kind, event.chain, rows, from);
    } else {
      record.add(event);
      this.log.add(event);
    }
  }
}
