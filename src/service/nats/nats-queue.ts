import { setTimeout as pause } from 'node:timers/promises';
import { type Consumer, JetStreamApiError, type JsMsg } from '@nats-io/jetstream';
import { type KvWatchEntry, KvWatchInclude } from '@nats-io/kv';
import type { QueuedIterator, Subscription } from '@nats-io/transport-node';
import type { RunProgress } from '../../run/request.js';
import { JobStopped } from '../jobs/job-stopped.js';
import { attemptOf, readRecord } from '../jobs/operation-record.js';
import { deferred } from '../queue/deferred.js';
import type { ChainFollower, ChainResult, ChainTask, Lease, Queue } from '../queue/queue.js';
import { isIdentifier } from '../store/identifiers.js';
import { asLoss, inNats } from './away.js';
import type { Cluster } from './cluster.js';
import { type ProgressMessage, readProgress, readResult } from './messages.js';
import { Values } from './values.js';

/** Milliseconds for which the server is asked for a chain at a time. */
const PULL_TIME = 30_000;
/** Milliseconds after which one that could not be asked is asked again. */
const PAUSE = 1000;
/** Of JetStream: there is a message of this subject already. */
const SUBJECT_TAKEN = 10077;

interface Asked {
  readonly operation: string;
  readonly followers: ChainFollower[];
  readonly ended: Promise<ChainResult>;
  readonly resolve: (result: ChainResult) => void;
  readonly reject: (reason: JobStopped) => void;
}

/**
 * The queue of a cluster. A chain is a message of a work queue; it tells which record has to be read. What became of a chain is kept
 * until its operation is removed: whoever goes on with the operation finds it.
 */
export class NatsQueue implements Queue {
  readonly leaseTime: number;
  private readonly cluster: Cluster;
  private readonly results: Values;
  private readonly ends: QueuedIterator<KvWatchEntry>;
  private readonly readRunning: (operation: string) => Promise<string | undefined>;
  /** What this process waits for, by key. */
  private readonly asked = new Map<string, Asked>();
  private readonly leases = new Set<NatsLease>();
  private readonly subscriptions: readonly Subscription[];
  private readonly consumer: Promise<Consumer>;
  private readonly closing = deferred<undefined>();
  private isClosed = false;

  private constructor(
    cluster: Cluster,
    readRunning: (operation: string) => Promise<string | undefined>,
    ends: QueuedIterator<KvWatchEntry>,
  ) {
    const { prefix, results, files, leaseTime, jobs } = cluster;
    this.cluster = cluster;
    this.leaseTime = leaseTime;
    this.results = new Values(results, files);
    this.ends = ends;
    this.readRunning = readRunning;
    this.consumer = cluster.jetstream.consumers.get(jobs.stream, jobs.consumer);
    this.subscriptions = [
      this.listen(`${prefix}.progress.`, (key, text) => this.tell(key, readProgress(text))),
      this.listen(`${prefix}.removed.`, (operation) => this.forget(operation)),
    ];
    void this.watch();
  }

  /** `readRunning` reads the record of an operation that has not ended. */
  static async open(
    cluster: Cluster,
    readRunning: (operation: string) => Promise<string | undefined>,
  ): Promise<NatsQueue> {
    const ends = await cluster.results.watch({ include: KvWatchInclude.UpdatesOnly });
    const queue = new NatsQueue(cluster, readRunning, ends);
    await queue.consumer;
    await cluster.connection.flush();
    return queue;
  }

  async run(task: ChainTask, follower: ChainFollower): Promise<ChainResult> {
    const key = keyOf(task);
    const known = this.asked.get(key);
    known?.followers.push(follower);
    if (known !== undefined) return known.ended;
    if (this.isClosed) throw new JobStopped('closed');
    const asked = askedBy(task.record.id, follower);
    this.asked.set(key, asked);
    try {
      if (!(await this.conclude(key))) await this.add(key);
      // It may have ended between the two.
      await this.conclude(key);
    } catch (error) {
      this.asked.delete(key);
      throw error;
    }
    return asked.ended;
  }

  async take(): Promise<Lease | undefined> {
    while (!this.isClosed) {
      const message = await this.next();
      const task = message && (await this.taskOf(message));
      if (message === undefined || task === undefined) continue;
      const lease = new NatsLease(this.cluster, this.results, message, task, () => this.leases.delete(lease));
      this.leases.add(lease);
      return lease;
    }
    return undefined;
  }

  async remove(operation: string): Promise<void> {
    const { connection, manager, jobs, prefix } = this.cluster;
    this.forget(operation);
    await inNats(manager.streams.purge(jobs.stream, { filter: `${prefix}.jobs.${operation}.>` }));
    connection.publish(`${prefix}.removed.${operation}`);
    for await (const { key } of this.results.entries(`${operation}.>`)) await this.results.remove(key);
  }

  /** Others run what this process leaves. */
  drain(): void {}

  async close(): Promise<void> {
    this.isClosed = true;
    this.closing.resolve(undefined);
    this.ends.stop();
    for (const subscription of this.subscriptions) subscription.unsubscribe();
    for (const { reject } of this.asked.values()) reject(new JobStopped('closed'));
    this.asked.clear();
  }

  /** Calls back with what stands behind the beginning of a subject, and with the text of each message. */
  private listen(subject: string, receive: (rest: string, text: string) => void): Subscription {
    return this.cluster.connection.subscribe(`${subject}>`, {
      callback: (error, message) => {
        if (error === null) receive(message.subject.slice(subject.length), message.string());
      },
    });
  }

  private async watch(): Promise<void> {
    for await (const { key } of this.ends) {
      // What cannot be read now is looked for again when somebody else asks for it.
      if (this.asked.has(key)) await this.conclude(key).catch(() => undefined);
    }
  }

  /** Tells who waits what became of a chain, if it has ended. */
  private async conclude(key: string): Promise<boolean> {
    const text = await this.results.get(key);
    if (text === undefined) return false;
    const result = readResult(text) ?? { kind: 'fault', report: `the result ${key} has another form` };
    this.asked.get(key)?.resolve(result);
    return true;
  }

  private async add(key: string): Promise<void> {
    const { jetstream, prefix } = this.cluster;
    try {
      await jetstream.publish(`${prefix}.jobs.${key}`);
    } catch (error) {
      const isThere = error instanceof JetStreamApiError && error.code === SUBJECT_TAKEN;
      if (!isThere) throw asLoss(error);
    }
  }

  /** The next message, of which there may be none for a while. */
  private async next(): Promise<JsMsg | undefined> {
    try {
      const pulling = (await this.consumer).next({ expires: PULL_TIME });
      const message = await Promise.race([pulling, this.closing.promise]);
      if (this.isClosed) pulling.then((late) => late?.nak()).catch(() => undefined);
      return this.isClosed ? undefined : (message ?? undefined);
    } catch {
      await Promise.race([pause(PAUSE, undefined, { ref: false }), this.closing.promise]);
      return undefined;
    }
  }

  /** Undefined when there is nothing to be done: its operation is over, or it has ended already. */
  private async taskOf(message: JsMsg): Promise<ChainTask | undefined> {
    try {
      const key = message.subject.slice(`${this.cluster.prefix}.jobs.`.length);
      const [id = '', , index = ''] = key.split('.');
      const text = isIdentifier(id) ? await this.readRunning(id) : undefined;
      const record = text === undefined ? undefined : readRecord(text);
      const task = record && { record, index: Number(index) };
      const isWanted = task?.record.chains[task.index] !== undefined && keyOf(task) === key;
      if (isWanted && (await this.results.entry(key)) === undefined) return task;
      message.ack();
    } catch {
      message.nak(PAUSE);
    }
    return undefined;
  }

  private tell(key: string, message: ProgressMessage | undefined): void {
    for (const { onStart, onProgress } of this.asked.get(key)?.followers ?? []) {
      if (message?.kind === 'begun') onStart?.();
      if (message?.kind === 'progress') onProgress?.(message.progress);
    }
  }

  /** Who waits for chains of an operation, here or elsewhere, is told that it is over, and who runs them. */
  private forget(operation: string): void {
    for (const [key, asked] of this.asked) {
      if (asked.operation !== operation) continue;
      this.asked.delete(key);
      asked.reject(new JobStopped('cancelled'));
    }
    for (const lease of this.leases) if (lease.task.record.id === operation) lease.revoke();
  }
}

/** The operation, which of the times that it was asked for, and the chain's place. */
function keyOf({ record, index }: ChainTask): string {
  return `${attemptOf(record)}.${index}`;
}

function askedBy(operation: string, follower: ChainFollower): Asked {
  const { promise: ended, resolve, reject } = deferred<ChainResult>();
  // It may be rejected before anybody waits for it.
  ended.catch(() => undefined);
  return { operation, followers: [follower], ended, resolve, reject };
}

class NatsLease implements Lease {
  readonly task: ChainTask;
  private readonly cluster: Cluster;
  private readonly results: Values;
  private readonly message: JsMsg;
  private readonly onEnd: () => void;
  private readonly controller = new AbortController();
  private hasEnded = false;
  /** On the clock of `performance.now`. */
  private deadline = Number.POSITIVE_INFINITY;
  private timer: NodeJS.Timeout | undefined;

  constructor(cluster: Cluster, results: Values, message: JsMsg, task: ChainTask, onEnd: () => void) {
    this.cluster = cluster;
    this.results = results;
    this.message = message;
    this.task = task;
    this.onEnd = onEnd;
    this.restart(performance.now());
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  begin(): void {
    this.tell({ kind: 'begun' });
  }

  report(progress: RunProgress): void {
    this.tell({ kind: 'progress', progress });
  }

  async extend(): Promise<boolean> {
    if (this.isOver()) return false;
    const now = performance.now();
    this.message.working();
    await this.cluster.connection.flush();
    if (this.isOver()) return false;
    this.restart(now);
    return true;
  }

  async acknowledge(result: ChainResult): Promise<boolean> {
    if (this.isOver()) return false;
    const isFirst = await this.results.create(keyOf(this.task), JSON.stringify(result));
    this.end();
    this.message.ack();
    return isFirst;
  }

  async giveBack(): Promise<void> {
    if (this.isOver()) return;
    this.end();
    this.message.nak();
  }

  /** Ends it because it has run out, or the chain is not wanted any more. */
  revoke(): void {
    if (this.hasEnded) return;
    this.end();
    this.controller.abort();
  }

  private tell(message: ProgressMessage): void {
    if (this.isOver()) return;
    this.cluster.connection.publish(`${this.cluster.prefix}.progress.${keyOf(this.task)}`, JSON.stringify(message));
  }

  /** Looks at the clock, too: a process that was stopped for a while has not been told of its timers. */
  private isOver(): boolean {
    if (performance.now() > this.deadline) this.revoke();
    return this.hasEnded;
  }

  private restart(from: number): void {
    clearTimeout(this.timer);
    this.deadline = from + this.cluster.leaseTime;
    this.timer = setTimeout(() => this.revoke(), this.deadline - performance.now());
  }

  private end(): void {
    this.hasEnded = true;
    clearTimeout(this.timer);
    this.onEnd();
  }
}
