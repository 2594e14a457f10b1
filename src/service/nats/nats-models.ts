import { Type } from 'typebox';
import type { ProgramSource } from '../../run/engine.js';
import { forEachFile } from '../store/files.js';
import { isIdentifier } from '../store/identifiers.js';
import { modelName } from '../store/ledger.js';
import type { CompiledFiles, StoredModel, StoredModels } from '../store/store.js';
import { inNats } from './away.js';
import type { Cluster } from './cluster.js';
import { readerOf } from './messages.js';
import type { NatsFits } from './nats-fits.js';
import { Values } from './values.js';

const readModel = readerOf(
  Type.Object({
    resource: Type.String(),
    program: Type.String(),
    includes: Type.Record(Type.String(), Type.String()),
    /** Of everything that is kept of it. */
    bytes: Type.Integer(),
    /** Engines that have compiled it. */
    engines: Type.Array(Type.String()),
  }),
);
type ModelValue = NonNullable<ReturnType<typeof readModel>>;

/** Models in a key-value store, and what they are compiled to as objects. */
export class NatsModels implements StoredModels {
  private readonly values: Values;
  private readonly files: Cluster['files'];
  private readonly fits: NatsFits;
  private readonly makeRoom: (spared: string) => void;

  /** `makeRoom` has what is too much removed, but not what is spared. */
  constructor({ models, files }: Cluster, fits: NatsFits, makeRoom: (spared: string) => void) {
    this.values = new Values(models, files);
    this.files = files;
    this.fits = fits;
    this.makeRoom = makeRoom;
  }

  async has(id: string): Promise<boolean> {
    return isIdentifier(id) && (await this.values.entry(id)) !== undefined;
  }

  async ids(): Promise<readonly string[]> {
    const ids: string[] = [];
    for await (const { key } of this.values.entries('*')) ids.push(key);
    return ids.sort();
  }

  async readResource(id: string): Promise<string | undefined> {
    return (await this.read(id))?.resource;
  }

  async readSource(id: string): Promise<ProgramSource | undefined> {
    const model = await this.read(id);
    return model && { program: model.program, includes: model.includes };
  }

  async readCompiled(id: string, engine: string): Promise<CompiledFiles | undefined> {
    if (!isIdentifier(id)) return undefined;
    const [artifact, wasm] = await Promise.all(namesOf(id, engine).map((name) => inNats(this.files.getBlob(name))));
    if (artifact === null || wasm === null) return undefined;
    return { artifact: Buffer.from(artifact).toString(), wasm };
  }

  async save(id: string, engine: string, { resource, source, ...files }: StoredModel): Promise<void> {
    await this.putCompiled(id, engine, files);
    const { program, includes } = source;
    const engines = new Set((await this.read(id))?.engines).add(engine);
    const bytes = Buffer.byteLength(resource + program + JSON.stringify(includes)) + bytesOf(files);
    await this.put(id, { resource, program, includes, bytes, engines: [...engines] });
    this.makeRoom(modelName(id));
  }

  async saveCompiled(id: string, engine: string, files: CompiledFiles): Promise<void> {
    const model = await this.read(id);
    if (model === undefined) return;
    await this.putCompiled(id, engine, files);
    const engines = new Set(model.engines).add(engine);
    await this.put(id, { ...model, bytes: model.bytes + bytesOf(files), engines: [...engines] });
  }

  async remove(id: string): Promise<boolean> {
    const model = await this.read(id);
    if (model === undefined || !(await this.values.remove(id))) return false;
    await forEachFile(
      model.engines.flatMap((engine) => namesOf(id, engine)),
      (name) => inNats(this.files.delete(name)),
    );
    await forEachFile(await this.fits.list(id), (fit) => this.fits.remove(id, fit.id));
    return true;
  }

  /** What each model takes, and when it was used last. */
  async *sizes(): AsyncGenerator<{ readonly id: string; readonly bytes: number; readonly used: number }> {
    for await (const entry of this.values.entries('*')) {
      const model = readModel(await this.values.textOf(entry));
      yield { id: entry.key, bytes: model?.bytes ?? entry.length, used: entry.created.getTime() };
    }
  }

  /** Puts it where it is once more, so that it counts as used now. */
  async touch(id: string): Promise<void> {
    const model = await this.read(id);
    if (model !== undefined) await this.put(id, model);
  }

  private async read(id: string): Promise<ModelValue | undefined> {
    const text = isIdentifier(id) ? await this.values.get(id) : undefined;
    return text === undefined ? undefined : readModel(text);
  }

  private put(id: string, model: ModelValue): Promise<void> {
    return this.values.put(id, JSON.stringify(model));
  }

  private async putCompiled(id: string, engine: string, { artifact, wasm }: CompiledFiles): Promise<void> {
    const [artifactName, moduleName] = namesOf(id, engine);
    await inNats(this.files.putBlob({ name: artifactName }, Buffer.from(artifact)));
    await inNats(this.files.putBlob({ name: moduleName }, wasm));
  }
}

function bytesOf({ artifact, wasm }: CompiledFiles): number {
  return Buffer.byteLength(artifact) + wasm.length;
}

/** Of the artifact and of the module. */
function namesOf(id: string, engine: string): readonly [string, string] {
  const name = `model.${id}.${engine}`;
  return [`${name}.artifact`, `${name}.module`];
}
