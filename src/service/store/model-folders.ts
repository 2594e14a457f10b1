import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { ProgramSource } from '../../chain/compiler.js';
import { type Flaw, ifDamaged, sealed } from '../../fit-files/checksums.js';
import {
  createFolder,
  entriesIn,
  folderBytes,
  makeFolders,
  PRIVATE_FOLDER,
  readSealed,
  readText,
  removeFolder,
  writeAtomically,
} from './files.js';
import { isIdentifier } from './identifiers.js';
import { type Ledger, modelName } from './ledger.js';
import type { CompiledFiles, StoredModel } from './store.js';

const PROGRAM = 'program.stan';
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
      [PROGRAM]: program,
      ...(Object.keys(includes).length > 0 && { [INCLUDES]: JSON.stringify(includes) }),
    };
    const owners = ownersOf(id, Object.keys(includes).length > 0);
    await this.inTurn(id, async () => {
      if (lstatSync(this.path(id), { throwIfNoEntry: false })?.isDirectory()) {
        for (const [name, text] of Object.entries(texts))
          await writeAtomically(join(this.path(id), name), sealed(text, owners(name)));
        await this.replaceCompiled(id, engine, model);
      } else {
        const code = { [join(compiled, ARTIFACT)]: model.artifact, [join(compiled, MODULE)]: model.wasm };
        const content = { folders: ['compiled', compiled], files: sealedFiles({ ...texts, ...code }, owners) };
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

  readResource(id: string): Promise<string | undefined> {
    return this.reading(id, () => readText(join(this.path(id), MODEL_RECORD), id));
  }

  async readSource(id: string): Promise<ProgramSource | undefined> {
    return this.reading(id, async () => {
      const path = join(this.path(id), PROGRAM);
      const read = (hasIncludes: boolean) => readText(path, ownersOf(id, hasIncludes)(PROGRAM));
      // The seal without includes is also that of earlier versions.
      const alone = await unless('checksum', read(false));
      const program = alone ?? (await read(true));
      const reading = readText(join(this.path(id), INCLUDES), id);
      const includes = await (alone === undefined ? reading : unless('missing', reading));
      return { program, includes: includes === undefined ? {} : JSON.parse(includes) };
    });
  }

  /** Undefined also if a file is missing, for example because another engine has compiled the model. */
  async readCompiled(id: string, engine: string): Promise<CompiledFiles | undefined> {
    const folder = join(this.path(id), 'compiled', engine);
    return this.reading(id, async () => {
      const artifact = await unless('missing', readText(join(folder, ARTIFACT), id));
      const wasm = artifact === undefined ? undefined : await unless('missing', readSealed(join(folder, MODULE), id));
      return artifact === undefined || wasm === undefined ? undefined : { artifact, wasm };
    });
  }

  /** Undefined if the model does not exist, or is removed while it is read. */
  private async reading<Value>(id: string, read: () => Promise<Value>): Promise<Value | undefined> {
    if (!isIdentifier(id) || !this.has(id)) return undefined;
    return ifDamaged(read(), (damage) => {
      if (damage.flaw === 'missing' && !this.has(id)) return undefined;
      throw damage;
    });
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
    // A missing file is found and repaired when it is needed.
    const record = [MODEL_RECORD, PROGRAM]
      .map((file) => lstatSync(join(path, file), { throwIfNoEntry: false }))
      .find((file) => file?.isFile());
    if (record === undefined) return;
    const { mtimeMs: noted } = record;
    const name = modelName(modelId);
    const used = Math.max(noted, this.ledger.get(name)?.used ?? 0);
    this.ledger.add({ name, modelId, bytes: folderBytes(path), used, noted });
  }

  /** The file whose modification time records the last use of a model. */
  recordPath(id: string): string {
    return join(this.path(id), MODEL_RECORD);
  }

  private async replaceCompiled(id: string, engine: string, { artifact, wasm }: CompiledFiles): Promise<void> {
    const folder = join(this.path(id), 'compiled');
    await makeFolders(folder, PRIVATE_FOLDER);
    const older = entriesIn(folder).filter((entry) => entry.isDirectory());
    for (const { name } of older) await removeFolder(join(folder, name), this.temporary);
    const files = sealedFiles({ [ARTIFACT]: artifact, [MODULE]: wasm }, ownersOf(id, false));
    await createFolder(join(folder, engine), { files }, this.temporary);
  }

  private has(id: string): boolean {
    return this.ledger.get(modelName(id)) !== undefined;
  }

  private path(id: string): string {
    return join(this.root, id);
  }
}

/** The result of a read; undefined if the file has this flaw. */
function unless<Value>(flaw: Flaw, reading: Promise<Value>): Promise<Value | undefined> {
  return ifDamaged(reading, (damage) => {
    if (damage.flaw !== flaw) throw damage;
    return undefined;
  });
}

/**
 * The owners of the seals of a model's files, by file. That of the program states whether it has includes, so that their
 * file is known to be missing.
 */
function ownersOf(id: string, hasIncludes: boolean): (file: string) => string {
  return (file) => (file === PROGRAM && hasIncludes ? `${id} includes` : id);
}

function sealedFiles(
  files: Readonly<Record<string, string | Uint8Array>>,
  owners: (file: string) => string,
): Record<string, Uint8Array> {
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [name, sealed(content, owners(name))]));
}
