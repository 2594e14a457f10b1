import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Type } from 'typebox';
import { chainFile, FIT_RECORD } from '../fits/layout.js';
import { sealed } from '../store/checksums.js';
import { forEachFile, writeDurably } from '../store/files.js';
import type { FitFolders } from '../store/fit-folders.js';
import { isIdentifier } from '../store/identifiers.js';
import { fitNameIn } from '../store/ledger.js';
import { parseFitFolder } from '../store/own-files.js';
import type { HeldFit, ListedFit, RecordSource, StoredFits } from '../store/store.js';
import { inNats } from './away.js';
import type { Cluster } from './cluster.js';
import { getFile, putFile } from './files.js';
import type { FitCache } from './fit-cache.js';
import { readerOf } from './messages.js';
import { Values } from './values.js';

const Files = Type.Array(Type.Object({ name: Type.String(), bytes: Type.Integer() }));
const readFit = readerOf(
  Type.Object({ mark: Type.String(), bytes: Type.Integer(), record: Type.String(), files: Files }),
);
const readFiles = readerOf(Files);
type FitValue = NonNullable<ReturnType<typeof readFit>>;

/** Files of a chain that are part of a fit. Names that come out of NATS must be such ones. */
const FIT_FILE = /^chain-\d+\.(?:json|messages|draws\.arrow|diagnostics\.arrow)$/;

/**
 * Fits in a key-value store, their files as objects. They are made in folders of this machine, and read in its cache. As the
 * identifier of a fit determines its draws, its files are named by that alone.
 */
export class NatsFits implements StoredFits {
  private readonly cluster: Cluster;
  private readonly values: Values;
  private readonly chains: Values;
  private readonly folders: FitFolders;
  private readonly cache: FitCache;
  private readonly makeRoom: (spared: string) => void;
  /** Folders of fits that have been found damaged. */
  private readonly damaged = new Set<string>();

  constructor(cluster: Cluster, folders: FitFolders, cache: FitCache, makeRoom: (spared: string) => void) {
    this.cluster = cluster;
    this.values = new Values(cluster.fits, cluster.files);
    this.chains = new Values(cluster.chains, cluster.files);
    this.folders = folders;
    this.cache = cache;
    this.makeRoom = makeRoom;
  }

  choose(modelId: string, fitId: string): string {
    return this.folders.choose(modelId, fitId);
  }

  create(folder: string, chains: readonly number[]): Promise<void> {
    return this.folders.create(folder, chains);
  }

  async keepChain(folder: string, chain: number): Promise<void> {
    const { modelId, id } = nameOf(folder);
    const names = (await readdir(folder)).filter((name) => FIT_FILE.test(name) && isOf(name, chain));
    const files = await forEachFile(names, async (name) => {
      await putFile(this.cluster.files, objectName(modelId, id, name), join(folder, name));
      return { name, bytes: (await stat(join(folder, name))).size };
    });
    await this.chains.put(`${modelId}.${id}.${chain}`, JSON.stringify(files));
  }

  discard(folder: string): Promise<void> {
    return this.folders.discard(folder);
  }

  async publish(folder: string, chains: readonly number[], record: string): Promise<boolean> {
    const { modelId, id, mark } = nameOf(folder);
    const keys = chains.map((chain) => `${modelId}.${id}.${chain}`);
    const files = (await forEachFile(keys, (key) => this.filesOf(key))).flat();
    const bytes = files.reduce((sum, file) => sum + file.bytes, Buffer.byteLength(record));
    const key = keyOf(modelId, id);
    await this.values.put(key, JSON.stringify({ mark, bytes, record, files } satisfies FitValue));
    for (const each of keys) await this.chains.remove(each);
    await this.discard(folder);
    if ((await new Values(this.cluster.models, this.cluster.files).entry(modelId)) === undefined) {
      await this.remove(modelId, id);
      return false;
    }
    this.makeRoom(fitNameIn(modelId, id));
    return true;
  }

  async has(modelId: string, fitId: string): Promise<boolean> {
    return areIdentifiers(modelId, fitId) && (await this.values.entry(keyOf(modelId, fitId))) !== undefined;
  }

  async isSound(modelId: string, fitId: string): Promise<boolean> {
    const fit = await this.read(modelId, fitId);
    return fit !== undefined && !this.damaged.has(folderName(modelId, fitId, fit));
  }

  noteDamage(path: string): void {
    this.damaged.add(basename(join(path, '..')));
  }

  async open(modelId: string, fitId: string): Promise<HeldFit | undefined> {
    const fit = await this.read(modelId, fitId);
    if (fit === undefined) return undefined;
    return this.cache.open(folderName(modelId, fitId, fit), async (folder) => {
      const names = fit.files.map(({ name }) => name).filter((name) => FIT_FILE.test(name));
      await forEachFile(names, (name) =>
        getFile(this.cluster.files, objectName(modelId, fitId, name), join(folder, name)),
      );
      await writeDurably(join(folder, FIT_RECORD), sealed(fit.record));
    });
  }

  async readRecord(modelId: string, fitId: string): Promise<string | undefined> {
    return (await this.read(modelId, fitId))?.record;
  }

  async readRecordOf(fitId: string): Promise<string | undefined> {
    if (!isIdentifier(fitId)) return undefined;
    for await (const entry of this.values.entries(`*.${fitId}`))
      return readFit(await this.values.textOf(entry))?.record;
    return undefined;
  }

  async remove(modelId: string, fitId: string): Promise<boolean> {
    const fit = await this.read(modelId, fitId);
    if (fit === undefined || !(await this.values.remove(keyOf(modelId, fitId)))) return false;
    this.damaged.delete(folderName(modelId, fitId, fit));
    await forEachFile(fit.files, ({ name }) => inNats(this.cluster.files.delete(objectName(modelId, fitId, name))));
    return true;
  }

  async list(modelId: string): Promise<readonly ListedFit[]> {
    const fits: ListedFit[] = [];
    if (!isIdentifier(modelId)) return fits;
    for await (const { fitId, fit } of this.all(`${modelId}.*`))
      fits.push({ id: fitId, mark: fit.mark, bytes: fit.bytes });
    return fits.sort((a, b) => (a.mark < b.mark ? 1 : -1));
  }

  records(modelId: string, fits: readonly ListedFit[]): Promise<readonly (RecordSource | undefined)[]> {
    return forEachFile(fits, async ({ id }) => {
      const text = await this.readRecord(modelId, id);
      return text === undefined ? undefined : { text };
    });
  }

  /** Every fit whose key fits. */
  async *all(filter: string) {
    for await (const entry of this.values.entries(filter)) {
      const [modelId = '', fitId = ''] = entry.key.split('.');
      const fit = readFit(await this.values.textOf(entry));
      if (fit !== undefined) yield { modelId, fitId, fit, used: entry.created.getTime() };
    }
  }

  /** Puts it where it is once more, so that it counts as used now. */
  async touch(modelId: string, fitId: string): Promise<void> {
    const fit = await this.read(modelId, fitId);
    if (fit !== undefined) await this.values.put(keyOf(modelId, fitId), JSON.stringify(fit));
  }

  private async read(modelId: string, fitId: string): Promise<FitValue | undefined> {
    const text = areIdentifiers(modelId, fitId) ? await this.values.get(keyOf(modelId, fitId)) : undefined;
    return text === undefined ? undefined : readFit(text);
  }

  private async filesOf(key: string): Promise<FitValue['files']> {
    const text = await this.chains.get(key);
    const files = text === undefined ? undefined : readFiles(text);
    if (files === undefined) throw new Error(`the chain ${key} has not been kept`);
    return files;
  }
}

function keyOf(modelId: string, fitId: string): string {
  return `${modelId}.${fitId}`;
}

function objectName(modelId: string, fitId: string, file: string): string {
  return `fit.${modelId}.${fitId}.${file}`;
}

function folderName(modelId: string, fitId: string, { mark, bytes }: FitValue): string {
  return `${modelId}.${fitId}.${mark}.${bytes}`;
}

function nameOf(folder: string) {
  const name = parseFitFolder(basename(folder));
  if (name === undefined) throw new Error(`${folder} is not where a fit is made`);
  return name;
}

function isOf(file: string, chain: number): boolean {
  return file.startsWith(basename(chainFile('', chain, 'json')).slice(0, -'json'.length));
}

function areIdentifiers(...ids: readonly string[]): boolean {
  return ids.every(isIdentifier);
}
