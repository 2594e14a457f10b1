import type { KvEntry } from '@nats-io/kv';
import { append } from '../../base/multimap.js';
import { forEachFile } from '../store/files.js';
import { isIdentifier } from '../store/identifiers.js';
import { inNats } from './away.js';
import type { BucketName, Cluster } from './cluster.js';
import { removeObject } from './files.js';
import { chainOf, FIT_OBJECT, keyOf } from './fit-files.js';
import type { NatsFits } from './nats-fits.js';
import { MODEL_OBJECT, type NatsModels } from './nats-models.js';
import type { NatsOperations } from './nats-operations.js';
import { eraseMessage, VALUE_OBJECT, Values } from './values.js';

/** Milliseconds between two removals in the whole cluster. */
const INTERVAL = 6 * 3_600_000;
/** Milliseconds during which the writer of an unreferenced object may still need it. */
const LONGEST_MAKING = 3_600_000;
/** A key in the bucket of finished chains. Its time of writing is the time of the last removal. */
const REMOVED = 'leftovers';

/** Stores whose data refer to objects. */
interface Owners {
  readonly models: NatsModels;
  readonly fits: NatsFits;
  readonly operations: NatsOperations;
}

/**
 * Removes unreferenced objects. A process writes an object before the reference to it, and removes it after the
 * reference, so objects remain if the process is killed or delayed in between.
 */
export class Leftovers {
  private readonly cluster: Cluster;
  private readonly owners: Owners;
  private readonly removals: Values;
  private timer: NodeJS.Timeout | undefined;

  constructor(cluster: Cluster, owners: Owners) {
    this.cluster = cluster;
    this.owners = owners;
    this.removals = new Values(cluster, 'kept');
  }

  /** Removes leftovers at intervals, starting at a random time. */
  start(): void {
    this.wait(Math.random() * INTERVAL);
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  /** Removes leftovers. `now` is in milliseconds since 1970. False if another process has done so within the interval. */
  async removeInTurn(now: number): Promise<boolean> {
    const last = await this.removals.entry(REMOVED);
    if (last !== undefined && Math.abs(now - last.created.getTime()) < INTERVAL) return false;
    const mine =
      last === undefined ? this.removals.create(REMOVED, '') : this.removals.update(REMOVED, '', last.revision);
    if ((await mine) === undefined) return false;
    // Objects have times of the NATS servers' clock. Ages are computed with the same clock, because the local one may
    // differ.
    const written = (await this.removals.entry(REMOVED))?.created.getTime() ?? now;
    await this.remove(written - LONGEST_MAKING);
    return true;
  }

  /** Removes leftovers that were written before a time. */
  async remove(before: number): Promise<void> {
    await this.forgetChains(before);
    await this.forgetContents(before);
    await this.forgetPrograms(before);
    await this.removeObjects(before);
  }

  private wait(milliseconds: number): void {
    // Failed removals are retried at the next interval.
    const remove = () => this.removeInTurn(Date.now()).catch(() => undefined);
    this.timer = setTimeout(() => void remove().then(() => this.wait(INTERVAL)), milliseconds).unref();
  }

  /** Removes stored chains of operations that have ended. */
  private async forgetChains(before: number): Promise<void> {
    const running = new Set(await this.owners.operations.runningIds());
    const keys = (await this.keysOf('kept')).filter((key) => key !== REMOVED && !running.has(key.split('.')[1]));
    await this.forget('kept', keys, before);
  }

  /** Removes contents of fits that do not exist. */
  private async forgetContents(before: number): Promise<void> {
    const known = new Map(
      [...(await this.owners.fits.listAll())].map(({ modelId, id, mark }) => [keyOf(modelId, id), mark]),
    );
    const isLeft = async (key: string): Promise<boolean> => {
      const [modelId, id, mark] = key.split('.');
      if (known.get(keyOf(modelId, id)) === mark) return false;
      return (await this.owners.fits.markOf(modelId, id)) !== mark;
    };
    await this.forget('contents', await this.keysOf('contents'), before, isLeft);
  }

  /** Removes programs of models that do not exist. */
  private async forgetPrograms(before: number): Promise<void> {
    const isLeft = async (id: string): Promise<boolean> => !(await this.owners.models.has(id));
    await this.forget('programs', await this.keysOf('programs'), before, isLeft);
  }

  /** Removes values, but not their objects, unless they change concurrently. */
  private async forget(
    bucket: BucketName,
    keys: readonly string[],
    before: number,
    isLeft: (key: string) => Promise<boolean> = async () => true,
  ): Promise<void> {
    const values = new Values(this.cluster, bucket);
    await forEachFile(keys, async (key) => {
      // A value that is written after this check has a different revision.
      const entry = (await isLeft(key)) ? await values.entry(key) : undefined;
      if (entry === undefined || !isOld(entry, before)) return;
      await eraseMessage(this.cluster, bucket, entry.revision);
    });
  }

  private async removeObjects(before: number): Promise<void> {
    const { files } = this.cluster;
    for (const [owner, names] of groupByOwner(await this.objects())) {
      const used = await this.usedOf(owner, names);
      for (const name of names.filter((one) => !used.has(one))) {
        const info = await inNats(files.info(name));
        if (info !== null && Date.parse(info.mtime) < before) await removeObject(this.cluster, name);
      }
    }
  }

  /** The objects of an owner that are in use. */
  private async usedOf(owner: string, names: readonly string[]): Promise<ReadonlySet<string>> {
    const { fits, models } = this.owners;
    const [kind, ...words] = owner.split('.');
    if (kind === VALUE_OBJECT && isBucket(words[0], this.cluster)) {
      const values = new Values(this.cluster, words[0]);
      const isUsed = await forEachFile(names, (name) => values.refersTo(name));
      return new Set(names.filter((_, k) => isUsed[k]));
    }
    if (kind === MODEL_OBJECT && isIdentifier(words[0])) return models.objectsOf(words[0]);
    if (kind === FIT_OBJECT && words.length === 2 && words.every(isIdentifier))
      return fits.objectsOf(words[0], words[1], chainsIn(names));
    return new Set(names);
  }

  private async keysOf(bucket: BucketName): Promise<string[]> {
    const keys: string[] = [];
    for await (const key of await inNats(this.cluster.buckets[bucket].keys())) keys.push(key);
    return keys.filter((key) => /^[a-z\d.]+$/.test(key));
  }

  /** Names of all objects. */
  private async objects(): Promise<string[]> {
    const { manager, prefix } = this.cluster;
    const metadata = `$O.${prefix}_files.M.`;
    const { state } = await inNats(manager.streams.info(`OBJ_${prefix}_files`, { subjects_filter: `${metadata}>` }));
    return Object.keys(state.subjects ?? {}).map((subject) =>
      Buffer.from(subject.slice(metadata.length), 'base64url').toString(),
    );
  }
}

function isOld({ created }: KvEntry, before: number): boolean {
  return created.getTime() < before;
}

function isBucket(name: string, { buckets }: Cluster): name is BucketName {
  return Object.hasOwn(buckets, name);
}

/** Number of words in an object's name that identify its owner. */
const OWNER_WORDS: Readonly<Record<string, number>> = { [FIT_OBJECT]: 3, [MODEL_OBJECT]: 2, [VALUE_OBJECT]: 2 };

/** Groups objects by owner: by the first words of their names. */
function groupByOwner(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const words = name.split('.');
    const owner = words.slice(0, OWNER_WORDS[words[0]]).join('.');
    append(groups, owner, name);
  }
  return groups;
}

/** The chains of the files of a fit. */
function chainsIn(objects: readonly string[]): readonly number[] {
  const chains = objects.map((name) => chainOf(name.split('.').slice(4).join('.')));
  return [...new Set(chains)].filter((chain) => chain !== undefined);
}
