/**
 * Worker threads that live long and can be killed.
 *
 * A program that never ends can only be stopped by ending its thread. So a pool here owns its threads: one job a
 * thread at a time, a thread that is stopped or dies is replaced when the next job needs it. The usual pool libraries
 * share a thread among several tasks or leave stopping to the task, which a stranger's program will not do.
 */
import { Worker } from 'node:worker_threads';
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
}

export interface JobOptions {
  /** Milliseconds from the moment a thread begins with the job. */
  readonly timeLimit?: number;
  /** Milliseconds that the job waits for a thread, and for a new thread to be ready, before it is given up as `busy`. */
  readonly waitLimit?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ChainProgress) => void;
}

interface Task {
  readonly job: Job;
  readonly options: JobOptions;
  readonly resolve: (result: JobResult) => void;
  readonly reject: (reason: JobStopped) => void;
  timer: NodeJS.Timeout | undefined;
}

export class WorkerPool {
  private readonly options: PoolOptions;
  private readonly idle: Worker[] = [];
  private readonly busy = new Map<Worker, Task>();
  private waiting: Task[] = [];
  private closed = false;

  constructor(options: PoolOptions) {
    this.options = options;
  }

  /** Has a job done by the next free thread. Rejects with `JobStopped` alone. */
  run(job: Job, options: JobOptions = {}): Promise<JobResult> {
    return new Promise((resolve, reject) => {
      const task: Task = { job, options, resolve, reject, timer: undefined };
      const full = this.waiting.length >= (this.options.maximumWaiting ?? Number.POSITIVE_INFINITY);
      if (this.closed || options.signal?.aborted) return reject(new JobStopped(this.closed ? 'closed' : 'cancelled'));
      if (full) return reject(new JobStopped('busy'));
      options.signal?.addEventListener('abort', () => this.cancel(task), { once: true });
      this.setTimer(task, options.waitLimit, () => this.drop(task, 'busy'));
      this.waiting.push(task);
      this.dispatch();
    });
  }

  /** Starts one thread ahead of the first job. */
  warm(): void {
    if (this.idle.length + this.busy.size === 0) this.idle.push(this.spawn());
  }

  /** Ends every thread; jobs that run or wait are stopped as `closed`. */
  async close(): Promise<void> {
    this.closed = true;
    for (const task of this.waiting) this.drop(task, 'closed');
    const workers = [...this.idle.splice(0), ...this.busy.keys()];
    for (const worker of this.busy.keys()) this.stop(worker, 'closed');
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  private dispatch(): void {
    while (this.waiting.length > 0) {
      const worker = this.idle.pop() ?? (this.busy.size < this.options.size ? this.spawn() : undefined);
      if (worker === undefined) return;
      const task = this.waiting.shift();
      if (task !== undefined) this.start(worker, task);
    }
  }

  private start(worker: Worker, task: Task): void {
    this.busy.set(worker, task);
    this.setTimer(task, task.options.waitLimit, () => this.stop(worker, 'busy'));
    worker.postMessage(task.job);
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
    worker.on('exit', () => this.stop(worker, 'crashed'));
    return worker;
  }

  private receive(worker: Worker, message: WorkerMessage): void {
    const task = this.busy.get(worker);
    if (task === undefined) return;
    switch (message.type) {
      case 'started':
        this.setTimer(task, task.options.timeLimit, () => this.stop(worker, 'time'));
        break;
      case 'progress':
        task.options.onProgress?.(message);
        break;
      case 'result':
        clearTimeout(task.timer);
        this.busy.delete(worker);
        this.idle.push(worker);
        task.resolve(message.result);
        this.dispatch();
        break;
    }
  }

  private cancel(task: Task): void {
    for (const [worker, running] of this.busy) {
      if (running === task) this.stop(worker, 'cancelled');
    }
    if (this.waiting.includes(task)) this.drop(task, 'cancelled');
  }

  /** Gives up a job that no thread has taken. */
  private drop(task: Task, reason: StopReason): void {
    clearTimeout(task.timer);
    this.waiting = this.waiting.filter((other) => other !== task);
    task.reject(new JobStopped(reason));
  }

  /** Ends a thread and gives up its job. */
  private stop(worker: Worker, reason: StopReason, cause?: unknown): void {
    const place = this.idle.indexOf(worker);
    if (place >= 0) this.idle.splice(place, 1);
    const task = this.busy.get(worker);
    this.busy.delete(worker);
    void worker.terminate();
    if (task === undefined) return;
    clearTimeout(task.timer);
    task.reject(new JobStopped(reason, cause));
    this.dispatch();
  }
}
