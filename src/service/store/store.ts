/**
 * What is kept on disk:
 *
 *     format                                         the number of this layout
 *     models/<model_id>/{model.json, program.stan, includes.json}    the last only when it has includes
 *     models/<model_id>/compiled/<engine>/{artifact.json, module.wasm}    made anew when the engine is another one
 *     models/<model_id>/fits/<fit_id>/               a finished fit: see fits/layout.ts
 *     operations/running/<operation_id>.json         accepted, not ended: the request and its seed
 *     operations/ended/<operation_id>.json           what became of it
 *     temporary/                                     what is being written or thrown away; emptied at the start
 *
 * Everything appears under its name by one rename, so that a name that is there means a whole file.
 */
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chainFile, FIT_RECORD } from '../fits/layout.js';
import type { ProgramSource } from '../jobs/engine.js';
import { evict } from './eviction.js';
import {
  createFolder,
  folderBytes,
  namesIn,
  publishFolder,
  readTextIfThere,
  removeFile,
  removeFolder,
  removeUnfinished,
  unlessMissing,
  writeAtomically,
  writeDurably,
} from './files.js';
import { isIdentifier } from './identifiers.js';
import { fitNameIn, Ledger, modelName } from './ledger.js';
import { lockFolder } from './lock.js';

export type OperationState = 'running' | 'ended';

const ARTIFACT = 'artifact.json';
const MODULE = 'module.wasm';
const INCLUDES = 'includes.json';
const MODEL_RECORD = 'model.json';
const JSON_SUFFIX = '.json';
const FORMAT_FILE = 'format';
const FORMAT = '2';
/** Milliseconds after which it is written down once more that a thing is used. */
const TOUCH_INTERVAL = 60_000;

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

  private readonly unlock: () => Promise<void>;

  private evicting: Promise<void> = Promise.resolve();

  private constructor(root: string, limit: number, unlock: () => Promise<void>) {
    this.root = root;
    this.limit = limit;
    this.temporary = join(root, 'temporary');
    this.unlock = unlock;
  }

  /**
   * Opens a folder, made when it is not there; what an earlier server left half-done is cleared away. Throws when another
   * server has it open.
   */
  static async open(root: string, limit = Number.POSITIVE_INFINITY): Promise<Store> {
    await mkdir(root, { recursive: true });
    const store = new Store(root, limit, await lockFolder(root));
    try {
      await store.checkFormat();
      await rm(store.temporary, { recursive: true, force: true });
      const folders = ['models', 'temporary', 'operations/running', 'operations/ended'];
      for (const folder of folders) await mkdir(join(root, folder), { recursive: true });
      for (const folder of folders) await removeUnfinished(join(root, folder));
      await store.takeStock();
      await store.makeRoom();
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
    await createFolder(this.modelPath(id), { folders: ['fits', compiled], files }, this.temporary);
    await this.enterModel(id);
    await this.makeRoom(modelName(id));
  }

  /** Replaces what other engines have compiled the program of a model to. */
  async saveCompiled(id: string, engine: string, { artifact, wasm }: CompiledFiles): Promise<void> {
    const folder = join(this.modelPath(id), 'compiled');
    await createFolder(join(folder, engine), { files: { [ARTIFACT]: artifact, [MODULE]: wasm } }, this.temporary);
    const others = (await namesIn(folder)).filter((name) => name !== engine);
    for (const name of others) await removeFolder(join(folder, name), this.temporary);
    await this.enterModel(id);
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

  /** Removes a model and its fits; false when there is none. */
  async removeModel(id: string): Promise<boolean> {
    if (!isIdentifier(id)) return false;
    this.ledger.remove(modelName(id));
    return removeFolder(this.modelPath(id), this.temporary);
  }

  /** The folder where a fit is made until it is finished. */
  partialFitPath(fitId: string): string {
    return join(this.temporary, fitId);
  }

  /** Makes that folder, with an empty journal for each chain. */
  async createPartialFit(fitId: string, chains: readonly number[]): Promise<void> {
    const folder = this.partialFitPath(fitId);
    const unfinished = `${folder}.tmp`;
    for (const old of [folder, unfinished]) await rm(old, { recursive: true, force: true });
    await mkdir(unfinished);
    for (const chain of chains) await writeFile(chainFile(unfinished, chain, 'journal'), '');
    await rename(unfinished, folder);
  }

  /** Makes what has been written the finished fit. */
  async publishFit(modelId: string, fitId: string, chains: readonly number[], record: string): Promise<void> {
    const folder = this.partialFitPath(fitId);
    await writeDurably(join(folder, FIT_RECORD), record);
    for (const chain of chains) await removeFile(chainFile(folder, chain, 'journal'));
    await publishFolder(folder, this.fitPath(modelId, fitId));
    await this.enterFit(modelId, fitId);
    await this.makeRoom(fitNameIn(modelId, fitId));
  }

  async discardPartialFit(fitId: string): Promise<void> {
    await removeFolder(this.partialFitPath(fitId), this.temporary);
  }

  /** Folder of a finished fit; undefined when there is none. */
  async findFit(modelId: string, fitId: string): Promise<string | undefined> {
    if (!isIdentifier(modelId) || !isIdentifier(fitId)) return undefined;
    const path = this.fitPath(modelId, fitId);
    if ((await unlessMissing(stat(path))) === undefined) return undefined;
    await this.touch(fitNameIn(modelId, fitId));
    return path;
  }

  async readFitRecord(modelId: string, fitId: string): Promise<string | undefined> {
    if (!isIdentifier(modelId) || !isIdentifier(fitId)) return undefined;
    return readTextIfThere(join(this.fitPath(modelId, fitId), FIT_RECORD));
  }

  async fitIds(modelId: string): Promise<string[]> {
    if (!isIdentifier(modelId)) return [];
    return (await namesIn(join(this.modelPath(modelId), 'fits'))).filter(isIdentifier);
  }

  /** Removes a finished fit; false when there is none. */
  async removeFit(modelId: string, fitId: string): Promise<boolean> {
    if (!isIdentifier(modelId) || !isIdentifier(fitId)) return false;
    this.ledger.remove(fitNameIn(modelId, fitId));
    return removeFolder(this.fitPath(modelId, fitId), this.temporary);
  }

  /** Writes down that a model or a fit is used now. */
  async touch(name: string): Promise<void> {
    const entry = this.ledger.get(name);
    const now = Date.now();
    if (entry === undefined) return;
    this.ledger.add({ ...entry, used: now });
    if (now - entry.used < TOUCH_INTERVAL) return;
    const record = entry.fitId === undefined ? MODEL_RECORD : join('fits', entry.fitId, FIT_RECORD);
    await unlessMissing(utimes(join(this.modelPath(entry.modelId), record), now / 1000, now / 1000));
  }

  /** Removes every model and every fit that is not in use. */
  async clear(): Promise<void> {
    await this.makeRoom(undefined, 0);
  }

  /** Removes what is too much, but neither what is in use nor `spared`. */
  private makeRoom(spared?: string, limit = this.limit): Promise<void> {
    this.evicting = this.evicting.then(() => evict(this.ledger, this, limit, spared));
    return this.evicting;
  }

  async saveOperation(state: OperationState, id: string, record: string): Promise<void> {
    await writeAtomically(this.operationPath(state, id), record);
  }

  async readOperation(state: OperationState, id: string): Promise<string | undefined> {
    return isIdentifier(id) ? readTextIfThere(this.operationPath(state, id)) : undefined;
  }

  async operationIds(state: OperationState): Promise<string[]> {
    const names = await namesIn(join(this.root, 'operations', state));
    return names.map((name) => name.slice(0, -JSON_SUFFIX.length)).filter(isIdentifier);
  }

  async removeOperation(state: OperationState, id: string): Promise<boolean> {
    return isIdentifier(id) && removeFile(this.operationPath(state, id));
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
    for (const modelId of await this.modelIds()) {
      await this.enterModel(modelId);
      for (const fitId of await this.fitIds(modelId)) await this.enterFit(modelId, fitId);
    }
  }

  private async enterModel(modelId: string): Promise<void> {
    const path = this.modelPath(modelId);
    const record = await unlessMissing(stat(join(path, MODEL_RECORD)));
    if (record === undefined) return;
    const bytes = (await folderBytes(path, ['fits'])) ?? 0;
    this.ledger.add({ name: modelName(modelId), modelId, bytes, used: record.mtimeMs });
  }

  private async enterFit(modelId: string, fitId: string): Promise<void> {
    const path = this.fitPath(modelId, fitId);
    const record = await unlessMissing(stat(join(path, FIT_RECORD)));
    if (record === undefined) return;
    const bytes = (await folderBytes(path)) ?? 0;
    this.ledger.add({ name: fitNameIn(modelId, fitId), modelId, fitId, bytes, used: record.mtimeMs });
  }

  private modelPath(id: string): string {
    return join(this.root, 'models', id);
  }

  private fitPath(modelId: string, fitId: string): string {
    return join(this.modelPath(modelId), 'fits', fitId);
  }

  private operationPath(state: OperationState, id: string): string {
    return join(this.root, 'operations', state, `${id}${JSON_SUFFIX}`);
  }
}
