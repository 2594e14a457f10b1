/**
 * Worker threads that live long and can be killed.
 *
 * A program that never ends can only be stopped by ending its thread. So a pool here owns its threads: one job a
 * thread at a time, a thread that is stopped or dies is replaced when the next job needs it. The usual pool libraries
 * share a thread among several tasks or leave stopping to the task, which a stranger's program will not do.
 */
import type { RunProgress } from '../../run/request.js';
import { FairQueue } from './fair-queue.js';
import { JobStopped, type StopReason } from './job-stopped.js';
import type { Job, JobResult, WorkerMessage } from './protocol.js';
import { Thread, type ThreadListener, type ThreadOptions } from './thread.js';

export interface PoolOptions extends ThreadOptions {
  /** Most threads that live at once; they are started when needed. */
  readonly size: number;
  /** Most jobs that wait for a thread; one more is stopped as `busy`. No limit unless given. */
  readonly maximumWaiting?: number;
  /** Most threads that the jobs of one share hold at once. As many live on when there is nothing to do. All unless given. */
  readonly maximumShare?: number;
  /** Whether a thread is always ready for a job of another share. */
  readonly spare?: boolean;
  /** Called when a thread waits for memory that others have. */
  readonly onShortage?: () => void;
}

export interface JobOptions {
  /** Milliseconds from the moment a thread begins with the job. */
  readonly timeLimit?: number;
  /**
   * Milliseconds until a thread must have been found for the job; then it is given up as `busy`. When one is being started that
   * could do it, it is waited for.
   */
  readonly waitLimit?: number;
  /** Jobs of one share, such as the chains of a fit, wait for each other rather than for those of other shares. */
  readonly share?: string;
  /** Whether the job is usually short and may be done twice: several of a share are sent to a thread in one message. */
  readonly brief?: boolean;
  readonly signal?: AbortSignal;
  /** Called when a thread begins with the job. */
  readonly onStart?: () => void;
  readonly onProgress?: (progress: RunProgress) => void;
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
  /** While it waits. */
  timer: NodeJS.Timeout | undefined;
}

/** The tasks that a thread received in one message: one, or several brief ones. Returned ones are undefined. */
interface Batch {
  readonly share: string;
  readonly tasks: (Task | undefined)[];
  readonly limit: NodeJS.Timeout | undefined;
  readonly patience: NodeJS.Timeout | undefined;
}

/** Milliseconds for which a thread beyond those that live on may have nothing to do. */
const IDLE_LIMIT = 30_000;
/** Milliseconds for which a job waits for a thread that is being started, beside those that it waits anyway. */
const STARTUP_LIMIT = 30_000;
/** Milliseconds that the jobs of one message should take together, and how many they may be. */
const BATCH_TIME = 1;
const BATCH_SIZE = 32;
/** Milliseconds after which other threads get what a batch has not come to. */
const PATIENCE = 50;

export class WorkerPool implements ThreadListener {
  private readonly options: PoolOptions;
  /** Threads that load their code. They are not ended: Node would leave the files open that they read. */
  private readonly starting = new Set<Thread>();
  private readonly idle: Thread[] = [];
  private readonly busy = new Map<Thread, Batch>();
  private readonly waiting: FairQueue<Task>;
  private replaced = 0;
  private dispatching: NodeJS.Immediate | undefined;
  private trimming: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(options: PoolOptions) {
    this.options = options;
    this.waiting = new FairQueue(options.maximumShare);
  }

  /** Has a job done by the next free thread. Rejects with `JobStopped` alone. */
  run(job: Job, options: JobOptions = {}): Promise<JobResult> {
    return new Promise((resolve, reject) => {
      const { share = '', signal } = options;
      const task: Task = { job, share, options, resolve, reject, timer: undefined };
      const full = this.waiting.length >= (this.options.maximumWaiting ?? Number.POSITIVE_INFINITY);
      if (this.closed || signal?.aborted) return reject(new JobStopped(this.closed ? 'closed' : 'cancelled'));
      if (full) return reject(new JobStopped('busy'));
      signal?.addEventListener('abort', () => this.giveUp(task, 'cancelled'), { once: true });
      this.limitWaiting(task);
      this.waiting.add(share, task);
      this.dispatching ??= setImmediate(() => this.dispatch());
    });
  }

  /** Starts one thread ahead of the next job, unless one has nothing to do. */
  warm(): void {
    if (this.idle.length + this.starting.size === 0 && this.alive < this.options.size) this.spawn();
  }

  /** Most threads that live at once. */
  get size(): number {
    return this.options.size;
  }

  /** Jobs that could begin at once. */
  get free(): number {
    return this.options.size - this.busy.size;
  }

  /** Has every thread drop the models that it keeps for later. */
  release(): void {
    for (const thread of [...this.idle, ...this.busy.keys()]) thread.release();
  }

  statistics(): PoolStatistics {
    const { alive, busy, waiting, replaced } = this;
    return { alive, busy: busy.size, waiting: waiting.length, replaced };
  }

  /** Ends every thread; jobs that run or wait are stopped as `closed`. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.trimming);
    for (const task of [...this.waiting]) this.giveUp(task, 'closed');
    const threads = [...this.starting, ...this.idle.splice(0), ...this.busy.keys()];
    this.starting.clear();
    for (const [thread, batch] of [...this.busy]) {
      for (const task of this.takeBack(thread, batch)) task.reject(new JobStopped('closed'));
      this.stop(thread, 'closed');
    }
    await Promise.all(threads.map((thread) => thread.terminate()));
  }

  receive(thread: Thread, message: WorkerMessage): void {
    switch (message.type) {
      case 'ready':
        if (!this.starting.delete(thread)) break;
        this.rest(thread);
        this.dispatch();
        break;
      case 'progress':
        this.busy.get(thread)?.tasks[0]?.options.onProgress?.(message.progress);
        break;
      case 'shortage':
        this.options.onShortage?.();
        break;
      case 'results':
        this.finish(thread, message.results, message.milliseconds);
        break;
    }
  }

  died(thread: Thread, reason: StopReason, cause: Error): void {
    if (this.starting.delete(thread)) {
      // Else a thread that always dies at its start would be started for a job again and again.
      const task = this.waiting.take();
      if (task !== undefined) {
        this.waiting.release(task.share);
        this.reject(task, reason, cause);
      }
      this.replaced++;
      this.dispatch();
    } else {
      this.stop(thread, reason, cause);
    }
  }

  private get alive(): number {
    return this.starting.size + this.idle.length + this.busy.size;
  }

  /** Gives waiting jobs to threads that have nothing to do, and starts as many threads as the others need. */
  private dispatch(): void {
    clearImmediate(this.dispatching);
    this.dispatching = undefined;
    if (this.closed) return;
    const rested = this.idle.length;
    while (this.idle.length > 0) {
      const task = this.waiting.take();
      if (task === undefined) break;
      this.start(this.takeIdle(task.share), task);
    }
    const missing = Math.min(this.waiting.takeable - this.starting.size, this.options.size - this.alive);
    for (let k = 0; k < missing; k++) this.spawn();
    if (this.options.spare && this.idle.length < rested) this.warm();
  }

  /** The idle thread that has worked for this share last, or any. */
  private takeIdle(share: string): Thread {
    const place = this.idle.findLastIndex(({ lastShare }) => lastShare === share);
    const [thread] = this.idle.splice(place < 0 ? this.idle.length - 1 : place, 1);
    return thread;
  }

  private start(thread: Thread, first: Task): void {
    const { share, options } = first;
    if (thread.lastShare !== share) thread.pace = undefined;
    const tasks = [first];
    if (options.brief && thread.pace !== undefined) {
      const most = Math.min(BATCH_SIZE, Math.floor(BATCH_TIME / thread.pace));
      tasks.push(...this.waiting.takeAlong(share, most - 1, (task) => task.options.brief ?? false));
    }
    thread.lastShare = share;
    const batch: Batch = {
      share,
      tasks,
      limit: after(options.timeLimit, () => this.stop(thread, 'time')),
      patience: after(tasks.length > 1 ? PATIENCE : undefined, () => this.putBack(share, this.takeBack(thread, batch))),
    };
    this.busy.set(thread, batch);
    thread.post(tasks.map(({ job }) => job));
    for (const task of tasks) {
      clearTimeout(task.timer);
      task.options.onStart?.();
    }
  }

  private limitWaiting(task: Task): void {
    task.timer = after(task.options.waitLimit, () => {
      const mayStart = this.starting.size > 0 && this.waiting.mayTake(task.share);
      if (mayStart) task.timer = after(STARTUP_LIMIT, () => this.giveUp(task, 'busy'));
      else this.giveUp(task, 'busy');
    });
  }

  private spawn(): void {
    this.starting.add(new Thread(this.options, this));
  }

  private finish(thread: Thread, results: readonly JobResult[], milliseconds: number): void {
    const batch = this.end(thread);
    if (batch === undefined) return;
    thread.pace = milliseconds / results.length;
    this.rest(thread);
    for (const [index, result] of results.entries()) batch.tasks[index]?.resolve(result);
    this.putBack(
      batch.share,
      batch.tasks.slice(results.length).filter((task) => task !== undefined),
    );
    // A task leads to its result, and a table that `busy` has outgrown, which only a full collection frees, may lead here.
    batch.tasks.length = 0;
    this.dispatch();
  }

  /** What a thread was doing, which it does no longer. */
  private end(thread: Thread): Batch | undefined {
    const batch = this.busy.get(thread);
    if (batch === undefined) return undefined;
    this.busy.delete(thread);
    clearTimeout(batch.limit);
    clearTimeout(batch.patience);
    this.waiting.release(batch.share);
    return batch;
  }

  /** The tasks of a batch apart from the one that the thread is at. */
  private takeBack(thread: Thread, { tasks }: Batch): Task[] {
    const { at } = thread;
    const others = tasks.filter((task, index) => task !== undefined && index !== at);
    tasks.fill(undefined, 0, at).fill(undefined, at + 1);
    return others.filter((task) => task !== undefined);
  }

  private putBack(share: string, tasks: readonly Task[]): void {
    for (const task of tasks) this.limitWaiting(task);
    this.waiting.putBack(share, tasks);
    this.dispatch();
  }

  /** Keeps a thread for the next job. */
  private rest(thread: Thread): void {
    thread.idleSince = performance.now();
    this.idle.push(thread);
    this.trimming ??= setTimeout(() => this.trim(), IDLE_LIMIT).unref();
  }

  /** Ends threads that have had nothing to do for a while, apart from those that live on. */
  private trim(): void {
    const { size, maximumShare = size, spare } = this.options;
    const surplus = this.alive - maximumShare - (spare ? 1 : 0);
    const longAgo = performance.now() - IDLE_LIMIT;
    const unused = this.idle.filter(({ idleSince }) => idleSince < longAgo).slice(0, Math.max(0, surplus));
    for (const thread of unused) {
      this.idle.splice(this.idle.indexOf(thread), 1);
      void thread.terminate();
    }
    this.trimming = surplus > 0 ? setTimeout(() => this.trim(), IDLE_LIMIT).unref() : undefined;
  }

  /** Ends a job, whether it waits or runs. */
  private giveUp(task: Task, reason: StopReason): void {
    if (this.waiting.remove(task.share, task)) this.reject(task, reason);
    for (const [thread, { tasks }] of this.busy) if (tasks.includes(task)) this.stop(thread, reason);
  }

  private reject(task: Task, reason: StopReason, cause?: unknown): void {
    clearTimeout(task.timer);
    task.reject(new JobStopped(reason, cause));
  }

  /** Ends a thread and gives up the job that it is at. */
  private stop(thread: Thread, reason: StopReason, cause?: unknown): void {
    void thread.terminate();
    const place = this.idle.indexOf(thread);
    if (place >= 0) this.idle.splice(place, 1);
    const batch = this.end(thread);
    if (place >= 0 || batch !== undefined) this.replaced++;
    if (batch === undefined) return;
    const others = this.takeBack(thread, batch);
    for (const task of batch.tasks) if (task !== undefined) this.reject(task, reason, cause);
    if (this.closed) return;
    this.putBack(batch.share, others);
    this.warm();
  }
}

function after(milliseconds: number | undefined, act: () => void): NodeJS.Timeout | undefined {
  return milliseconds === undefined ? undefined : setTimeout(act, milliseconds);
}
