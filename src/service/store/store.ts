/**
 * Persistent storage of servers and workers: models, fits and operations. Once the promise of a write has resolved, the data
 * survive a crash of the process. Reading throws `DamagedFile` for a file with a wrong checksum. Invalid identifiers never exist.
 *
 * Threads write and read fits in local folders (fit-files/layout.ts); they receive the paths.
 */

import type { ProgramSource } from '../../chain/compiler.js';
import { isSystemError, storageFaultOf, systemReason } from '../../node/system-errors.js';
import { storageProblem } from '../errors.js';
import type { EvictionLimit } from './eviction.js';

/** The files of a block of a chain's iterations are not available. */
export class PastBlock extends Error {
  override readonly name = 'PastBlock';
}

/** The store cannot be written: its folder was removed, or belongs to another server. */
export class LostStore extends Error {
  override readonly name = 'LostStore';
}

/** The folder of a store, or of a worker's local files, cannot be opened. */
export class UnusableFolder extends Error {
  override readonly name = 'UnusableFolder';

  private constructor(folder: string, problem: string, cause: unknown) {
    super(`the folder ${folder} cannot be used. ${problem}`, { cause });
  }

  /** Converts an error of the operating system; returns other errors unchanged. */
  static of(folder: string, error: unknown): unknown {
    if (!isSystemError(error)) return error;
    const fault = storageFaultOf(error);
    const problem = fault === undefined ? `The system reports: ${systemReason(error)}.` : storageProblem(fault).message;
    return new UnusableFolder(folder, problem, error);
  }
}

export interface Store {
  readonly models: StoredModels;
  readonly fits: StoredFits;
  readonly operations: StoredOperations;
  /** Maximum size of all models and fits, in bytes. Above it, the least recently used ones are evicted (eviction.ts). */
  readonly limit: number;
  /** Whether other processes also use it. Failures may then be temporary, so retries are useful. */
  readonly isShared: boolean;
  usage(): Promise<StoreUsage>;
  /**
   * Protects a model, or a fit and its model, from eviction until the returned function is called. The argument is a
   * resource name; the resource need not exist yet.
   */
  hold(name: string): () => void;
  /** Records the current time as the last use of a model, or of a fit and its model. */
  touch(name: string): void;
  /** Evicts models and fits above the limit, except those in use. */
  makeRoom(): Promise<void>;
  /** Removes every model and every fit that is not in use, or only those that `isChosen` accepts. */
  clear(isChosen?: EvictionLimit['isChosen']): Promise<void>;
  /** Repairs the store if possible. Returns the reason if the store cannot be written. */
  tend(): Promise<string | undefined>;
  /** Writes a small file to the folder of fits, durably. Throws the error of the operating system if this fails. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

export interface StoreUsage {
  readonly bytes: number;
  readonly models: Usage;
  readonly fits: Usage;
}

export interface Usage {
  readonly count: number;
  readonly bytes: number;
}

/** The result of compiling a program. */
export interface CompiledFiles {
  readonly artifact: string;
  readonly wasm: Uint8Array;
}

export interface StoredModel extends CompiledFiles {
  /** The resource's JSON. */
  readonly resource: string;
  readonly source: ProgramSource;
}

export interface StoredModels {
  has(id: string): Promise<boolean>;
  /** Sorted. */
  ids(): Promise<readonly string[]>;
  readResource(id: string): Promise<string | undefined>;
  readSource(id: string): Promise<ProgramSource | undefined>;
  readCompiled(id: string, engine: string): Promise<CompiledFiles | undefined>;
  /**
   * Stores a model compiled by the engine with this identifier, and replaces an existing model's files. Resolves with the model's
   * resource. If several processes store the model concurrently, all receive the resource that was stored first.
   */
  save(id: string, engine: string, model: StoredModel): Promise<string>;
  /** Replaces the compiled files of a model, of any engine, if the model still exists. */
  saveCompiled(id: string, engine: string, files: CompiledFiles): Promise<void>;
  /** Removes a model and its fits; false if it does not exist. */
  remove(id: string): Promise<boolean>;
}

/** A finished fit whose files exist until it is released, even if the fit is removed in between. */
export interface HeldFit {
  /** Its local folder. The path is never used for another fit. */
  readonly path: string;
  readonly release: () => void;
}

/** A finished fit in a list. */
export interface ListedFit {
  readonly id: string;
  /** Increases with the time at which the fit was started. */
  readonly mark: string;
  readonly bytes: number;
}

/**
 * A record, or the path of a local sealed file that contains it. `isSuspect`: a file of the fit was found damaged, so that all must
 * be verified.
 */
export type RecordSource = { readonly path: string; readonly isSuspect?: true } | { readonly text: string };

export interface StoredFits {
  /** Path of a new local folder for a fit. */
  choose(modelId: string, fitId: string): string;
  /** Creates that folder, with an empty journal for each chain. */
  create(folder: string, chains: readonly number[]): Promise<void>;
  /**
   * Stores the files that a chain has written to a local folder, so that any process can publish the fit. With `block`,
   * stores the files that the chain has written to `blockFolder` after a block, so that any process can run the next
   * block. The files of the latest two blocks are available until the chain itself is stored.
   */
  keepChain(folder: string, chain: number, block?: number): Promise<void>;
  /**
   * The local folder with the files of chains after a block, which are fetched if necessary. Files of other chains in
   * it may be incomplete. Throws `PastBlock` if a chain is so far ahead that its files are no longer available.
   */
  fetchBlock(folder: string, chains: readonly number[], block: number): Promise<string>;
  /** Removes the local files of a block that the process which makes the fit no longer needs. */
  discardBlock(folder: string, block: number): Promise<void>;
  /** The last block that all chains have completed, for `fetchBlock`; undefined if there is no such block. */
  lastBlock(folder: string, chains: readonly number[]): Promise<number | undefined>;
  /** Removes the folder of an unpublished fit, if it exists. */
  discard(folder: string): Promise<void>;
  /** Removes stored chains of a fit that will not be published. */
  forgetChains(folder: string, chains: readonly number[]): Promise<void>;
  /**
   * Publishes the stored chains as a finished fit, with the name for which this folder was chosen. False if its model no longer
   * exists, or if its chains are removed concurrently.
   */
  publish(folder: string, chains: readonly number[], record: string): Promise<boolean>;
  has(modelId: string, fitId: string): Promise<boolean>;
  /** Whether a finished fit exists and has no file that is known to be damaged. */
  isSound(modelId: string, fitId: string): Promise<boolean>;
  /** Records that a file of a fit is damaged. */
  noteDamage(path: string): void;
  /** A finished fit, for reading; undefined if it does not exist. */
  open(modelId: string, fitId: string): Promise<HeldFit | undefined>;
  readRecord(modelId: string, fitId: string): Promise<string | undefined>;
  /** The record of the fit with this identifier, of any model; undefined if it cannot be read. */
  readRecordOf(fitId: string): Promise<string | undefined>;
  /** Removes a finished fit; false if it does not exist. Current readers are not affected. */
  remove(modelId: string, fitId: string): Promise<boolean>;
  /** Finished fits of a model, the latest first. */
  list(modelId: string): Promise<readonly ListedFit[]>;
  /** Records of fits from `list`, in the same order; undefined for a fit that no longer exists. */
  records(modelId: string, fits: readonly ListedFit[]): Promise<readonly (RecordSource | undefined)[]>;
}

export type OperationState = 'running' | 'ended';

/** An operation that has ended. */
export interface EndedOperation {
  readonly id: string;
  /** Increases with the time at which the operation ended; fewer than 17 digits. */
  readonly place: number;
}

/** Records of running operations and of the most recently ended ones. */
export interface StoredOperations {
  /**
   * Makes this process responsible for completing an operation, until it releases the operation or exits. False if
   * another process has claimed the operation; never false without other processes.
   */
  claim(id: string): Promise<boolean>;
  /** Like `claim`, for an abandoned operation. Returns false immediately if the operation is not abandoned. */
  adopt(id: string): Promise<boolean>;
  /**
   * Whether this process still holds its claim. A process that has not responded for some time can lose its claim to
   * another one.
   */
  isOwn(id: string): Promise<boolean>;
  release(id: string): Promise<void>;
  /** Stores the record of an operation. The oldest records of ended operations are removed above a limit. */
  save(state: OperationState, id: string, record: string): Promise<void>;
  read(state: OperationState, id: string): Promise<string | undefined>;
  /** False if it does not exist. */
  remove(state: OperationState, id: string): Promise<boolean>;
  /** Moves a running operation to the ended ones, with an unchanged record. */
  giveUp(id: string): Promise<void>;
  /** Operations that have not ended. */
  runningIds(): Promise<readonly string[]>;
  /** Ended operations, in the order in which they ended. */
  ended(): Promise<readonly EndedOperation[]>;
  /** Records in the order of the identifiers; undefined for one that no longer exists. */
  endedRecords(ids: readonly string[]): Promise<readonly (RecordSource | undefined)[]>;
}
