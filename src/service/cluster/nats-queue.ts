import { setTimeout as pause } from 'node:timers/promises';
import { nuid, type Subscription } from '@nats-io/transport-node';
import { blockOf, isLastBlock, passedResult, storedBlocks } from '../queue/blocks.js';
import { deferred } from '../queue/deferred.js';
import type { ChainBlock, ChainFollower, ChainResult, ChainTask, Lease, OthersChains, Queue } from '../queue/queue.js';
import type { FitInTheMaking } from '../queue/watched-journals.js';
import { isIdentifier } from '../store/identifiers.js';
import { planOf } from '../store/operation-plan.js';
import { attemptOf, type ChainRecord, type OperationRecord, readRecord } from '../store/operation-record.js';
import { JobStopped, type StopReason } from '../threads/job-stopped.js';
import { type BoardEntry, ChainBoard } from './chain-board.js';
import type { Cluster } from './cluster.js';
import { Holding } from './holding.js';
import { JournalMirror, type MirrorParts } from './journal-mirror.js';
import { journalSubject, requestJournal, serveJournal } from './journal-service.js';
import { readReport } from './messages.js';
import { type LeaseChannel, NatsLease, textOfState, waitingText } from './nats-lease.js';
import type { NatsOperations } from './nats-operations.js';
import type { NatsStore } from './nats-store.js';
import { Values } from './values.js';
import type { WatchedBucket } from './watched-bucket.js';

/** Milliseconds before retrying a failed request. */
const PAUSE = 1000;
/** Number of checks for expired leases within a lease. */
const LOOKS = 4;

interface RequestedChain {
  readonly operation: string;
  readonly block: ChainBlock | undefined;
  readonly followers: ChainFollower[];
  readonly ended: Promise<ChainResult>;
  readonly resolve: (result: ChainResult) => void;
  readonly reject: (reason: JobStopped) => void;
  /** The process that has started the chain last, as reported to clients. */
  owner: string;
  progress: string | undefined;
}

/**
 * The queue of a cluster. Each chain has a key whose value is its state: waiting, the process that runs it, or its
 * result. Every process mirrors all states. A result remains until the operation is removed, for a process that takes
 * over the operation.
 */
export class NatsQueue implements Queue, OthersChains {
  readonly leaseTime: number;
  readonly others: OthersChains = this;
  private readonly cluster: Cluster;
  private readonly values: Values;
  private readonly bucket: WatchedBucket;
  private readonly board: ChainBoard;
  private readonly operations: NatsOperations;
  private readonly mirrorParts: MirrorParts;
  /** Fits that clients of this process follow, by attempt. */
  private readonly mirrors = new Map<string, { readonly mirror: JournalMirror; followers: number }>();
  /** Chains whose results this process waits for, by key. */
  private readonly requested = new Map<string, RequestedChain>();
  private readonly leases = new Map<string, NatsLease>();
  /** Chains that this process is taking or has just taken, with their previous revisions. */
  private readonly taking = new Map<string, number>();
  private readonly subscriptions: readonly Subscription[];
  private readonly closing = deferred<undefined>();
  private isClosed = false;

  /** `bucket` contains the chains. */
  constructor(cluster: Cluster, bucket: WatchedBucket, { fits, operations }: Pick<NatsStore, 'fits' | 'operations'>) {
    const { prefix, leaseTime } = cluster;
    this.cluster = cluster;
    this.leaseTime = leaseTime;
    this.bucket = bucket;
    this.values = new Values(cluster, 'chains');
    this.board = new ChainBoard(bucket, this.values, leaseTime);
    this.board.onChange((key) => this.note(key));
    this.operations = operations;
    this.mirrorParts = {
      board: this.board,
      fits,
      ask: (key, owner, from) => requestJournal(cluster.connection, journalSubject(prefix, key, owner), from),
      isUnfinished: async ({ id, created }) => {
        const text = await operations.read('running', id);
        return text !== undefined && readRecord(text)?.created === created;
      },
    };
    this.subscriptions = [
      this.listen(`${prefix}.progress.`, (key, text) => {
        const report = readReport(text);
        if (report !== undefined) this.board.report(key, report);
      }),
      this.listen(`${prefix}.cancelled.`, (operation) => this.forget(operation, 'cancelled')),
    ];
  }

  async announce(record: OperationRecord): Promise<void> {
    const block: ChainBlock | undefined = planOf(record).blocks && { index: 0 };
    const text = waitingText(block);
    await Promise.all(record.chains.map((_, index) => this.values.create(keyOf({ record, index }), text)));
  }

  async run(task: ChainTask, follower: ChainFollower): Promise<ChainResult> {
    const key = keyOf(task);
    const known = this.requested.get(key);
    const ahead = known === undefined ? -1 : blockOf(known) - blockOf(task);
    if (known !== undefined && ahead > 0) return passedResult(known, ahead);
    if (known !== undefined && ahead === 0) {
      known.followers.push(follower);
      return known.ended;
    }
    if (this.isClosed) throw new JobStopped('closed');
    const requested = requestedBy(task, follower);
    this.requested.set(key, requested);
    try {
      await this.add(key, requested);
    } catch (error) {
      this.requested.delete(key);
      throw error;
    }
    return requested.ended;
  }

  async take(): Promise<Lease | undefined> {
    while (!this.isClosed) {
      const entry = this.board.next(new Set(this.taking.keys()));
      if (entry === undefined) {
        const look = pause(this.leaseTime / LOOKS, undefined, { ref: false });
        await Promise.race([this.board.nextChange, look, this.closing.promise]);
        continue;
      }
      const lease = await this.tryToTake(entry);
      if (lease !== undefined && this.isClosed) await lease.release().catch(() => undefined);
      else if (lease !== undefined) return lease;
    }
    return undefined;
  }

  async remove(operation: string): Promise<void> {
    this.forget(operation, 'cancelled');
    await this.bucket.catchUp();
    await Promise.all(this.board.keysOf(operation).map((key) => this.values.clear(key)));
  }

  cancel(operation: string): void {
    this.forget(operation, 'cancelled');
    this.cluster.connection.publish(`${this.cluster.prefix}.cancelled.${operation}`);
  }

  /** Stops waiting for an operation that another process completes. */
  leave(operation: string): void {
    this.forget(operation, 'closed');
  }

  statesOf(record: OperationRecord): readonly Partial<ChainRecord>[] {
    return record.chains.map((_, index) => stateOf(this.board.get(keyOf({ record, index }))));
  }

  follow(record: OperationRecord): FitInTheMaking {
    const attempt = attemptOf(record);
    const shared = this.mirrors.get(attempt) ?? { mirror: new JournalMirror(this.mirrorParts, record), followers: 0 };
    this.mirrors.set(attempt, shared);
    shared.followers++;
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      if (--shared.followers > 0) return;
      this.mirrors.delete(attempt);
      shared.mirror.close().catch(() => undefined);
    };
    return { ...shared.mirror.fit, release };
  }

  waiting(): number {
    return this.board.waiting;
  }

  chains(): { readonly waiting: number; readonly running: number } {
    return this.board.chains;
  }

  placeOf({ id, created }: OperationRecord): number | undefined {
    return this.board.placeOf(id, Date.parse(created));
  }

  catchUp(): Promise<void> {
    return this.bucket.catchUp();
  }

  /** Nothing to do, because other processes run the remaining chains. */
  drain(): void {}

  async close(): Promise<void> {
    this.isClosed = true;
    this.closing.resolve(undefined);
    for (const subscription of this.subscriptions) subscription.unsubscribe();
    for (const { reject } of this.requested.values()) reject(new JobStopped('closed'));
    this.requested.clear();
    for (const { mirror } of this.mirrors.values()) void mirror.close().catch(() => undefined);
  }

  /** Calls the function with the end of each message's subject, after `subject`, and with the message's text. */
  private listen(subject: string, receive: (rest: string, text: string) => void): Subscription {
    return this.cluster.connection.subscribe(`${subject}>`, {
      callback: (error, message) => {
        if (error === null) receive(message.subject.slice(subject.length), message.string());
      },
    });
  }

  /** Adds a chain or its next block to the queue, unless the queue already has it. */
  private async add(key: string, requested: RequestedChain): Promise<void> {
    if ((await this.values.create(key, waitingText(requested.block))) !== undefined) return;
    for (;;) {
      const entry = await this.board.look(key);
      if (entry === undefined) return;
      const { block, progress, kind } = entry.state;
      if (kind !== 'ended' || blockOf({ block }) >= blockOf(requested)) return notify(requested, entry);
      const next = waitingText(requested.block, progress);
      if ((await this.values.update(key, next, entry.revision)) !== undefined) return;
    }
  }

  /** Undefined if another process has claimed the chain, or the chain need not run. */
  private async tryToTake(entry: BoardEntry): Promise<NatsLease | undefined> {
    const { key, revision } = entry;
    const owner = nuid.next();
    this.taking.set(key, revision);
    try {
      const { block, progress } = entry.state;
      const taken = { kind: 'taken', ...(block && { block }), ...(progress && { progress }) } as const;
      const holding = await Holding.take(this.values, key, owner, textOfState(owner, taken), revision);
      if (holding === undefined) return undefined;
      this.leases.get(key)?.revoke();
      const task = await this.taskOf(entry);
      if (task === undefined) {
        await holding.remove();
        return undefined;
      }
      const { connection, prefix } = this.cluster;
      const channel: LeaseChannel = {
        report: (report) => connection.publish(`${prefix}.progress.${key}`, JSON.stringify(report)),
        serveJournal: (path) => serveJournal(connection, journalSubject(prefix, key, owner), path),
      };
      const lease = new NatsLease(
        task,
        owner,
        holding,
        channel,
        () => {
          if (this.leases.get(key) === lease) this.leases.delete(key);
        },
        progress,
      );
      this.leases.set(key, lease);
      // The chain may have been removed by now.
      this.revokeIfLost(lease);
      return lease;
    } catch {
      await Promise.race([pause(PAUSE, undefined, { ref: false }), this.closing.promise]);
      this.taking.delete(key);
      return undefined;
    }
  }

  /** Undefined if its operation has ended. */
  private async taskOf({ key, operation, place, state }: BoardEntry): Promise<ChainTask | undefined> {
    const text = isIdentifier(operation) ? await this.operations.read('running', operation) : undefined;
    const record = text === undefined ? undefined : readRecord(text);
    if (record?.chains[place] === undefined) return undefined;
    const task = { record, index: place, ...(state.block && { block: state.block }) };
    return keyOf(task) === key ? task : undefined;
  }

  /** Handles a change of a chain's state. */
  private note(key: string): void {
    const entry = this.board.get(key);
    if (this.taking.get(key) !== entry?.revision) this.taking.delete(key);
    const lease = this.leases.get(key);
    if (lease !== undefined) this.revokeIfLost(lease);
    const requested = this.requested.get(key);
    if (requested === undefined) return;
    // A process that has not noticed the loss of the operation may have removed the chain, or run an earlier block
    // again.
    const isMissing =
      entry === undefined || (entry.state.kind === 'ended' && blockOf(entry.state) < blockOf(requested));
    if (isMissing) this.add(key, requested).catch(() => undefined);
    else notify(requested, entry);
  }

  private revokeIfLost(lease: NatsLease): void {
    const isKnown = !this.taking.has(lease.key);
    if (isKnown && this.board.get(lease.key)?.owner !== lease.owner) lease.revoke();
  }

  /** Rejects the promises of all callers that wait for chains of an operation. */
  private forget(operation: string, reason: StopReason): void {
    for (const [key, requested] of this.requested) {
      if (requested.operation !== operation) continue;
      this.requested.delete(key);
      requested.reject(new JobStopped(reason));
    }
  }
}

/** The key of a chain: operation, attempt and index. */
function keyOf({ record, index }: ChainTask): string {
  return `${attemptOf(record)}.${index}`;
}

function requestedBy({ block, record }: ChainTask, follower: ChainFollower): RequestedChain {
  const { promise: ended, resolve, reject } = deferred<ChainResult>();
  // The promise may be rejected before it is awaited.
  ended.catch(() => undefined);
  return { operation: record.id, block, followers: [follower], ended, resolve, reject, owner: '', progress: undefined };
}

/** Reports the progress of a chain to the caller that waits for it. */
function notify(requested: RequestedChain, { owner, state }: BoardEntry): void {
  const ahead = blockOf(state) - blockOf(requested);
  if (ahead > 0) requested.resolve(passedResult(state, ahead));
  if (ahead !== 0 || state.kind === 'waiting') return;
  const hasBegun = requested.owner !== owner;
  const progress = JSON.stringify(state.progress);
  const isFurther = hasBegun || requested.progress !== progress;
  Object.assign(requested, { owner, progress });
  for (const { onStart, onProgress } of requested.followers) {
    if (hasBegun) onStart?.();
    if (isFurther && state.progress !== undefined) onProgress?.(state.progress);
  }
  if (state.kind === 'ended') requested.resolve(state.result);
}

/** The fields of an operation's record for a chain in this state. */
function stateOf(entry: BoardEntry | undefined): Partial<ChainRecord> {
  const { block, kind } = entry?.state ?? { kind: 'waiting' };
  if (entry === undefined || (kind === 'waiting' && blockOf({ block }) === 0)) return {};
  const { gradients: _, ...counts } = entry.state.progress ?? { gradients: 0 };
  const hasFinished = entry.state.kind === 'ended' && entry.state.result.kind === 'finished';
  const progress = {
    ...counts,
    ...(block?.shortfall && { shortfall: block.shortfall }),
    ...(block && { blocks: storedBlocks(block, hasFinished) }),
  };
  if (entry.state.kind !== 'ended') return { ...progress, state: 'running' };
  const { result } = entry.state;
  const adaptation = result.kind === 'finished' ? result.adaptation : undefined;
  const state = isLastBlock(block) ? 'done' : 'running';
  return { ...progress, state, ...(adaptation !== undefined && { adaptation }) };
}
