/**
 * What is kept on disk:
 *
 *     models/<model_id>/{model.json, program.stan, includes.json}    the last only when it has includes
 *     models/<model_id>/compiled/<engine>/{artifact.json, module.wasm}    made anew when the engine is another one
 *     models/<model_id>/fits/<fit_id>.ndjson         a finished fit
 *     operations/running/<operation_id>.json         accepted, not ended: the request and its seed
 *     operations/ended/<operation_id>.json           what became of it
 *     temporary/                                     what is being written or thrown away; emptied at the start
 *
 * Everything appears under its name by one rename, so that a name that is there means a whole file.
 */
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProgramSource } from '../jobs/engine.js';
import {
  createFolder,
  namesIn,
  publishFile,
  readTextIfThere,
  removeFile,
  removeFolder,
  unlessMissing,
  writeAtomically,
} from './files.js';
import { isIdentifier } from './identifiers.js';
import { lockFolder } from './lock.js';

export type OperationState = 'running' | 'ended';

const ARTIFACT = 'artifact.json';
const MODULE = 'module.wasm';
const INCLUDES = 'includes.json';
const FIT_SUFFIX = '.ndjson';
const JSON_SUFFIX = '.json';

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
  private readonly root: string;
  private readonly temporary: string;

  private readonly unlock: () => Promise<void>;

  private constructor(root: string, unlock: () => Promise<void>) {
    this.root = root;
    this.temporary = join(root, 'temporary');
    this.unlock = unlock;
  }

  /**
   * Opens a folder, made when it is not there; what an earlier server left half-done is cleared away. Throws when another
   * server has it open.
   */
  static async open(root: string): Promise<Store> {
    await mkdir(root, { recursive: true });
    const store = new Store(root, await lockFolder(root));
    await rm(store.temporary, { recursive: true, force: true });
    const folders = ['models', 'temporary', 'operations/running', 'operations/ended'];
    for (const folder of folders) await mkdir(join(root, folder), { recursive: true });
    return store;
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
      'model.json': model.resource,
      'program.stan': program,
      ...(Object.keys(includes).length > 0 && { [INCLUDES]: JSON.stringify(includes) }),
      [join(compiled, ARTIFACT)]: model.artifact,
      [join(compiled, MODULE)]: model.wasm,
    };
    await createFolder(this.modelPath(id), { folders: ['fits', compiled], files }, this.temporary);
  }

  /** Replaces what other engines have compiled the program of a model to. */
  async saveCompiled(id: string, engine: string, { artifact, wasm }: CompiledFiles): Promise<void> {
    const folder = join(this.modelPath(id), 'compiled');
    await createFolder(join(folder, engine), { files: { [ARTIFACT]: artifact, [MODULE]: wasm } }, this.temporary);
    const others = (await namesIn(folder)).filter((name) => name !== engine);
    for (const name of others) await removeFolder(join(folder, name), this.temporary);
  }

  async readModelResource(id: string): Promise<string | undefined> {
    return isIdentifier(id) ? readTextIfThere(join(this.modelPath(id), 'model.json')) : undefined;
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
    return isIdentifier(id) && removeFolder(this.modelPath(id), this.temporary);
  }

  /** Where the messages of a fit are collected until it is finished. */
  partialFitPath(fitId: string): string {
    return join(this.temporary, `${fitId}${FIT_SUFFIX}`);
  }

  /** Makes what has been collected the finished fit. */
  async publishFit(modelId: string, fitId: string): Promise<void> {
    await publishFile(this.partialFitPath(fitId), this.fitPath(modelId, fitId));
  }

  async discardPartialFit(fitId: string): Promise<void> {
    await removeFile(this.partialFitPath(fitId));
  }

  /** Path of a finished fit; undefined when there is none. */
  async findFit(modelId: string, fitId: string): Promise<string | undefined> {
    if (!isIdentifier(modelId) || !isIdentifier(fitId)) return undefined;
    const path = this.fitPath(modelId, fitId);
    return (await unlessMissing(stat(path))) === undefined ? undefined : path;
  }

  /** Removes a finished fit; false when there is none. */
  async removeFit(modelId: string, fitId: string): Promise<boolean> {
    return isIdentifier(modelId) && isIdentifier(fitId) && removeFile(this.fitPath(modelId, fitId));
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

  private modelPath(id: string): string {
    return join(this.root, 'models', id);
  }

  private fitPath(modelId: string, fitId: string): string {
    return join(this.modelPath(modelId), 'fits', `${fitId}${FIT_SUFFIX}`);
  }

  private operationPath(state: OperationState, id: string): string {
    return join(this.root, 'operations', state, `${id}${JSON_SUFFIX}`);
  }
}
