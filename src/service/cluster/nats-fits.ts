import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DamagedFile, ifDamaged, sealed } from '../../fit-files/checksums.js';
import { blockFolder, chainFile, FIT_RECORD, fetchedFolder } from '../../fit-files/layout.js';
import {
  clearAway,
  forEachFile,
  makeFolders,
  PRIVATE_FOLDER,
  readText,
  unlessMissing,
  writeDurably,
} from '../store/files.js';
import type { FitFolders } from '../store/fit-folders.js';
import { isIdentifier } from '../store/identifiers.js';
import { parseFitFolder } from '../store/own-files.js';
import {
  type HeldFit,
  type ListedFit,
  LostStore,
  PastBlock,
  type RecordSource,
  type StoredFits,
} from '../store/store.js';
import { inNats } from './away.js';
import type { Cluster } from './cluster.js';
import { getFiles, putFiles, removeObject, whenWhole } from './files.js';
import type { FitCache } from './fit-cache.js';
import {
  bundleName,
  chainOf,
  contentsKey,
  FIT_FILE,
  type FitContents,
  type FitFile,
  type FitFiles,
  keptKey,
  keyOf,
  objectName,
  partsOf,
  readContents,
  readFiles,
} from './fit-files.js';
import { type FitHead, KnownFits, readHead } from './known-fits.js';
import { Values } from './values.js';
import type { WatchedBucket } from './watched-bucket.js';
import type { WatchedBuckets } from './watched-buckets.js';

type FitValue = FitHead & FitContents;

/** Value of a chain that is being removed. */
const FORGOTTEN = '[]';

/**
 * Fits in key-value stores, with their files as objects. A fit exists while its head exists, a value with its mark and
 * size. Fits are written to local folders and read from the local cache.
 */
export class NatsFits implements StoredFits {
  private readonly cluster: Cluster;
  private readonly models: Values;
  private readonly heads: Values;
  private readonly contents: Values;
  private readonly kept: Values;
  private readonly bucket: WatchedBucket;
  private readonly known: KnownFits;
  private readonly folders: FitFolders;
  private readonly cache: FitCache;
  private readonly evict: () => Promise<void>;
  /** Chains of blocks that are being fetched, by the path of their records. */
  private readonly fetching = new Map<string, Promise<void>>();
  /** Folders of fits with a damaged file. */
  private readonly damaged = new Set<string>();

  constructor(
    cluster: Cluster,
    { fits, models }: WatchedBuckets,
    folders: FitFolders,
    cache: FitCache,
    evict: () => Promise<void>,
  ) {
    this.cluster = cluster;
    this.models = new Values(cluster, 'models', models);
    this.heads = new Values(cluster, 'fits', fits);
    this.contents = new Values(cluster, 'contents');
    this.kept = new Values(cluster, 'kept');
    this.bucket = fits;
    this.known = new KnownFits(fits);
    this.folders = folders;
    this.cache = cache;
    this.evict = evict;
  }

  choose(modelId: string, fitId: string): string {
    return this.folders.choose(modelId, fitId);
  }

  create(folder: string, chains: readonly number[]): Promise<void> {
    return this.folders.create(folder, chains);
  }

  async keepChain(folder: string, chain: number, block?: number): Promise<void> {
    const { modelId, id, mark: ownMark } = nameOf(folder);
    const source = block === undefined ? folder : blockFolder(folder, block);
    const part = block === undefined ? { mark: ownMark } : { mark: `${ownMark}-${block}`, block };
    const names = (await readdir(source)).filter((name) => FIT_FILE.test(name) && chainOf(name) === chain);
    const ordered = names.toSorted((one, other) => Number(isRecord(one)) - Number(isRecord(other)));
    const parts = await forEachFile(ordered, async (name) => ({ name, bytes: (await stat(join(source, name))).size }));
    const bytes = parts.reduce((sum, each) => sum + each.bytes, 0);
    const file = { name: bundleName(chain), ...part, bytes, parts };
    const paths = parts.map(({ name }) => join(source, name));
    await putFiles(this.cluster.files, objectName(modelId, id, file), paths);
    const past = await this.addKept(keptKey(modelId, id, chain), file);
    await this.removeFiles(modelId, id, past);
  }

  /**
   * Adds an object to the stored ones of a chain. Removes the objects of blocks that are no longer needed, and returns
   * them.
   */
  private async addKept(key: string, added: FitFile): Promise<FitFiles> {
    const { block, mark } = added;
    for (;;) {
      const entry = await this.kept.entry(key);
      const known = (entry === undefined ? undefined : readFiles(await this.kept.textOf(entry))) ?? [];
      // Another process may be publishing the files of an earlier worker, so these remain until the fit exists. The
      // previous block remains for another worker, in case this one dies before the block counts as ended.
      const isPast = (file: FitFile) => block !== undefined && file.block !== undefined && file.block < block - 1;
      const before = known.filter((file) => file.mark !== mark && !isPast(file));
      const text = JSON.stringify([...before, added]);
      const change = entry === undefined ? this.kept.create(key, text) : this.kept.update(key, text, entry.revision);
      if ((await change) !== undefined) return known.filter(isPast);
    }
  }

  async fetchBlock(folder: string, chains: readonly number[], block: number): Promise<string> {
    const to = fetchedFolder(folder, block);
    await makeFolders(to, PRIVATE_FOLDER);
    for (const chain of chains) {
      const record = chainFile(to, chain, 'json');
      const fetching =
        this.fetching.get(record) ??
        this.fetchBlockOf(folder, chain, block).finally(() => this.fetching.delete(record));
      this.fetching.set(record, fetching);
      await fetching;
    }
    return to;
  }

  discardBlock(folder: string, block: number): Promise<void> {
    return clearAway(fetchedFolder(folder, block));
  }

  private async fetchBlockOf(folder: string, chain: number, block: number): Promise<void> {
    const { modelId, id } = nameOf(folder);
    const to = fetchedFolder(folder, block);
    if ((await unlessMissing(stat(chainFile(to, chain, 'json')))) !== undefined) return;
    // A file is missing if a process that is ahead has removed the block after its files were listed.
    await whenWhole(async () => {
      const files = await this.filesOf(keptKey(modelId, id, chain), block);
      if (files === undefined)
        throw new PastBlock(`block ${block} of chain ${chain} of ${modelId}.${id} has not been stored`);
      await this.fetch(modelId, id, files, to);
    });
  }

  async lastBlock(folder: string, chains: readonly number[]): Promise<number | undefined> {
    const { modelId, id } = nameOf(folder);
    const blocks = await forEachFile(chains, async (chain) => {
      const files = await this.allFilesOf(keptKey(modelId, id, chain));
      return Math.max(-1, ...files.map(({ block = -1 }) => block));
    });
    // No chain is two blocks ahead of another one, so every chain still has the files of the slowest chain's block.
    const last = Math.min(...blocks);
    return last < 0 ? undefined : last;
  }

  /** Fetches the files of a chain, finished or part of a fit, to a folder; false if the chain does not exist. */
  async fetchChain(modelId: string, id: string, chain: number, folder: string): Promise<boolean> {
    const kept = await this.filesOf(keptKey(modelId, id, chain));
    const files = kept ?? (await this.read(modelId, id))?.files.filter(({ name }) => chainOf(name) === chain);
    if (files === undefined) return false;
    await this.fetch(modelId, id, files, folder);
    return true;
  }

  async forgetChains(folder: string, chains: readonly number[]): Promise<void> {
    const { modelId, id } = nameOf(folder);
    const keys = chains.map((chain) => keptKey(modelId, id, chain));
    // A process that has lost the operation may be publishing the fit. Either it detects that its chains are being
    // removed, or the fit exists when it is read below.
    const files = await forEachFile(keys, async (key) => {
      const kept = await this.allFilesOf(key);
      if (kept.length > 0) await this.kept.put(key, FORGOTTEN);
      return kept;
    });
    const fit = await this.read(modelId, id);
    await this.removeFiles(modelId, id, withoutThoseOf(files.flat(), fit?.files ?? []));
    await forEachFile(keys, (key) => this.kept.erase(key));
  }

  discard(folder: string): Promise<void> {
    return this.folders.discard(folder);
  }

  async publish(folder: string, chains: readonly number[], record: string): Promise<boolean> {
    const { modelId, id, mark } = nameOf(folder);
    const fit = await this.make(modelId, id, chains, { mark, record });
    if (fit === undefined) {
      await this.discard(folder);
      return false;
    }
    const [model] = await Promise.all([
      this.models.entry(modelId),
      this.dropKept(modelId, id, chains, fit.files),
      this.discard(folder),
    ]);
    if (model === undefined) {
      await this.remove(modelId, id);
      return false;
    }
    await this.evict();
    return true;
  }

  async has(modelId: string, fitId: string): Promise<boolean> {
    return areIdentifiers(modelId, fitId) && (await this.heads.entry(keyOf(modelId, fitId))) !== undefined;
  }

  async isSound(modelId: string, fitId: string): Promise<boolean> {
    const fit = await this.read(modelId, fitId);
    return fit !== undefined && !this.damaged.has(folderName(modelId, fitId, fit));
  }

  noteDamage(path: string): void {
    this.damaged.add(basename(join(path, '..')));
  }

  open(modelId: string, fitId: string): Promise<HeldFit | undefined> {
    return whenWhole(() => this.openAsItIs(modelId, fitId));
  }

  private async openAsItIs(modelId: string, fitId: string): Promise<HeldFit | undefined> {
    const fit = await this.readOrFind(modelId, fitId);
    if (fit === undefined || 'path' in fit) return fit;
    return this.cache.open(folderName(modelId, fitId, fit), async (folder) => {
      await this.fetch(modelId, fitId, fit.files, folder);
      await writeDurably(join(folder, FIT_RECORD), sealed(fit.record));
    });
  }

  async readRecord(modelId: string, fitId: string): Promise<string | undefined> {
    const fit = await this.readOrFind(modelId, fitId);
    if (fit === undefined || !('path' in fit)) return fit?.record;
    return readText(join(fit.path, FIT_RECORD)).finally(fit.release);
  }

  async readRecordOf(fitId: string): Promise<string | undefined> {
    if (!isIdentifier(fitId)) return undefined;
    await this.bucket.catchUp();
    const modelId = this.known.modelOf(fitId);
    return modelId === undefined ? undefined : this.readRecord(modelId, fitId);
  }

  async remove(modelId: string, fitId: string): Promise<boolean> {
    const head = await this.readHead(modelId, fitId);
    const fit = head && (await ifDamaged(this.read(modelId, fitId), () => ({ ...head, files: [] })));
    if (fit === undefined || !(await this.heads.remove(keyOf(modelId, fitId)))) return false;
    await this.contents.erase(contentsKey(modelId, fitId, fit));
    this.damaged.delete(folderName(modelId, fitId, fit));
    await this.removeFiles(modelId, fitId, fit.files);
    return true;
  }

  async list(modelId: string): Promise<readonly ListedFit[]> {
    await this.bucket.catchUp();
    return this.known.of(modelId);
  }

  records(modelId: string, fits: readonly ListedFit[]): Promise<readonly (RecordSource | undefined)[]> {
    return forEachFile(fits, async ({ id }) => {
      const text = await this.readRecord(modelId, id);
      return text === undefined ? undefined : { text };
    });
  }

  /** All existing fits. */
  async listAll(): Promise<ReturnType<KnownFits['all']>> {
    await this.bucket.catchUp();
    return this.known.all();
  }

  /** All fits that this process knows of, with the time of their last use. */
  all(): ReturnType<KnownFits['all']> {
    return this.known.all();
  }

  /** The objects of a fit, and of its stored chains. */
  async objectsOf(modelId: string, fitId: string, chains: readonly number[]): Promise<ReadonlySet<string>> {
    // Chains are stored until the fit exists, so in this order their files are found in at least one of the two places.
    const kept = await forEachFile(chains, (chain) => this.allFilesOf(keptKey(modelId, fitId, chain)));
    const fit = await this.read(modelId, fitId);
    return new Set([...kept.flat(), ...(fit?.files ?? [])].map((file) => objectName(modelId, fitId, file)));
  }

  /** Records the current time as the last use of a fit by rewriting its value. */
  async touch(modelId: string, fitId: string): Promise<void> {
    await this.heads.rewrite(keyOf(modelId, fitId));
  }

  /** The value of a fit in NATS. While NATS is unreachable, its folder in the local cache, if any. */
  private async readOrFind(modelId: string, fitId: string): Promise<FitValue | HeldFit | undefined> {
    try {
      return await this.read(modelId, fitId);
    } catch (error) {
      const cached = error instanceof LostStore ? await this.cache.find(`${keyOf(modelId, fitId)}.`) : undefined;
      if (cached === undefined) throw error;
      return cached;
    }
  }

  /** The mark of a fit; undefined if the fit does not exist. */
  async markOf(modelId: string, fitId: string): Promise<string | undefined> {
    return (await this.readHead(modelId, fitId))?.mark;
  }

  private async readHead(modelId: string, fitId: string): Promise<FitHead | undefined> {
    const text = areIdentifiers(modelId, fitId) ? await this.heads.get(keyOf(modelId, fitId)) : undefined;
    return text === undefined ? undefined : readHead(text);
  }

  /** Undefined if the fit does not exist. Throws `DamagedFile` if its contents are missing. */
  private read(modelId: string, fitId: string): Promise<FitValue | undefined> {
    return whenWhole(async () => {
      const head = await this.readHead(modelId, fitId);
      if (head === undefined) return undefined;
      const key = contentsKey(modelId, fitId, head);
      const text = await this.contents.get(key);
      if (text === undefined) throw new DamagedFile(key);
      const contents = readContents(text);
      return contents && { ...head, ...contents };
    });
  }

  /**
   * Publishes the stored chains as a fit. If another process does so concurrently, returns its fit. Undefined if another process
   * removes the chains concurrently.
   */
  private async make(
    modelId: string,
    id: string,
    chains: readonly number[],
    { mark, record }: Pick<FitValue, 'mark' | 'record'>,
  ): Promise<FitValue | undefined> {
    const kept = await forEachFile(chains, (chain) => this.filesOf(keptKey(modelId, id, chain)));
    const files = kept.flatMap((each) => each ?? []);
    // The fit may already exist: this process has published it without receiving the acknowledgment, or another process
    // has taken over the operation.
    const made = kept.includes(undefined) ? await this.read(modelId, id) : undefined;
    if (made !== undefined) return made;
    const missing = kept.indexOf(undefined);
    if (missing >= 0) throw new Error(`chain ${chains[missing]} of ${modelId}.${id} has not been stored`);
    const bytes = files.reduce((sum, file) => sum + file.bytes, Buffer.byteLength(record));
    const head: FitHead = { mark, bytes };
    await this.contents.put(contentsKey(modelId, id, head), JSON.stringify({ record, files }));
    const isMade = (await this.heads.create(keyOf(modelId, id), JSON.stringify(head))) !== undefined;
    if (isMade && !(await this.areThere(modelId, id, chains, files))) {
      await this.remove(modelId, id);
      return undefined;
    }
    const other = isMade ? undefined : await this.read(modelId, id);
    if (!isMade && other === undefined) throw new LostStore('NATS did not return the stored fit');
    if (other === undefined || other.mark === mark) return { ...head, record, files };
    await this.contents.erase(contentsKey(modelId, id, head));
    return other;
  }

  /**
   * Whether no process has removed the chains. (A process that finds the fit published also removes its chains, but not their files.)
   */
  private async areThere(modelId: string, id: string, chains: readonly number[], files: FitFiles): Promise<boolean> {
    const kept = await forEachFile(chains, (chain) => this.kept.get(keptKey(modelId, id, chain)));
    if (kept.includes(FORGOTTEN)) return false;
    if (!kept.includes(undefined)) return true;
    const found = await forEachFile(files, (file) => inNats(this.cluster.files.info(objectName(modelId, id, file))));
    return found.every((info) => info !== null && !info.deleted);
  }

  /** Removes stored chains and their files, except the files in `spared`. */
  private async dropKept(modelId: string, id: string, chains: readonly number[], spared: FitFiles): Promise<void> {
    await forEachFile(chains, async (chain) => {
      const key = keptKey(modelId, id, chain);
      const files = await this.allFilesOf(key);
      await this.kept.erase(key);
      await this.removeFiles(modelId, id, withoutThoseOf(files, spared));
    });
  }

  /** Fetches files. The record of a chain appears last, so chains with a record are complete. */
  private async fetch(modelId: string, id: string, files: FitFiles, folder: string): Promise<void> {
    const known = files.filter((file) => partsOf(file).every(({ name }) => FIT_FILE.test(name)));
    const get = (file: FitFile) =>
      getFiles(
        this.cluster,
        objectName(modelId, id, file),
        partsOf(file).map(({ bytes, name }) => ({ path: join(folder, name), bytes })),
      );
    await forEachFile(
      known.filter(({ name }) => !isRecord(name)),
      get,
    );
    await forEachFile(
      known.filter(({ name }) => isRecord(name)),
      get,
    );
  }

  private async removeFiles(modelId: string, id: string, files: FitFiles): Promise<void> {
    await forEachFile(files, (file) => removeObject(this.cluster, objectName(modelId, id, file)));
  }

  /** The files of a chain, or of one of its blocks, that its latest worker has stored. */
  private async filesOf(key: string, block?: number): Promise<FitFiles | undefined> {
    const files = (await this.allFilesOf(key)).filter((file) => file.block === block);
    const mark = files.at(-1)?.mark;
    return mark === undefined ? undefined : files.filter((file) => file.mark === mark);
  }

  /** The files of a chain from all of its workers, those of the latest worker last. */
  private async allFilesOf(key: string): Promise<FitFiles> {
    const text = await this.kept.get(key);
    return (text === undefined ? undefined : readFiles(text)) ?? [];
  }
}

function withoutThoseOf(files: FitFiles, spared: FitFiles): FitFiles {
  return files.filter((file) => !spared.some(({ name, mark }) => file.name === name && file.mark === mark));
}

function folderName(modelId: string, fitId: string, { mark, bytes }: FitHead): string {
  return `${modelId}.${fitId}.${mark}.${bytes}`;
}

function nameOf(folder: string) {
  const name = parseFitFolder(basename(folder));
  if (name === undefined) throw new Error(`${folder} is not the folder of a running fit`);
  return name;
}

function isRecord(file: string): boolean {
  return file.endsWith('.json');
}

function areIdentifiers(...ids: readonly string[]): boolean {
  return ids.every(isIdentifier);
}
