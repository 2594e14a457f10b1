/**
 * Long-lived worker threads that can be terminated.
 *
 * A program that never returns can only be stopped by terminating its thread. A pool therefore owns its threads: a thread runs one
 * job at a time, and a thread that was stopped or died is replaced when the next job needs it. Common pool libraries share a thread
 * among several tasks or leave stopping to the task, which an untrusted program will not do.
 */
import type { RunProgress } from '../../chain/request.js';
import { FairQueue } from './fair-queue.js';
import { JobStopped, type StopReason } from './job-stopped.js';
import type { Job, JobResult, WorkerMessage } from './protocol.js';
import { Thread, type ThreadListener, type ThreadOptions } from './thread.js';

export interface PoolOptions extends ThreadOptions {
  /** Maximum number of threads, which are started when needed. */
  readonly size: number;
  /** Maximum number of jobs that wait for a thread. Further jobs are stopped as `busy`. No limit by default. */
  readonly maximumWaiting?: number;
  /**
   * Maximum number of threads for the jobs of one share, which is also the number of idle threads that are kept. All
   * threads by default.
   */
  readonly maximumShare?: number;
  /** Whether a thread is always ready for a job of another share. */
  readonly spare?: boolean;
  /** Called when a thread waits for memory that other threads use. */
  readonly onShortage?: () => void;
}

export interface JobOptions {
  /** Milliseconds, from the moment a thread starts the job. */
  readonly timeLimit?: number;
  /**
   * Milliseconds to wait for a thread. After that, the job is stopped as `busy`, unless a suitable thread is being
   * started.
   */
  readonly waitLimit?: number;
  /** Jobs of one share, such as the chains of a fit, wait for each other rather than for jobs of other shares. */
  readonly share?: string;
  /** Clients get threads in turn. */
  readonly client?: string;
  /**
   * Whether the job is usually short and may run twice. Several such jobs of a share are sent to a thread in one
   * message.
   */
  readonly brief?: boolean;
  readonly signal?: AbortSignal;
  /** Called when a thread starts the job. */
  readonly onStart?: () => void;
  readonly onProgress?: (progress: RunProgress) => void;
}

export interface PoolStatistics {
  readonly alive: number;
  readonly busy: number;
  readonly waiting: number;
  /** Number of threads that were stopped or died since the start. */
  readonly replaced: number;
}

interface Task {
  readonly job: Job;
  readonly share: string;
  readonly client: string;
  readonly options: JobOptions;
  readonly resolve: (result: JobResult) => void;
  readonly reject: (reason: JobStopped) => void;
  /** Set while the task waits. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * The tasks that a thread has received in one message: one task, or several brief ones. Returned tasks are undefined.
 */
interface Batch {
  readonly share: string;
  readonly client: string;
  readonly tasks: (Task | undefined)[];
  readonly limit: NodeJS.Timeout | undefined;
  readonly patience: NodeJS.Timeout | undefined;
}

type FinishedJobs = Extract<WorkerMessage, { type: 'results' }>;

/** Milliseconds after which an idle thread is ended, unless it is one of those that are kept. */
const IDLE_LIMIT = 30_000;
/** Milliseconds, in addition to its wait limit, for which a job waits for a thread that is being started. */
const STARTUP_LIMIT = 30_000;
/** Target duration of the jobs of one message in milliseconds, and their maximum number. */
const BATCH_TIME = 1;
const BATCH_SIZE = 32;
/** Milliseconds after which tasks of a batch that have not started are assigned to other threads. */
const PATIENCE = 50;

export class WorkerPool implements ThreadListener {
  private readonly options: PoolOptions;
  /** Maximum number of threads. */
  private maximum: number;
  /**
   * Threads that are loading their code. They are not terminated, because Node would leave open the files that they
   * read.
   */
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
    this.maximum = options.size;
    this.waiting = new FairQueue(options.maximumShare);
  }

  /** Runs a job in the next free thread. Rejects only with `JobStopped`. */
  run(job: Job, options: JobOptions = {}): Promise<JobResult> {
    return new Promise((resolve, reject) => {
      const { client = '', share = '', signal } = options;
      const task: Task = { job, share, client, options, resolve, reject, timer: undefined };
      const isFull = !this.waiting.admits(client, this.options.maximumWaiting ?? Number.POSITIVE_INFINITY);
      if (this.closed || signal?.aborted) return reject(new JobStopped(this.closed ? 'closed' : 'cancelled'));
      if (isFull) return reject(new JobStopped('busy'));
      signal?.addEventListener('abort', () => this.giveUp(task, 'cancelled'), { once: true });
      this.limitWaiting(task);
      this.waiting.add(share, task, client);
      this.dispatching ??= setImmediate(() => this.dispatch());
    });
  }

  /** Starts one thread ahead of the next job, unless one is idle. */
  warm(): void {
    if (this.idle.length + this.starting.size === 0 && this.alive < this.maximum) this.spawn();
  }

  /** Maximum number of threads. */
  get size(): number {
    return this.maximum;
  }

  /** Raises the maximum number of threads, and starts those that waiting jobs need. */
  extend(size: number): void {
    if (size <= this.maximum) return;
    this.maximum = size;
    this.dispatch();
  }

  /** Number of further jobs that could start immediately. */
  get free(): number {
    return this.maximum - this.busy.size;
  }

  /** Makes every thread drop its idle models. */
  release(): void {
    for (const thread of [...this.idle, ...this.busy.keys()]) thread.release();
  }

  statistics(): PoolStatistics {
    const { alive, busy, waiting, replaced } = this;
    return { alive, busy: busy.size, waiting: waiting.length, replaced };
  }

  /** Ends every thread; running and waiting jobs are stopped as `closed`. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.trimming);
    for (const task of [...this.waiting]) this.giveUp(task, 'closed');
    // An idle thread exits on its own, so that it can store its compiled code for the next start.
    const idle = this.idle.splice(0).map((thread) => thread.end());
    const threads = [...this.starting, ...this.busy.keys()];
    this.starting.clear();
    for (const [thread, batch] of [...this.busy]) {
      for (const task of this.takeBack(thread, batch)) task.reject(new JobStopped('closed'));
      this.stop(thread, 'closed');
    }
    await Promise.all([...idle, ...threads.map((thread) => thread.terminate())]);
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
        this.finish(thread, message);
        break;
    }
  }

  died(thread: Thread, reason: StopReason, cause: Error): void {
    if (this.starting.delete(thread)) {
      // Without this, a job would repeatedly start a thread that always dies at its start.
      const task = this.waiting.take();
      if (task !== undefined) {
        this.waiting.release(task.share, task.client);
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

  /** Assigns waiting jobs to idle threads, and starts the threads that the remaining jobs need. */
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
    const missing = Math.min(this.waiting.takeable - this.starting.size, this.maximum - this.alive);
    for (let k = 0; k < missing; k++) this.spawn();
    if (this.options.spare && this.idle.length < rested) this.warm();
  }

  /** The idle thread that last worked for this share, or any idle thread. */
  private takeIdle(share: string): Thread {
    const place = this.idle.findLastIndex(({ lastShare }) => lastShare === share);
    const [thread] = this.idle.splice(place < 0 ? this.idle.length - 1 : place, 1);
    return thread;
  }

  private start(thread: Thread, first: Task): void {
    const { client, share, options } = first;
    if (thread.lastShare !== share) thread.pace = undefined;
    const tasks = [first];
    if (options.brief && thread.pace !== undefined) {
      const most = Math.min(BATCH_SIZE, Math.floor(BATCH_TIME / thread.pace));
      tasks.push(...this.waiting.takeAlong(share, most - 1, (task) => task.options.brief ?? false, client));
    }
    thread.lastShare = share;
    const batch: Batch = {
      share,
      client,
      tasks,
      limit: after(options.timeLimit, () => this.stop(thread, 'time')),
      patience: after(tasks.length > 1 ? PATIENCE : undefined, () => this.putBack(batch, this.takeBack(thread, batch))),
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

  private finish(thread: Thread, { isUnusable, milliseconds, results }: FinishedJobs): void {
    const batch = this.end(thread);
    if (batch === undefined) return;
    thread.pace = milliseconds / results.length;
    if (isUnusable) this.stop(thread, 'crashed');
    else this.rest(thread);
    for (const [index, result] of results.entries()) batch.tasks[index]?.resolve(result);
    this.putBack(
      batch,
      batch.tasks.slice(results.length).filter((task) => task !== undefined),
    );
    // A task references its result, and an outgrown hash table of `busy`, which only a full garbage collection frees,
    // may still reference the batch.
    batch.tasks.length = 0;
    this.dispatch();
  }

  /** Removes and returns the batch of a thread that no longer works on it. */
  private end(thread: Thread): Batch | undefined {
    const batch = this.busy.get(thread);
    if (batch === undefined) return undefined;
    this.busy.delete(thread);
    clearTimeout(batch.limit);
    clearTimeout(batch.patience);
    this.waiting.release(batch.share, batch.client);
    return batch;
  }

  /** Removes and returns the tasks of a batch other than the current one. */
  private takeBack(thread: Thread, { tasks }: Batch): Task[] {
    const { at } = thread;
    const others = tasks.filter((task, index) => task !== undefined && index !== at);
    tasks.fill(undefined, 0, at).fill(undefined, at + 1);
    return others.filter((task) => task !== undefined);
  }

  private putBack({ client, share }: Batch, tasks: readonly Task[]): void {
    for (const task of tasks) this.limitWaiting(task);
    this.waiting.putBack(share, tasks, client);
    this.dispatch();
  }

  /** Marks a thread as idle, for the next job. */
  private rest(thread: Thread): void {
    thread.idleSince = performance.now();
    this.idle.push(thread);
    this.trimming ??= setTimeout(() => this.trim(), IDLE_LIMIT).unref();
  }

  /** Ends threads that have been idle for a while, except those that are kept. */
  private trim(): void {
    const { maximumShare = this.maximum, spare } = this.options;
    const surplus = this.alive - maximumShare - (spare ? 1 : 0);
    const longAgo = performance.now() - IDLE_LIMIT;
    const unused = this.idle.filter(({ idleSince }) => idleSince < longAgo).slice(0, Math.max(0, surplus));
    for (const thread of unused) {
      this.idle.splice(this.idle.indexOf(thread), 1);
      void thread.terminate();
    }
    this.trimming = surplus > 0 ? setTimeout(() => this.trim(), IDLE_LIMIT).unref() : undefined;
  }

  /** Stops a waiting or running job. */
  private giveUp(task: Task, reason: StopReason): void {
    if (this.waiting.remove(task.share, task, task.client)) this.reject(task, reason);
    for (const [thread, { tasks }] of this.busy) if (tasks.includes(task)) this.stop(thread, reason);
  }

  private reject(task: Task, reason: StopReason, cause?: unknown): void {
    clearTimeout(task.timer);
    task.reject(new JobStopped(reason, cause));
  }

  /** Ends a thread and stops its current job. */
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
    this.putBack(batch, others);
    this.warm();
  }
}

function after(milliseconds: number | undefined, act: () => void): NodeJS.Timeout | undefined {
  return milliseconds === undefined ? undefined : setTimeout(act, milliseconds);
}
