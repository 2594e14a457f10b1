import type { RunProgress } from '../../chain/request.js';
import { currentClient } from '../store/client.js';
import { FairQueue } from '../threads/fair-queue.js';
import { JobStopped, type StopReason } from '../threads/job-stopped.js';
import { blockOf, passedResult } from './blocks.js';
import { deferred } from './deferred.js';
import type { ChainFollower, ChainResult, ChainTask, Lease, Queue } from './queue.js';

/** The queue of one process. Tasks and results are passed as objects. */
export class MemoryQueue implements Queue {
  readonly leaseTime: number | undefined;
  readonly others = undefined;
  /** Chains of each operation, by index. */
  private readonly operations = new Map<string, Map<number, QueuedChain>>();
  private readonly waiting = new FairQueue<QueuedChain>();
  /** Idle workers. */
  private readonly takers: ((lease: Lease | undefined) => void)[] = [];
  private isDraining = false;
  private isClosed = false;

  /** `leaseTime` is in milliseconds. */
  constructor(leaseTime?: number) {
    this.leaseTime = leaseTime;
  }

  /** Chains are queued when `run` is called. */
  async announce(): Promise<void> {}

  run(task: ChainTask, follower: ChainFollower): Promise<ChainResult> {
    const { id } = task.record;
    const chains = this.operations.get(id) ?? new Map<number, QueuedChain>();
    const known = chains.get(task.index);
    const ahead = known === undefined ? -1 : known.block - blockOf(task);
    if (known !== undefined && ahead > 0) return Promise.resolve(passedResult(known.task, ahead));
    if (known !== undefined && ahead === 0) return known.join(follower);
    const isBegun = blockOf(task) > 0 || this.waiting.heldBy(id) > 0;
    if (this.isClosed || (this.isDraining && !isBegun)) return Promise.reject(new JobStopped('closed'));
    const chain = new QueuedChain(task);
    this.operations.set(id, chains.set(task.index, chain));
    this.waiting.add(id, chain, chain.client);
    const ended = chain.join(follower);
    this.dispatch();
    return ended;
  }

  async take(): Promise<Lease | undefined> {
    if (this.isClosed) return undefined;
    return new Promise((resolve) => {
      this.takers.push(resolve);
      this.dispatch();
    });
  }

  async remove(operation: string): Promise<void> {
    for (const chain of this.operations.get(operation)?.values() ?? []) this.stop(chain, 'cancelled');
    this.operations.delete(operation);
  }

  cancel(operation: string): void {
    void this.remove(operation);
  }

  drain(): void {
    this.isDraining = true;
    for (const chain of [...this.waiting]) if (!this.hasBegun(chain)) this.stop(chain, 'closed');
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const chains of this.operations.values()) for (const chain of chains.values()) this.stop(chain, 'closed');
    this.operations.clear();
    for (const give of this.takers.splice(0)) give(undefined);
  }

  private dispatch(): void {
    while (this.takers.length > 0 && this.waiting.length > 0) {
      const chain = this.waiting.take();
      if (chain === undefined) return;
      chain.lease = new MemoryLease(chain, this.leaseTime, (isGivenBack) => this.release(chain, isGivenBack));
      this.takers.shift()?.(chain.lease);
    }
  }

  /** Called when a lease has ended. */
  private release(chain: QueuedChain, isGivenBack: boolean): void {
    chain.lease = undefined;
    this.waiting.release(chain.share, chain.client);
    if (!isGivenBack) return;
    if (this.isDraining && !this.hasBegun(chain)) {
      this.stop(chain, 'closed');
    } else {
      this.waiting.putBack(chain.share, [chain], chain.client);
      this.dispatch();
    }
  }

  private hasBegun({ block, share }: QueuedChain): boolean {
    return block > 0 || this.waiting.heldBy(share) > 0;
  }

  private stop(chain: QueuedChain, reason: StopReason): void {
    this.waiting.remove(chain.share, chain, chain.client);
    chain.stop(reason);
  }
}

/** A waiting, running or ended chain. */
class QueuedChain {
  readonly task: ChainTask;
  /** The client that has requested the operation; empty if an earlier server has accepted it. */
  readonly client = currentClient();
  readonly followers: ChainFollower[] = [];
  /** The lease of the worker that runs it. */
  lease: MemoryLease | undefined;
  private readonly ended = deferred<ChainResult>();

  constructor(task: ChainTask) {
    this.task = task;
  }

  get share(): string {
    return this.task.record.id;
  }

  get block(): number {
    return blockOf(this.task);
  }

  join(follower: ChainFollower): Promise<ChainResult> {
    this.followers.push(follower);
    return this.ended.promise;
  }

  end(result: ChainResult): void {
    this.ended.resolve(result);
  }

  /** Stops the chain while it waits or runs. */
  stop(reason: StopReason): void {
    this.ended.reject(new JobStopped(reason));
    this.lease?.revoke();
  }
}

class MemoryLease implements Lease {
  readonly task: ChainTask;
  private readonly chain: QueuedChain;
  private readonly leaseTime: number | undefined;
  /** Called when the lease has ended. Its argument is whether another worker must run the chain. */
  private readonly onEnd: (isGivenBack: boolean) => void;
  private readonly controller = new AbortController();
  private hasEnded = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(chain: QueuedChain, leaseTime: number | undefined, onEnd: (isGivenBack: boolean) => void) {
    this.task = chain.task;
    this.chain = chain;
    this.leaseTime = leaseTime;
    this.onEnd = onEnd;
    this.restart();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  begin(): void {
    if (!this.hasEnded) for (const { onStart } of this.chain.followers) onStart?.();
  }

  report(progress: RunProgress): void {
    if (!this.hasEnded) for (const { onProgress } of this.chain.followers) onProgress?.(progress);
  }

  async extend(): Promise<boolean> {
    if (this.hasEnded) return false;
    this.restart();
    return true;
  }

  async acknowledge(result: ChainResult): Promise<boolean> {
    if (!this.end(false)) return false;
    this.chain.end(result);
    return true;
  }

  async release(): Promise<void> {
    this.end(true);
  }

  /** Ends the lease because the chain is no longer needed. */
  revoke(): void {
    if (this.end(false)) this.controller.abort();
  }

  private restart(): void {
    clearTimeout(this.timer);
    if (this.leaseTime === undefined) return;
    this.timer = setTimeout(() => {
      if (this.end(true)) this.controller.abort();
    }, this.leaseTime);
  }

  /** Ends the lease; false if it had already ended. */
  private end(isGivenBack: boolean): boolean {
    if (this.hasEnded) return false;
    this.hasEnded = true;
    clearTimeout(this.timer);
    this.onEnd(isGivenBack);
    return true;
  }
}
