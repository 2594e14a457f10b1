import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { startThread } from '../../node/entries.js';
import type { StopReason } from './job-stopped.js';
import type { MemoryBudget } from './memory-budget.js';
import type { Job, WorkerMessage, WorkerOrder, WorkerSetup } from './protocol.js';
import { Sender } from './repetition.js';

/** Callbacks of a thread for its pool. */
export interface ThreadListener {
  receive(thread: Thread, message: WorkerMessage): void;
  /** Called if the thread ended by itself. */
  died(thread: Thread, reason: StopReason, cause: Error): void;
}

/**
 * Memory for new objects, in MiB. A thread never returns memory that it has used; with Node's default of 48, each
 * thread would keep about 15 MiB more.
 */
const YOUNG_MEBIBYTES = 12;
/** Milliseconds within which an idle thread must exit. */
const ENDING_TIME = 1000;

export interface ThreadOptions {
  /** URL of the module that exports `engine`, or OWN_ENGINE; a thread without one only reads fits. */
  readonly engine?: string;
  readonly memoryMebibytes: number;
  /** Memory limit for the models of all threads; none by default. */
  readonly budget?: MemoryBudget;
}

/** A worker thread, seen from its pool. */
export class Thread {
  /** The share of its last jobs. The thread may have cached their model. */
  lastShare: string | undefined;
  /** Milliseconds per job in its last message. */
  pace: number | undefined;
  /** Start of the idle time, on the clock of `performance.now`. */
  idleSince = 0;
  private readonly worker: Worker;
  private readonly sender = new Sender();
  private readonly place = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

  constructor(options: ThreadOptions, listener: ThreadListener) {
    const { engine, memoryMebibytes, budget } = options;
    const account = budget?.openAccount();
    const setup: WorkerSetup = { engine, memoryMebibytes, account, place: this.place };
    this.worker = startThread('worker', new URL('./worker.js', import.meta.url), {
      workerData: setup,
      resourceLimits: { maxOldGenerationSizeMb: memoryMebibytes, maxYoungGenerationSizeMb: YOUNG_MEBIBYTES },
    });
    this.worker.on('message', (message: WorkerMessage) => listener.receive(this, message));
    this.worker.on('error', (error: Error & { code?: string }) => {
      listener.died(this, error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'crashed', error);
    });
    this.worker.on('exit', (code) => {
      if (account !== undefined) budget?.closeAccount(account);
      listener.died(this, 'crashed', new Error(`the thread ended with code ${code}`));
    });
  }

  post(jobs: readonly Job[]): void {
    Atomics.store(this.place, 0, 0);
    this.order(jobs.map((job) => this.sender.shorten(job)));
  }

  /** Requests it to drop cached models after its current job. */
  release(): void {
    this.order('release');
  }

  /** Ends it after its current jobs. */
  async end(): Promise<void> {
    const ended = once(this.worker, 'exit');
    this.order('end');
    const limit = setTimeout(() => this.terminate(), ENDING_TIME);
    await ended;
    clearTimeout(limit);
  }

  /** Index of its current job among the jobs of the last message. */
  get at(): number {
    return Atomics.load(this.place, 0);
  }

  private order(order: WorkerOrder): void {
    this.worker.postMessage(order);
  }

  async terminate(): Promise<void> {
    await this.worker.terminate();
  }
}
