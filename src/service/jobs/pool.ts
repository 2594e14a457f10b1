/**
 * Worker threads that live long and can be killed.
 *
 * A program that never ends can only be stopped by ending its thread. So a pool here owns its threads: one job a
 * thread at a time, a thread that is stopped or dies is replaced when the next job needs it. The usual pool libraries
 * share a thread among several tasks or leave stopping to the task, which a stranger's program will not do.
 */
import { Worker } from 'node:worker_threads';
import { FairQueue } from './fair-queue.js';
import type { ChainProgress, Job, JobResult, WorkerMessage, WorkerSetup } from './protocol.js';

export type StopReason = 'time' | 'memory' | 'cancelled' | 'crashed' | 'busy' | 'closed';

/** A job that did not come to its end. */
export class JobStopped extends Error {
  override readonly name = 'JobStopped';
  readonly reason: StopReason;
  constructor(reason: StopReason, cause?: unknown) {
    super(`the job was stopped: ${reason}`, { cause });
    this.reason = reason;
  }
}

export interface PoolOptions {
  /** Most threads that live at once; they are started when needed. */
  readonly size: number;
  readonly engine: string;
  readonly memoryMebibytes: number;
  /** Most jobs that wait for a thread; one more is stopped as `busy`. No limit unless given. */
  readonly maximumWaiting?: number;
  /** Most threads that the jobs of one share hold at once. As many live on when there is nothing to do. All unless given. */
  readonly maximumShare?: number;
  /** Whether a thread is always ready for a job of another share. */
  readonly spare?: boolean;
}

export interface JobOptions {
  /** Milliseconds from the moment a thread begins with the job. */
  readonly timeLimit?: number;
  /** Milliseconds until a thread must have been found for the job; then it is given up as `busy`. */
  readonly waitLimit?: number;
  /** Jobs of one share, such as the chains of a fit, wait for each other rather than for those of other shares. */
  readonly share?: string;
  readonly signal?: AbortSignal;
  /** Called when a thread begins with the job. */
  readonly onStart?: () => void;
  readonly onProgress?: (progress: ChainProgress) => void;
}

export interface PoolStatistics {
  readonly alive: number;
  readonly busy: number;
  readonly waiting: number;
  /** Threads that were stopped or died, since the start. */
  readonly replaced: number;
}

interface Task {
  readonly job: Job;
  readonly share: string;
  readonly options: JobOptions;
  readonly resolve: (result: JobResult) => void;
  readonly reject: (reason: JobStopped) => void;
  timer: NodeJS.Timeout | undefined;
}

/** Milliseconds for which a thread beyond those that live on may have nothing to do. */
const IDLE_LIMIT = 30_000;
/** Milliseconds in which a new thread must be ready when a job that may wait only so long needs it. */
const STARTUP_LIMIT = 30_000;

export class WorkerPool {
  private readonly options: PoolOptions;
  private readonly idle: Worker[] = [];
  private readonly busy = new Map<Worker, Task>();
  private readonly waiting: FairQueue<Task>;
  /** The share whose job a thread did last: it may have something in memory for the next one. */
  private readonly lastShare = new WeakMap<Worker, string>();
  /** Threads that have loaded their code. Others are not ended: Node would leave the files open that they read. */
  private readonly ready = new WeakSet<Worker>();
  private replaced = 0;
  private dismissing = false;
  private closed = false;

  constructor(options: PoolOptions) {
    this.options = options;
    this.waiting = new FairQueue(options.maximumShare);
  }

  /** Has a job done by the next free thread. Rejects with `JobStopped` alone. */
  run(job: Job, options: JobOptions = {}): Promise<JobResult> {
    return new Promise((resolve, reject) => {
      const { share = '', signal, waitLimit } = options;
      const task: Task = { job, share, options, resolve, reject, timer: undefined };
      const full = this.waiting.length >= (this.options.maximumWaiting ?? Number.POSITIVE_INFINITY);
      const isClosed = this.closed || (this.dismissing && this.waiting.heldBy(share) === 0);
      if (isClosed || signal?.aborted) return reject(new JobStopped(isClosed ? 'closed' : 'cancelled'));
      if (full) return reject(new JobStopped('busy'));
      signal?.addEventListener('abort', () => this.giveUp(task, 'cancelled'), { once: true });
      this.setTimer(task, waitLimit, () => this.giveUp(task, 'busy'));
      this.waiting.add(share, task);
      this.dispatch();
    });
  }

  /** Starts one thread ahead of the next job, unless one has nothing to do. */
  warm(): void {
    if (this.idle.length === 0 && this.busy.size < this.options.size) this.idle.push(this.spawn());
  }

  /** Jobs that could begin at once. */
  get free(): number {
    return this.options.size - this.busy.size;
  }

  statistics(): PoolStatistics {
    const { idle, busy, waiting, replaced } = this;
    return { alive: idle.length + busy.size, busy: busy.size, waiting: waiting.length, replaced };
  }

  /** From now on does only jobs whose share has one that runs; the others are stopped as `closed`. */
  dismissWaiting(): void {
    this.dismissing = true;
    for (const task of [...this.waiting]) if (this.waiting.heldBy(task.share) === 0) this.giveUp(task, 'closed');
  }

  /** Ends every thread; jobs that run or wait are stopped as `closed`. */
  async close(): Promise<void> {
    this.closed = true;
    for (const task of [...this.waiting]) this.giveUp(task, 'closed');
    const workers = [...this.idle.splice(0), ...this.busy.keys()];
    for (const worker of this.busy.keys()) this.stop(worker, 'closed');
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  private dispatch(): void {
    while (this.waiting.length > 0 && this.free > 0) {
      const task = this.waiting.take();
      if (task === undefined) return;
      this.start(this.takeIdle(task.share) ?? this.spawn(), task);
      if (this.options.spare) this.warm();
    }
  }

  /** The idle thread that has worked for this share last, or any. */
  private takeIdle(share: string): Worker | undefined {
    const place = this.idle.findLastIndex((worker) => this.lastShare.get(worker) === share);
    return place < 0 ? this.idle.pop() : this.idle.splice(place, 1)[0];
  }

  private start(worker: Worker, task: Task): void {
    this.busy.set(worker, task);
    const isNew = !this.lastShare.has(worker);
    this.lastShare.set(worker, task.share);
    if (isNew && task.options.waitLimit !== undefined) {
      this.setTimer(task, STARTUP_LIMIT, () => this.giveUp(task, 'busy'));
    }
    if (this.ready.has(worker)) worker.postMessage(task.job);
  }

  private setTimer(task: Task, limit: number | undefined, expire: () => void): void {
    clearTimeout(task.timer);
    task.timer = limit === undefined ? undefined : setTimeout(expire, limit);
  }

  private spawn(): Worker {
    const { engine, memoryMebibytes } = this.options;
    const setup: WorkerSetup = { engine, memoryMebibytes };
    const worker = new Worker(new URL('./worker.js', import.meta.url), {
      workerData: setup,
      resourceLimits: { maxOldGenerationSizeMb: memoryMebibytes },
    });
    worker.on('message', (message: WorkerMessage) => this.receive(worker, message));
    worker.on('error', (error: Error & { code?: string }) => {
      this.stop(worker, error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'crashed', error);
    });
    worker.on('exit', (code) => this.stop(worker, 'crashed', new Error(`the thread ended with code ${code}`)));
    return worker;
  }

  private receive(worker: Worker, message: WorkerMessage): void {
    const task = this.busy.get(worker);
    if (message.type === 'ready') this.ready.add(worker);
    if (task === undefined) return;
    switch (message.type) {
      case 'ready':
        worker.postMessage(task.job);
        break;
      case 'started':
        this.setTimer(task, task.options.timeLimit, () => this.stop(worker, 'time'));
        task.options.onStart?.();
        break;
      case 'progress':
        task.options.onProgress?.(message.progress);
        break;
      case 'result':
        clearTimeout(task.timer);
        this.busy.delete(worker);
        this.waiting.release(task.share);
        this.rest(worker);
        task.resolve(message.result);
        this.dispatch();
        break;
    }
  }

  /** Keeps a thread for the next job; after a while, ends those that are more than need to live on. */
  private rest(worker: Worker): void {
    this.idle.push(worker);
    const lasting = this.options.maximumShare ?? this.options.size;
    if (this.idle.length + this.busy.size <= lasting) return;
    setTimeout(() => {
      const place = this.idle.findIndex((idle) => this.ready.has(idle));
      if (place >= 0 && this.idle.length + this.busy.size > lasting) void this.idle.splice(place, 1)[0].terminate();
    }, IDLE_LIMIT).unref();
  }

  /** Ends a job, whether it waits or runs. */
  private giveUp(task: Task, reason: StopReason): void {
    if (this.waiting.remove(task.share, task)) {
      clearTimeout(task.timer);
      task.reject(new JobStopped(reason));
    }
    for (const [worker, running] of this.busy) {
      if (running !== task) continue;
      if (this.ready.has(worker)) this.stop(worker, reason);
      else this.spare(worker, reason);
    }
  }

  /** Gives up the job of a thread that has not begun with it. */
  private spare(worker: Worker, reason: StopReason): void {
    const task = this.busy.get(worker);
    if (task === undefined) return;
    clearTimeout(task.timer);
    this.busy.delete(worker);
    this.waiting.release(task.share);
    this.rest(worker);
    task.reject(new JobStopped(reason));
    this.dispatch();
  }

  /** Ends a thread and gives up its job. */
  private stop(worker: Worker, reason: StopReason, cause?: unknown): void {
    const place = this.idle.indexOf(worker);
    if (place >= 0) this.idle.splice(place, 1);
    const task = this.busy.get(worker);
    this.busy.delete(worker);
    void worker.terminate();
    if (place >= 0 || task !== undefined) this.replaced++;
    if (task === undefined) return;
    clearTimeout(task.timer);
    this.waiting.release(task.share);
    task.reject(new JobStopped(reason, cause));
    if (this.closed) return;
    this.dispatch();
    this.warm();
  }
}
