import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { sealed } from '../../fit-files/checksums.js';
import type { ProgramSource } from '../../run/engine.js';
import {
  createFolder,
  entriesIn,
  folderBytes,
  readSealedIfThere,
  readTextIfThere,
  removeFolder,
  writeAtomically,
} from './files.js';
import { isIdentifier } from './identifiers.js';
import { type Ledger, modelName } from './ledger.js';
import type { CompiledFiles, StoredModel } from './store.js';

const ARTIFACT = 'artifact.json';
const MODULE = 'module.wasm';
const INCLUDES = 'includes.json';
const MODEL_RECORD = 'model.json';

/** Folders of models, each with the program and its compiled files. Invalid identifiers never exist. */
export class ModelFolders {
  private readonly root: string;
  private readonly temporary: string;
  private readonly ledger: Ledger;
  /** The latest pending change of each folder, by model. */
  private readonly changing = new Map<string, Promise<unknown>>();

  constructor(root: string, temporary: string, ledger: Ledger) {
    this.root = root;
    this.temporary = temporary;
    this.ledger = ledger;
  }

  /** Writes a model, or replaces its files. */
  async save(id: string, engine: string, model: StoredModel): Promise<void> {
    const compiled = join('compiled', engine);
    const { program, includes } = model.source;
    const texts: Readonly<Record<string, string>> = {
      [MODEL_RECORD]: model.resource,
      'program.stan': program,
      ...(Object.keys(includes).length > 0 && { [INCLUDES]: JSON.stringify(includes) }),
    };
    await this.inTurn(id, async () => {
      if (this.has(id) && lstatSync(this.path(id), { throwIfNoEntry: false }) !== undefined) {
        for (const [name, text] of Object.entries(texts))
          await writeAtomically(join(this.path(id), name), sealed(text));
        await this.replaceCompiled(id, engine, model);
      } else {
        const code = { [join(compiled, ARTIFACT)]: model.artifact, [join(compiled, MODULE)]: model.wasm };
        const content = { folders: ['compiled', compiled], files: sealedFiles({ ...texts, ...code }) };
        await createFolder(this.path(id), content, this.temporary);
      }
      this.enter(id);
    });
  }

  /** Replaces the compiled files of a model, of any engine, if the model still exists. */
  async saveCompiled(id: string, engine: string, files: CompiledFiles): Promise<void> {
    await this.inTurn(id, async () => {
      if (!this.has(id)) return;
      await this.replaceCompiled(id, engine, files);
      this.enter(id);
    });
  }

  async readResource(id: string): Promise<string | undefined> {
    return isIdentifier(id) ? readTextIfThere(join(this.path(id), MODEL_RECORD)) : undefined;
  }

  async readSource(id: string): Promise<ProgramSource | undefined> {
    if (!isIdentifier(id)) return undefined;
    const program = await readTextIfThere(join(this.path(id), 'program.stan'));
    const includes = await readTextIfThere(join(this.path(id), INCLUDES));
    return program === undefined
      ? undefined
      : { program, includes: includes === undefined ? {} : JSON.parse(includes) };
  }

  async readCompiled(id: string, engine: string): Promise<CompiledFiles | undefined> {
    if (!isIdentifier(id)) return undefined;
    const folder = join(this.path(id), 'compiled', engine);
    const artifact = await readTextIfThere(join(folder, ARTIFACT));
    const wasm = await readSealedIfThere(join(folder, MODULE));
    return artifact === undefined || wasm === undefined ? undefined : { artifact, wasm };
  }

  ids(): string[] {
    const folders = entriesIn(this.root).filter((entry) => entry.isDirectory());
    return folders.map(({ name }) => name).filter(isIdentifier);
  }

  /** Removes a model's folder; false if it does not exist. */
  remove(id: string): Promise<boolean> {
    return removeFolder(this.path(id), this.temporary);
  }

  /** Runs a change of a model's folder after all pending ones. */
  async inTurn<Result>(modelId: string, change: () => Promise<Result>): Promise<Result> {
    const before = this.changing.get(modelId) ?? Promise.resolve();
    const own = before.then(change, change);
    this.changing.set(modelId, own);
    return own.finally(() => {
      if (this.changing.get(modelId) === own) this.changing.delete(modelId);
    });
  }

  /** Adds a model on disk to the ledger. */
  enter(modelId: string): void {
    const path = this.path(modelId);
    const record = lstatSync(join(path, MODEL_RECORD), { throwIfNoEntry: false });
    if (!record?.isFile()) return;
    const { mtimeMs: used } = record;
    this.ledger.add({ name: modelName(modelId), modelId, bytes: folderBytes(path), used, noted: used });
  }

  /** The file whose modification time records the last use of a model. */
  recordPath(id: string): string {
    return join(this.path(id), MODEL_RECORD);
  }

  private async replaceCompiled(id: string, engine: string, { artifact, wasm }: CompiledFiles): Promise<void> {
    const folder = join(this.path(id), 'compiled');
    const older = entriesIn(folder).filter((entry) => entry.isDirectory());
    for (const { name } of older) await removeFolder(join(folder, name), this.temporary);
    const files = sealedFiles({ [ARTIFACT]: artifact, [MODULE]: wasm });
    await createFolder(join(folder, engine), { files }, this.temporary);
  }

  private has(id: string): boolean {
    return this.ledger.get(modelName(id)) !== undefined;
  }

  private path(id: string): string {
    return join(this.root, id);
  }
}

function sealedFiles(files: Readonly<Record<string, string | Uint8Array>>): Record<string, Uint8Array> {
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [name, sealed(content)]));
}
