import { Worker } from 'node:worker_threads';
import type { StopReason } from './job-stopped.js';
import type { MemoryBudget } from './memory-budget.js';
import type { Job, WorkerMessage, WorkerOrder, WorkerSetup } from './protocol.js';
import { Sender } from './repetition.js';

/** Callbacks of a thread for its pool. */
export interface ThreadListener {
  receive(thread: Thread, message: WorkerMessage): void;
  /** It has ended by itself. */
  died(thread: Thread, reason: StopReason, cause: Error): void;
}

/** Memory for new objects: a thread keeps what it has once used, and with Node's default of 48 each keeps some 15 more. */
const YOUNG_MEBIBYTES = 12;

export interface ThreadOptions {
  /** URL of the module that exports `engine`; a thread without one does nothing but read fits. */
  readonly engine?: string;
  readonly memoryMebibytes: number;
  /** What the models of all threads may take together; no limit unless given. */
  readonly budget?: MemoryBudget;
}

/** A worker thread as its pool sees it. */
export class Thread {
  /** The share whose jobs it did last: it may have something in memory for the next one. */
  lastShare: string | undefined;
  /** Milliseconds that each job took of those it did last. */
  pace: number | undefined;
  /** On the clock of `performance.now`. */
  idleSince = 0;
  private readonly worker: Worker;
  private readonly sender = new Sender();
  private readonly place = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

  constructor(options: ThreadOptions, listener: ThreadListener) {
    const { engine, memoryMebibytes, budget } = options;
    const account = budget?.openAccount();
    const setup: WorkerSetup = { engine, memoryMebibytes, account, place: this.place };
    this.worker = new Worker(new URL('./worker.js', import.meta.url), {
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

  /** Has it drop what it keeps for later, after what it does now. */
  release(): void {
    this.order('release');
  }

  /** Index of the job, among those posted last, that it does now. */
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
