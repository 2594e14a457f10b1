import { setTimeout as pause } from 'node:timers/promises';
import { problems } from '../errors.js';
import type { Queue } from '../queue/queue.js';
import type { OperationResource } from '../schemas.js';
import type { RecordedOperations } from './recorded-operations.js';
import type { RunningOperations } from './running-operations.js';

/** Milliseconds in which another process must end an operation that is cancelled. */
const CANCEL_TIME = 10_000;
/** Milliseconds between two looks at an operation of another process: when it is cancelled, and when it is followed. */
const CANCEL_INTERVAL = 50;
const FOLLOW_INTERVAL = 100;

/** Operations that have not ended, whichever process brings them to their ends. */
export class UnfinishedOperations {
  private readonly running: RunningOperations;
  private readonly recorded: RecordedOperations;
  private readonly queue: Queue;

  constructor(running: RunningOperations, recorded: RecordedOperations, queue: Queue) {
    this.running = running;
    this.recorded = recorded;
    this.queue = queue;
  }

  /** Whether a fit of this model is being made. */
  async isMaking(modelId: string, fitId: string): Promise<boolean> {
    return this.running.isMaking(modelId, fitId) || this.recorded.isUnfinished(fitId, modelId);
  }

  /** Calls back at each progress of an operation, until it has ended, which resolves, or `signal` is aborted. */
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

  /** Ends an operation and waits until it has ended; false when it has ended before. */
  async cancel(id: string): Promise<boolean> {
    if (await this.running.cancel(id)) return true;
    if (!(await this.recorded.isUnfinished(id))) return false;
    for (const end = performance.now() + CANCEL_TIME; performance.now() < end; await pause(CANCEL_INTERVAL)) {
      // This process may have taken it over by now.
      if (await this.running.cancel(id)) return true;
      if (!(await this.recorded.isUnfinished(id))) return true;
      this.queue.cancel(id);
    }
    throw problems.busy();
  }

  /** As `cancel`, for every operation on a model. */
  async cancelAllOf(modelId: string): Promise<void> {
    await this.running.cancelAllOf(modelId);
    const ids = await this.recorded.unfinishedOf(modelId, (id) => this.running.has(id));
    await Promise.all(ids.map((id) => this.cancel(id)));
  }
}
