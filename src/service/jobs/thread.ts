import { Worker } from 'node:worker_threads';
import type { Job, WorkerMessage, WorkerSetup } from './protocol.js';
import { Sender } from './repetition.js';

export type StopReason = 'time' | 'memory' | 'cancelled' | 'crashed' | 'busy' | 'closed';

/** What a thread tells its pool. */
export interface ThreadListener {
  receive(thread: Thread, message: WorkerMessage): void;
  /** It has ended by itself. */
  died(thread: Thread, reason: StopReason, cause: Error): void;
}

/** Memory for new objects: a thread keeps what it has once used, and with Node's default of 48 each keeps some 15 more. */
const YOUNG_MEBIBYTES = 12;

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

  constructor(engine: string | undefined, memoryMebibytes: number, listener: ThreadListener) {
    const setup: WorkerSetup = { engine, memoryMebibytes, place: this.place };
    this.worker = new Worker(new URL('./worker.js', import.meta.url), {
      workerData: setup,
      resourceLimits: { maxOldGenerationSizeMb: memoryMebibytes, maxYoungGenerationSizeMb: YOUNG_MEBIBYTES },
    });
    this.worker.on('message', (message: WorkerMessage) => listener.receive(this, message));
    this.worker.on('error', (error: Error & { code?: string }) => {
      listener.died(this, error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'crashed', error);
    });
    this.worker.on('exit', (code) => listener.died(this, 'crashed', new Error(`the thread ended with code ${code}`)));
  }

  post(jobs: readonly Job[]): void {
    Atomics.store(this.place, 0, 0);
    this.worker.postMessage(jobs.map((job) => this.sender.shorten(job)));
  }

  /** Index of the job, among those posted last, that it does now. */
  get at(): number {
    return Atomics.load(this.place, 0);
  }

  async terminate(): Promise<void> {
    await this.worker.terminate();
  }
}
