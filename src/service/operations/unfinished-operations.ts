import { setTimeout as pause } from 'node:timers/promises';
import { problems } from '../errors.js';
import type { Queue } from '../queue/queue.js';
import type { OperationResource } from '../schemas/operations.js';
import type { RecordedOperations } from './recorded-operations.js';
import type { RunningOperations } from './running-operations.js';

/** Milliseconds within which another process must end a cancelled operation. */
const CANCEL_TIME = 10_000;
/**
 * Milliseconds between two checks of another process's operation, while it is being cancelled and while it is followed.
 */
const CANCEL_INTERVAL = 50;
const FOLLOW_INTERVAL = 100;

/** Unfinished operations of all processes. */
export class UnfinishedOperations {
  private readonly running: RunningOperations;
  private readonly recorded: RecordedOperations;
  private readonly queue: Queue;

  constructor(running: RunningOperations, recorded: RecordedOperations, queue: Queue) {
    this.running = running;
    this.recorded = recorded;
    this.queue = queue;
  }

  /** Whether an operation is computing this fit. */
  async isMaking(modelId: string, fitId: string): Promise<boolean> {
    return this.running.isMaking(modelId, fitId) || this.recorded.isUnfinished(fitId, modelId);
  }

  /** An operation that runs here; undefined for any other, or if its end is recorded. */
  async findHere(id: string): Promise<OperationResource | undefined> {
    const record = this.running.recordOf(id);
    return record === undefined || (await this.recorded.isKnownToOthers(record)) ? undefined : this.running.find(id);
  }

  /** Calls `listener` whenever an operation advances. Resolves when the operation has ended or `signal` is aborted. */
  async follow(id: string, listener: (operation: OperationResource) => void, signal: AbortSignal): Promise<void> {
    if (this.running.has(id)) return this.running.follow(id, listener, signal);
    let last: string | undefined;
    while (!signal.aborted && (await this.recorded.isUnfinished(id))) {
      const operation = await this.recorded.find(id);
      const text = JSON.stringify(operation);
      if (operation !== undefined && text !== last) listener(operation);
      last = text;
      await pause(FOLLOW_INTERVAL);
    }
  }

  /** Cancels an operation and waits until it has ended; false if it had already ended. */
  async cancel(id: string): Promise<boolean> {
    let isCancelled = await this.running.cancel(id);
    if (isCancelled && this.queue.others === undefined) return true;
    for (const end = performance.now() + CANCEL_TIME; performance.now() < end; await pause(CANCEL_INTERVAL)) {
      if (!(await this.recorded.isUnfinished(id))) return isCancelled;
      isCancelled = true;
      this.queue.cancel(id);
      // This process and another one may take over the operation from each other.
      await this.running.cancel(id);
    }
    throw problems.busy();
  }

  /** Like `cancel`, for every operation on a model whose identifier `isChosen` accepts. */
  async cancelAllOf(modelId: string, isChosen: (id: string) => boolean = () => true): Promise<void> {
    await this.running.cancelAllOf(modelId, isChosen);
    const ids = await this.recorded.unfinishedOf(modelId, (id) => this.running.has(id));
    await Promise.all(ids.filter(isChosen).map((id) => this.cancel(id)));
  }
}
