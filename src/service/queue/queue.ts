/**
 * Chains that wait for a worker. Who makes a fit asks for each of its chains with `run`; workers take them, each with a lease.
 * A lease that is not extended in time runs out, and the chain is given to another worker: the first one may be dead, or cut off.
 * As a chain's draws follow from its seed, a chain that is run twice comes to the same, and the first result is the one that counts.
 */
import type { RunOutcome, RunProgress } from '../../run/request.js';
import type { ChainRecord, OperationRecord } from '../jobs/operation-record.js';
import type { FitInTheMaking } from '../watched-journals.js';

/** One chain of an operation. */
export interface ChainTask {
  readonly record: OperationRecord;
  /** The chain's place among those of the record, from 0. */
  readonly index: number;
}

/** What became of a chain. When it is finished, the files that it has written are in the store. */
export type ChainResult =
  | RunOutcome
  | { readonly kind: 'disk full' }
  /** A file of a fit that is an input is not as it was written. */
  | { readonly kind: 'damaged'; readonly path: string }
  /** Its thread was ended; `message` is the reason. */
  | { readonly kind: 'stopped'; readonly reason: 'memory' | 'crashed'; readonly message: string }
  /** We are at fault. */
  | { readonly kind: 'fault'; readonly report: string };

/** A listener for a chain; for one that is run again, from its beginning. */
export interface ChainFollower {
  /** A worker begins with it. */
  readonly onStart?: () => void;
  readonly onProgress?: (progress: RunProgress) => void;
}

/** What is known of the chains that other processes have asked for. */
export interface OthersChains {
  /** How far each chain of an operation is: what is to be changed in its record. */
  statesOf(record: OperationRecord): readonly Partial<ChainRecord>[];
  /** How many operations there are of which no chain has begun, whoever has asked for them. */
  waiting(): number;
  /** How many chains of all operations wait for a worker, and how many workers run. */
  chains(): { readonly waiting: number; readonly running: number };
  /** The place of an operation among these, in the order in which they were asked for, from 1; undefined when it has begun. */
  placeOf(record: OperationRecord): number | undefined;
  /** The fit of an operation that has not ended, to be followed until it is released. */
  follow(record: OperationRecord): FitInTheMaking;
  /** Waits for everything that was written before. */
  catchUp(): Promise<void>;
}

export interface Queue {
  /**
   * Milliseconds for which a lease lasts unless it is extended. Undefined where workers are of this process: then it lasts as
   * long as the process.
   */
  readonly leaseTime: number | undefined;
  /** Undefined where only this process asks for chains. */
  readonly others: OthersChains | undefined;
  /** Queues the chains of an operation for workers, before their results are awaited. */
  announce(record: OperationRecord): Promise<void>;
  /**
   * Has a chain run by whoever takes it, and resolves when that is acknowledged. A chain that has been asked for already is not run
   * once more until its operation is removed. Throws `JobStopped`: `cancelled` when its operation is removed, and `closed`
   * when this process ends before the chain does.
   */
  run(task: ChainTask, follower: ChainFollower): Promise<ChainResult>;
  /** Takes the next chain, as soon as there is one: of the operation that has fewest running. Undefined when the queue is closed. */
  take(): Promise<Lease | undefined>;
  /** Forgets an operation: its chains that wait are not run, those that run are ended, and their results are not kept. */
  remove(operation: string): Promise<void>;
  /** Has whoever waits for chains of an operation end it. */
  cancel(operation: string): void;
  /** Stops the chains of operations that have not begun, if no other process would run them. */
  drain(): void;
  /** Takes nothing more; rejects the waiters for chains because this process ends. */
  close(): Promise<void>;
}

/** A chain that a worker has taken. */
export interface Lease {
  readonly task: ChainTask;
  /** Aborted when the chain should be ended, as its operation is removed or the lease has run out. */
  readonly signal: AbortSignal;
  /** Reports that the chain with this journal begins. */
  begin(journal: string): void;
  report(progress: RunProgress): void;
  /** Has the lease last for its whole time again; false when it has run out. */
  extend(): Promise<boolean>;
  /** The chain has ended, and what it made is in the store. False, and without any effect, when the lease has run out. */
  acknowledge(result: ChainResult): Promise<boolean>;
  /** Lets another worker run the chain from its beginning, now. Without effect when the lease has run out. */
  release(): Promise<void>;
}
