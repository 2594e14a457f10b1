/**
 * What servers and workers keep: models, fits and operations. What is saved is kept, whatever ends the process, when the promise
 * resolves. Reading throws `DamagedFile` for a file with a wrong checksum. Invalid identifiers never exist.
 *
 * Fits are made and read in folders of this machine (fits/layout.ts), by threads that are given their paths.
 */
import type { ProgramSource } from '../../run/engine.js';

/** Nothing can be kept any more, for the store is gone or is another server's. */
export class LostStore extends Error {
  override readonly name = 'LostStore';
}

export interface Store {
  readonly models: StoredModels;
  readonly fits: StoredFits;
  readonly operations: StoredOperations;
  /** Bytes that models and fits may take; what is too much goes, the least recently used first. */
  readonly limit: number;
  /** Whether other processes also use it. Failures may then be temporary, so retries are useful. */
  readonly isShared: boolean;
  usage(): Promise<StoreUsage>;
  /**
   * Has a thing stay, and the model of a fit, until what this returns is called. A thing is identified by its resource name; it need
   * not exist yet.
   */
  hold(name: string): () => void;
  /** Records that a model or a fit is used now. */
  touch(name: string): void;
  /** Removes what is too much, but not what is in use. */
  makeRoom(): Promise<void>;
  /** Removes every model and every fit that is not in use. */
  clear(): Promise<void>;
  /** Why nothing can be kept at the moment, if nothing can. */
  tend(): Promise<string | undefined>;
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

/** What a program compiles to. */
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
  /** In the order of their identifiers. */
  ids(): Promise<readonly string[]>;
  readResource(id: string): Promise<string | undefined>;
  readSource(id: string): Promise<ProgramSource | undefined>;
  readCompiled(id: string, engine: string): Promise<CompiledFiles | undefined>;
  /**
   * Keeps a model that this engine has compiled; engines are told apart by their identifiers. The files of a model that is there
   * are replaced. Resolves with its resource: that of the first one where several processes keep it at the same time.
   */
  save(id: string, engine: string, model: StoredModel): Promise<string>;
  /** Replaces what the program of a model has been compiled to, by any engine, if the model is still there. */
  saveCompiled(id: string, engine: string, files: CompiledFiles): Promise<void>;
  /** Removes a model and its fits; false if it does not exist. */
  remove(id: string): Promise<boolean>;
}

/** A finished fit whose files stay until it is released, even if it is removed before. */
export interface HeldFit {
  /** Its folder on this machine, which no other fit has had or will have. */
  readonly path: string;
  readonly release: () => void;
}

/** A finished fit in a list. */
export interface ListedFit {
  readonly id: string;
  /** Of two fits the one that was begun later has the greater one. */
  readonly mark: string;
  readonly bytes: number;
}

/** Where a record is to be read: a sealed file of this machine, or the record itself. */
export type RecordSource = { readonly path: string } | { readonly text: string };

export interface StoredFits {
  /** A new folder of this machine where a fit can be made. */
  choose(modelId: string, fitId: string): string;
  /** Makes that folder, with an empty journal for each chain. */
  create(folder: string, chains: readonly number[]): Promise<void>;
  /** Has what a chain has written to a folder of this machine be part of the fit that is made, wherever it is published. */
  keepChain(folder: string, chain: number): Promise<void>;
  /** Removes that folder; nothing when it is not there. */
  discard(folder: string): Promise<void>;
  /** Forgets chains that have been kept for a fit that is not going to be made. */
  forgetChains(folder: string, chains: readonly number[]): Promise<void>;
  /**
   * Makes the chains that have been kept a finished fit, of the name for which this folder was chosen; false when its model is
   * not there any more, or its chains are forgotten at the same time.
   */
  publish(folder: string, chains: readonly number[], record: string): Promise<boolean>;
  has(modelId: string, fitId: string): Promise<boolean>;
  /** Whether there is a finished fit of which no file has been found damaged. */
  isSound(modelId: string, fitId: string): Promise<boolean>;
  /** Remembers that a file of a fit was found damaged. */
  noteDamage(path: string): void;
  /** A finished fit to be read until it is released; undefined if it does not exist. */
  open(modelId: string, fitId: string): Promise<HeldFit | undefined>;
  readRecord(modelId: string, fitId: string): Promise<string | undefined>;
  /** The record of the fit that has this identifier, of any model; undefined if it cannot be read. */
  readRecordOf(fitId: string): Promise<string | undefined>;
  /** Removes a finished fit; false if it does not exist. Current readers are not affected. */
  remove(modelId: string, fitId: string): Promise<boolean>;
  /** Finished fits of a model, the one begun last first. */
  list(modelId: string): Promise<readonly ListedFit[]>;
  /** In the order of these, which `list` has given; undefined for one that is not there any more. */
  records(modelId: string, fits: readonly ListedFit[]): Promise<readonly (RecordSource | undefined)[]>;
}

export type OperationState = 'running' | 'ended';

/** An operation that has ended. */
export interface EndedOperation {
  readonly id: string;
  /** Greater than that of every operation that ended before it; fewer than 17 digits. */
  readonly place: number;
}

/** Records of operations: of those that have not ended, and of those that ended last. */
export interface StoredOperations {
  /**
   * Has it that this process brings an operation to its end, until that is released or the process is gone; false when it has been
   * claimed already. Where there are no other processes, nothing is.
   */
  claim(id: string): Promise<boolean>;
  /** As `claim`, for an abandoned operation: false at once for others. */
  adopt(id: string): Promise<boolean>;
  /** Whether this process has still claimed an operation: who did not answer for a while may have lost it to another one. */
  isOwn(id: string): Promise<boolean>;
  release(id: string): Promise<void>;
  /** Keeps the record of an operation. Of many that have ended, the oldest ones are forgotten. */
  save(state: OperationState, id: string, record: string): Promise<void>;
  read(state: OperationState, id: string): Promise<string | undefined>;
  /** False if it does not exist. */
  remove(state: OperationState, id: string): Promise<boolean>;
  /** Counts an operation that runs as ended, its record as it is. */
  giveUp(id: string): Promise<void>;
  /** Operations that have not ended. */
  runningIds(): Promise<readonly string[]>;
  /** Operations that have ended, the first to end first. */
  ended(): Promise<readonly EndedOperation[]>;
  /** In the order of these identifiers; undefined for one that is not there any more. */
  endedRecords(ids: readonly string[]): Promise<readonly (RecordSource | undefined)[]>;
}
