/**
 * What is kept on disk:
 *
 *     format                                         the number of this layout
 *     models/<model_id>/{model.json, program.stan, includes.json}    the last only when it has includes
 *     models/<model_id>/compiled/<engine>/{artifact.json, module.wasm}    made anew when the engine is another one
 *     fits/<model_id>.<fit_id>.<mark>/               a finished fit: see fits/layout.ts and fit-folders.ts
 *     operations/running/<operation_id>.json         accepted, not ended: the request and its seed
 *     operations/ended/<operation_id>.json           what became of it; the latest ones
 *     temporary/                                     what is being written or thrown away; emptied at the start
 *
 *     lock/                                          the sign of the server that has it open: see lock.ts
 *
 * Everything appears under its name by one rename, so that a name that is there means a whole file. Files are on the disk before
 * their names are, and names before anybody is told of them.
 */
import { readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProgramSource } from '../jobs/engine.js';
import { evict } from './eviction.js';
import {
  createFolder,
  folderBytes,
  forEachFile,
  makeFolders,
  namesIn,
  readTextIfThere,
  removeFile,
  removeFolder,
  removeUnfinished,
  unlessMissing,
  writeAtomically,
} from './files.js';
import { FitFolders, type HeldFit } from './fit-folders.js';
import { isIdentifier } from './identifiers.js';
import { type Entry, fitNameIn, Ledger, modelName } from './ledger.js';
import { lockFolder } from './lock.js';
import { Recent } from './recent.js';

export type OperationState = 'running' | 'ended';

const ARTIFACT = 'artifact.json';
const MODULE = 'module.wasm';
const INCLUDES = 'includes.json';
const MODEL_RECORD = 'model.json';
const JSON_SUFFIX = '.json';
const FORMAT_FILE = 'format';
const FORMAT = '3';
const FOLDERS = ['models', 'fits', 'temporary', 'operations/running', 'operations/ended'];
/** Milliseconds after which it is written down once more that a thing is used. */
const TOUCH_INTERVAL = 60_000;
/** How many ended operations are remembered, and how many bytes of them. */
const MOST_ENDED = 10_000;
const MOST_ENDED_BYTES = 2 ** 28;

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

/** The folder of one server. Identifiers that are none are never there. */
export class Store {
  readonly ledger = new Ledger();
  /** Bytes that models and fits may take; what is too much goes, the least recently used first. */
  readonly limit: number;
  private readonly root: string;
  private readonly temporary: string;
  private readonly fits: FitFolders;
  private readonly unlock: () => Promise<void>;
  private readonly ended = new Recent(MOST_ENDED, MOST_ENDED_BYTES);
  private evicting: Promise<void> = Promise.resolve();
  /** The latest change of each model's folder that is under way. */
  private readonly changing = new Map<string, Promise<unknown>>();

  private constructor(root: string, limit: number, unlock: () => Promise<void>) {
    this.root = root;
    this.limit = limit;
    this.temporary = join(root, 'temporary');
    this.fits = new FitFolders(join(root, 'fits'), this.temporary, this.ledger);
    this.unlock = unlock;
  }

  /**
   * Opens a folder, made when it is not there; what an earlier server left half-done is cleared away. Throws when another
   * server has it open. It may hold more than the limit until `makeRoom` is called.
   */
  static async open(root: string, limit = Number.POSITIVE_INFINITY): Promise<Store> {
    await makeFolders(root);
    const store = new Store(root, limit, await lockFolder(root));
    try {
      await store.checkFormat();
      await rm(store.temporary, { recursive: true, force: true });
      for (const folder of FOLDERS) await makeFolders(join(root, folder));
      for (const folder of FOLDERS) await removeUnfinished(join(root, folder));
      await store.takeStock();
      return store;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  /** Lets other servers have the folder. */
  close(): Promise<void> {
    return this.unlock();
  }

  /** Keeps a model that this engine has compiled; engines are told apart by their identifiers. */
  async saveModel(id: string, engine: string, model: StoredModel): Promise<void> {
    const compiled = join('compiled', engine);
    const { program, includes } = model.source;
    const files = {
      [MODEL_RECORD]: model.resource,
      'program.stan': program,
      ...(Object.keys(includes).length > 0 && { [INCLUDES]: JSON.stringify(includes) }),
      [join(compiled, ARTIFACT)]: model.artifact,
      [join(compiled, MODULE)]: model.wasm,
    };
    await this.inTurn(id, async () => {
      await createFolder(this.modelPath(id), { folders: [compiled], files }, this.temporary);
      await this.enterModel(id);
    });
    await this.makeRoom(modelName(id));
  }

  /** Replaces what other engines have compiled the program of a model to, if the model is still there. */
  async saveCompiled(id: string, engine: string, { artifact, wasm }: CompiledFiles): Promise<void> {
    await this.inTurn(id, async () => {
      if (!this.hasModel(id)) return;
      const folder = join(this.modelPath(id), 'compiled');
      await createFolder(join(folder, engine), { files: { [ARTIFACT]: artifact, [MODULE]: wasm } }, this.temporary);
      const others = (await namesIn(folder)).filter((name) => name !== engine);
      for (const name of others) await removeFolder(join(folder, name), this.temporary);
      await this.enterModel(id);
    });
  }

  async readModelResource(id: string): Promise<string | undefined> {
    return isIdentifier(id) ? readTextIfThere(join(this.modelPath(id), MODEL_RECORD)) : undefined;
  }

  async readSource(id: string): Promise<ProgramSource | undefined> {
    if (!isIdentifier(id)) return undefined;
    const program = await readTextIfThere(join(this.modelPath(id), 'program.stan'));
    const includes = await readTextIfThere(join(this.modelPath(id), INCLUDES));
    return program === undefined
      ? undefined
      : { program, includes: includes === undefined ? {} : JSON.parse(includes) };
  }

  async readCompiled(id: string, engine: string): Promise<CompiledFiles | undefined> {
    if (!isIdentifier(id)) return undefined;
    const folder = join(this.modelPath(id), 'compiled', engine);
    const artifact = await readTextIfThere(join(folder, ARTIFACT));
    const wasm = await unlessMissing(readFile(join(folder, MODULE)));
    return artifact === undefined || wasm === undefined ? undefined : { artifact, wasm };
  }

  async modelIds(): Promise<string[]> {
    return (await namesIn(join(this.root, 'models'))).filter(isIdentifier);
  }

  hasModel(id: string): boolean {
    return this.ledger.get(modelName(id)) !== undefined;
  }

  /** Removes a model and its fits; false when there is none. */
  async removeModel(id: string): Promise<boolean> {
    if (!isIdentifier(id)) return false;
    return this.inTurn(id, async () => {
      const fits = this.ledger.fitsOf(id);
      for (const { name } of [...fits, { name: modelName(id) }]) this.ledger.remove(name);
      const removed = await removeFolder(this.modelPath(id), this.temporary);
      await forEachFile(fits, (fit) => this.fits.remove(fit));
      return removed;
    });
  }

  /** A folder where a fit can be made. Nobody else is given the same one. */
  chooseFitFolder(modelId: string, fitId: string): string {
    return this.fits.choose(modelId, fitId);
  }

  /** Makes that folder, with an empty journal for each chain. */
  createPartialFit(folder: string, chains: readonly number[]): Promise<void> {
    return this.fits.create(folder, chains);
  }

  discardPartialFit(folder: string): Promise<void> {
    return this.fits.discard(folder);
  }

  /** Makes what has been written to a folder a finished fit; false when its model is not there any more. */
  async publishFit(folder: string, chains: readonly number[], record: string): Promise<boolean> {
    const entry = await this.fits.publish(folder, chains, record);
    if (!this.hasModel(entry.modelId)) {
      await this.fits.remove(entry);
      return false;
    }
    this.ledger.add(entry);
    await this.makeRoom(entry.name);
    return true;
  }

  /** A finished fit to be read until it is released; undefined when there is none. */
  openFit(modelId: string, fitId: string): HeldFit | undefined {
    const entry = this.ledger.get(fitNameIn(modelId, fitId));
    return entry && this.fits.hold(this.use(entry));
  }

  hasFit(modelId: string, fitId: string): boolean {
    return this.ledger.get(fitNameIn(modelId, fitId)) !== undefined;
  }

  async readFitRecord(modelId: string, fitId: string): Promise<string | undefined> {
    const entry = this.ledger.get(fitNameIn(modelId, fitId));
    return entry && this.fits.record(entry);
  }

  /** Removes a finished fit; false when there is none. Who reads it can go on. */
  async removeFit(modelId: string, fitId: string): Promise<boolean> {
    const entry = this.ledger.get(fitNameIn(modelId, fitId));
    if (entry === undefined) return false;
    this.ledger.remove(entry.name);
    return this.fits.remove(entry);
  }

  /** Says that a model or a fit is used now. */
  touch(name: string): void {
    const entry = this.ledger.get(name);
    if (entry !== undefined) this.use(entry);
  }

  private use(entry: Entry): Entry {
    const now = Date.now();
    const isDue = now - entry.noted >= TOUCH_INTERVAL;
    const used = { ...entry, used: now, noted: isDue ? now : entry.noted };
    this.ledger.add(used);
    const record = entry.fit ? this.fits.recordPath(entry) : join(this.modelPath(entry.modelId), MODEL_RECORD);
    // A time that cannot be written down is no reason not to read.
    if (isDue) utimes(record, now / 1000, now / 1000).catch(() => undefined);
    return used;
  }

  /** Removes every model and every fit that is not in use. */
  async clear(): Promise<void> {
    await this.makeRoom(undefined, 0);
  }

  /** Removes what is too much, but neither what is in use nor `spared`. */
  makeRoom(spared?: string, limit = this.limit): Promise<void> {
    this.evicting = this.evicting.then(() => evict(this.ledger, this, limit, spared));
    return this.evicting;
  }

  /** Keeps the record of an operation. Of many that have ended, the oldest ones are forgotten. */
  async saveOperation(state: OperationState, id: string, record: string): Promise<void> {
    await writeAtomically(this.operationPath(state, id), record);
    if (state === 'running') return;
    this.ended.add(id, Buffer.byteLength(record));
    await this.forgetEnded();
  }

  async readOperation(state: OperationState, id: string): Promise<string | undefined> {
    return isIdentifier(id) ? readTextIfThere(this.operationPath(state, id)) : undefined;
  }

  async operationIds(state: OperationState): Promise<string[]> {
    if (state === 'ended') return this.ended.names();
    const names = await namesIn(join(this.root, 'operations', state));
    return names.map((name) => name.slice(0, -JSON_SUFFIX.length)).filter(isIdentifier);
  }

  async removeOperation(state: OperationState, id: string): Promise<boolean> {
    if (!isIdentifier(id)) return false;
    if (state === 'ended') this.ended.remove(id);
    return removeFile(this.operationPath(state, id));
  }

  /** Throws when the folder is laid out in another way. An empty one becomes a store. */
  private async checkFormat(): Promise<void> {
    const found = await readTextIfThere(join(this.root, FORMAT_FILE));
    if (found === FORMAT) return;
    if (found === undefined && (await namesIn(join(this.root, 'models'))).length === 0) {
      return writeAtomically(join(this.root, FORMAT_FILE), FORMAT);
    }
    const problem = `holds a store of format ${found ?? '1'}, and this version of Leapfrog reads format ${FORMAT}`;
    throw new Error(`the folder ${this.root} ${problem}; empty it or give --store another one`);
  }

  private async takeStock(): Promise<void> {
    for (const modelId of await this.modelIds()) await this.enterModel(modelId);
    for (const fit of await this.fits.takeStock(await this.modelIds())) this.ledger.add(fit);
    await this.takeStockOfEnded();
  }

  private async takeStockOfEnded(): Promise<void> {
    const names = await namesIn(join(this.root, 'operations', 'ended'));
    const found = await forEachFile(names, async (name) => {
      const { mtimeMs, size } = await stat(join(this.root, 'operations', 'ended', name));
      return { id: name.slice(0, -JSON_SUFFIX.length), ended: mtimeMs, size };
    });
    const known = found.filter(({ id }) => isIdentifier(id)).sort((a, b) => a.ended - b.ended);
    for (const { id, size } of known) this.ended.add(id, size);
    await this.forgetEnded();
  }

  private async forgetEnded(): Promise<void> {
    await forEachFile(this.ended.takeSurplus(), (id) => removeFile(this.operationPath('ended', id)));
  }

  /** Changes a model's folder when nothing else does. */
  private async inTurn<Result>(modelId: string, change: () => Promise<Result>): Promise<Result> {
    const before = this.changing.get(modelId) ?? Promise.resolve();
    const own = before.then(change, change);
    this.changing.set(modelId, own);
    return own.finally(() => {
      if (this.changing.get(modelId) === own) this.changing.delete(modelId);
    });
  }

  private async enterModel(modelId: string): Promise<void> {
    const path = this.modelPath(modelId);
    const bytes = await folderBytes(path);
    const record = await unlessMissing(stat(join(path, MODEL_RECORD)));
    if (record === undefined) return;
    this.ledger.add({ name: modelName(modelId), modelId, bytes, used: record.mtimeMs, noted: record.mtimeMs });
  }

  private modelPath(id: string): string {
    return join(this.root, 'models', id);
  }

  private operationPath(state: OperationState, id: string): string {
    return join(this.root, 'operations', state, `${id}${JSON_SUFFIX}`);
  }
}
