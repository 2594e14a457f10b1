/**
 * Chains that wait for a worker. An operation submits each chain of its fit with `run`, and a worker takes each chain
 * with a lease. If a lease is not extended in time, it expires and another worker receives the chain, because the first
 * one may be dead or disconnected. A chain's draws are determined by its seed, so running it twice gives the same
 * result. The first result counts.
 */

import type { Refused, RunBlock, RunOutcome, RunProgress } from '../../chain/request.js';
import type { DamagedFile } from '../../fit-files/checksums.js';
import type { Seconds } from '../../inference/algorithms/algorithm.js';
import type { StorageFault } from '../../node/system-errors.js';
import type { CurrentShortfall, StoppedResource } from '../schemas/operations.js';
import type { ChainRecord, OperationRecord } from '../store/operation-record.js';
import type { FitInTheMaking } from './watched-journals.js';

/** One chain of an operation. */
export interface ChainTask {
  readonly record: OperationRecord;
  /** Index of the chain in the record, from 0. */
  readonly index: number;
  /** The part of the chain to run; absent if the chain runs as a whole. */
  readonly block?: ChainBlock;
}

/**
 * A part of a chain, for runs that stop when their draws are precise enough, or that keep their draws if they are
 * cancelled. Each block starts with the files that the previous one has stored. The last block has no iterations and
 * completes the files of the chain.
 */
export interface ChainBlock {
  /** From 0. */
  readonly index: number;
  /** Times and progress of the earlier blocks. */
  readonly seconds?: Seconds;
  readonly before?: RunBlock['before'];
  /** Quantities that were not precise enough after the previous block. */
  readonly shortfall?: CurrentShortfall;
  /** In the last block: why the run has stopped, or that all iterations are complete. */
  readonly stopped?: StoppedResource;
  readonly isComplete?: true;
}

/** A limit of disk space that running operations have exceeded: that of one operation, or the reserve of the disk. */
export interface LackOfSpace {
  readonly limit: 'operation' | 'reserve';
  readonly bytes: number;
}

/** Outcome of a chain. If it is finished, its files are in the store. */
export type ChainResult =
  | Exclude<RunOutcome, Refused>
  /** Workers of an earlier version send no detail. */
  | (Omit<Refused, 'detail'> & Partial<Pick<Refused, 'detail'>>)
  /**
   * A later block of the chain has already been submitted: the chain has stored `blocks` blocks. The other members are
   * those of the next block.
   */
  | ({ readonly kind: 'passed'; readonly blocks: number } & Pick<ChainBlock, 'stopped' | 'isComplete'>)
  | { readonly kind: 'storage fault'; readonly fault: StorageFault }
  /** It was ended because the files of its operation needed too much space on the disk of its worker. */
  | ({ readonly kind: 'lack of space' } & LackOfSpace)
  /** A file of an input fit is corrupt. */
  | ({ readonly kind: 'damaged' } & Pick<DamagedFile, 'path' | 'flaw'>)
  /** Its thread was stopped; `message` is the reason. */
  | { readonly kind: 'stopped'; readonly reason: 'memory' | 'crashed'; readonly message: string }
  /** A defect of Leapfrog. */
  | { readonly kind: 'fault'; readonly report: string };

/** Callbacks for a chain. If the chain runs again, they are called again from the start. */
export interface ChainFollower {
  /** Called when a worker starts the chain. */
  readonly onStart?: () => void;
  readonly onProgress?: (progress: RunProgress) => void;
}

/** State of the chains that other processes have submitted. */
export interface OthersChains {
  /** Progress of each chain of an operation, as changes to its record. */
  statesOf(record: OperationRecord): readonly Partial<ChainRecord>[];
  /** Number of operations of all processes without a started chain. */
  waiting(): number;
  /** Numbers of waiting and running chains of all operations. */
  chains(): { readonly waiting: number; readonly running: number };
  /** Position of a waiting operation in the queue, from 1; undefined if it has started. */
  placeOf(record: OperationRecord): number | undefined;
  /** The unfinished fit of an operation, for followers. It must be released. */
  follow(record: OperationRecord): FitInTheMaking;
  /** Resolves when all earlier writes have been received. */
  catchUp(): Promise<void>;
}

export interface Queue {
  /**
   * Milliseconds after which a lease expires unless it is extended. Undefined if workers belong to this process, where
   * leases never expire.
   */
  readonly leaseTime: number | undefined;
  /** Undefined if only this process submits chains. */
  readonly others: OthersChains | undefined;
  /** Queues the chains of an operation for workers, before their results are awaited. */
  announce(record: OperationRecord): Promise<void>;
  /**
   * Submits a chain or a block, and resolves to its result. A chain or block that has already been submitted does not
   * run again until its operation is removed. Throws `JobStopped`: `cancelled` if the operation is removed, and
   * `closed` if this process ends before the chain.
   */
  run(task: ChainTask, follower: ChainFollower): Promise<ChainResult>;
  /**
   * Waits for the next chain, and takes it from the operation with the fewest running chains. Undefined if the queue is
   * closed.
   */
  take(): Promise<Lease | undefined>;
  /** Removes an operation: waiting chains do not run, running ones are stopped, and their results are discarded. */
  remove(operation: string): Promise<void>;
  /** Requests the process that waits for the chains of an operation to end the operation. */
  cancel(operation: string): void;
  /** Stops the chains of operations that have not started, if no other process would run them. */
  drain(): void;
  /** Stops accepting and handing out chains, and rejects waiting calls, because this process ends. */
  close(): Promise<void>;
}

/** A chain that a worker has taken. */
export interface Lease {
  readonly task: ChainTask;
  /** Aborted if the chain must stop, because its operation was removed or the lease has expired. */
  readonly signal: AbortSignal;
  /** Reports that the chain has started, with its journal. */
  begin(journal: string): void;
  report(progress: RunProgress): void;
  /** Renews the lease for its full duration; false if it has expired. */
  extend(): Promise<boolean>;
  /**
   * Reports the result of the chain, whose files are in the store. False, without any effect, if the lease has expired.
   */
  acknowledge(result: ChainResult): Promise<boolean>;
  /** Returns the chain, so that another worker can run it from its beginning. Has no effect if the lease has expired. */
  release(): Promise<void>;
}
