import { Type } from 'typebox';
import type { ProgramSource } from '../../chain/compiler.js';
import { DamagedFile, ifDamaged } from '../../fit-files/checksums.js';
import { forEachFile } from '../store/files.js';
import { isIdentifier } from '../store/identifiers.js';
import type { CompiledFiles, StoredModel, StoredModels } from '../store/store.js';
import { inNats } from './away.js';
import type { Cluster } from './cluster.js';
import { getBytes, removeObject, whenWhole } from './files.js';
import { readerOf } from './messages.js';
import type { NatsFits } from './nats-fits.js';
import { inlineText, Values } from './values.js';
import type { WatchedBucket } from './watched-bucket.js';
import type { WatchedBuckets } from './watched-buckets.js';

const readSize = readerOf(
  Type.Object({
    /** Total size of its values and objects. */
    bytes: Type.Integer(),
    /** Engines that have compiled it. */
    engines: Type.Array(Type.String()),
  }),
);
const readProgram = readerOf(
  Type.Object({
    resource: Type.String(),
    program: Type.String(),
    includes: Type.Record(Type.String(), Type.String()),
  }),
);
/** First word of the names of compiled files; followed by the model, the engine and the part. */
export const MODEL_OBJECT = 'model';

type ModelSize = NonNullable<ReturnType<typeof readSize>>;
type ModelProgram = NonNullable<ReturnType<typeof readProgram>>;

/** Models in key-value stores, with compiled files as objects. A model exists while the value with its size exists. */
export class NatsModels implements StoredModels {
  private readonly cluster: Cluster;
  private readonly sizes: Values;
  private readonly programs: Values;
  private readonly known: WatchedBucket;
  private readonly fits: NatsFits;
  private readonly evict: () => Promise<void>;

  /** `evict` removes models and fits above the limit. */
  constructor(cluster: Cluster, { models }: WatchedBuckets, fits: NatsFits, evict: () => Promise<void>) {
    this.cluster = cluster;
    this.sizes = new Values(cluster, 'models', models);
    this.programs = new Values(cluster, 'programs');
    this.known = models;
    this.fits = fits;
    this.evict = evict;
  }

  async has(id: string): Promise<boolean> {
    return isIdentifier(id) && (await this.sizes.entry(id)) !== undefined;
  }

  async ids(): Promise<readonly string[]> {
    await this.known.catchUp();
    return [...this.known.all()].map(({ key }) => key).sort();
  }

  async readResource(id: string): Promise<string | undefined> {
    return (await this.readProgram(id))?.resource;
  }

  async readSource(id: string): Promise<ProgramSource | undefined> {
    const model = await this.readProgram(id);
    return model && { program: model.program, includes: model.includes };
  }

  async readCompiled(id: string, engine: string): Promise<CompiledFiles | undefined> {
    if (!isIdentifier(id)) return undefined;
    const [artifact, wasm] = await Promise.all(namesOf(id, engine).map((name) => getBytes(this.cluster, name)));
    if (artifact === undefined || wasm === undefined) return undefined;
    return { artifact: artifact.toString(), wasm: new Uint8Array(wasm) };
  }

  async save(id: string, engine: string, { resource, source, ...files }: StoredModel): Promise<string> {
    const { program, includes } = source;
    await this.putCompiled(id, engine, files);
    const kept = await this.keepProgram(id, { resource, program, includes });
    const engines = new Set((await this.readSize(id))?.engines).add(engine);
    const bytes = Buffer.byteLength(resource + program + JSON.stringify(includes)) + bytesOf(files);
    await this.putSize(id, { bytes, engines: [...engines] });
    await this.evict();
    return kept.resource;
  }

  /** Stores a program if it is missing or damaged. Returns the stored program. */
  private async keepProgram(id: string, model: ModelProgram): Promise<ModelProgram> {
    const text = JSON.stringify(model);
    if ((await this.programs.create(id, text)) !== undefined) return model;
    const found = await ifDamaged(this.programs.get(id), () => undefined);
    const kept = (found === undefined ? undefined : readProgram(found)) ?? model;
    // The program is rewritten because a concurrent removal of leftovers could remove one with an old time.
    await this.programs.put(id, JSON.stringify(kept));
    return kept;
  }

  async saveCompiled(id: string, engine: string, files: CompiledFiles): Promise<void> {
    if ((await this.readSize(id)) === undefined) return;
    await this.putCompiled(id, engine, files);
    const size = await this.readSize(id);
    if (size === undefined) return this.removeCompiled(id, [engine]);
    const engines = new Set(size.engines).add(engine);
    await this.putSize(id, { bytes: size.bytes + bytesOf(files), engines: [...engines] });
  }

  async remove(id: string): Promise<boolean> {
    const size = await this.readSize(id);
    if (size === undefined || !(await this.sizes.remove(id))) return false;
    await this.programs.erase(id);
    await this.removeCompiled(id, size.engines);
    await forEachFile(await this.fits.list(id), (fit) => this.fits.remove(id, fit.id));
    return true;
  }

  /** The size of each model, and the time of its last use. */
  *all(): Generator<{ readonly id: string; readonly bytes: number; readonly used: number }> {
    for (const { key, text, written } of this.known.all())
      yield { id: key, bytes: readSize(inlineText(text))?.bytes ?? 0, used: written };
  }

  /** The objects of a model. */
  async objectsOf(id: string): Promise<ReadonlySet<string>> {
    const size = await this.readSize(id);
    return new Set(size?.engines.flatMap((engine) => namesOf(id, engine)));
  }

  /** Records the current time as the last use of a model by rewriting its value. */
  async touch(id: string): Promise<void> {
    await this.sizes.rewrite(id);
  }

  private async readSize(id: string): Promise<ModelSize | undefined> {
    const text = isIdentifier(id) ? await this.sizes.get(id) : undefined;
    return text === undefined ? undefined : readSize(text);
  }

  /** Undefined if the model does not exist. Throws `DamagedFile` if its program is missing. */
  private readProgram(id: string): Promise<ModelProgram | undefined> {
    return whenWhole(async () => {
      if (!(await this.has(id))) return undefined;
      const text = await this.programs.get(id);
      if (text === undefined) throw new DamagedFile(id);
      return readProgram(text);
    });
  }

  private putSize(id: string, size: ModelSize): Promise<void> {
    return this.sizes.put(id, JSON.stringify(size));
  }

  private async putCompiled(id: string, engine: string, { artifact, wasm }: CompiledFiles): Promise<void> {
    const { files } = this.cluster;
    const [artifactName, moduleName] = namesOf(id, engine);
    await inNats(files.putBlob({ name: artifactName }, Buffer.from(artifact)));
    await inNats(files.putBlob({ name: moduleName }, wasm));
  }

  private async removeCompiled(id: string, engines: readonly string[]): Promise<void> {
    const names = engines.flatMap((engine) => namesOf(id, engine));
    await forEachFile(names, (name) => removeObject(this.cluster, name));
  }
}

function bytesOf({ artifact, wasm }: CompiledFiles): number {
  return Buffer.byteLength(artifact) + wasm.length;
}

/** Names of the objects with the artifact and the module. */
function namesOf(id: string, engine: string): readonly [string, string] {
  const name = `${MODEL_OBJECT}.${id}.${engine}`;
  return [`${name}.artifact`, `${name}.module`];
}
