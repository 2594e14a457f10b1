/** Texts of any length in a key-value store. A text that is too long for a message is stored as an object. */

import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';
import type { KV, KvEntry } from '@nats-io/kv';
import { nuid } from '@nats-io/transport-node';
import { DamagedFile } from '../../fit-files/checksums.js';
import { LostStore } from '../store/store.js';
import { asLoss, inNats } from './away.js';
import { type BucketName, type Cluster, streamOf } from './cluster.js';
import { getBytes, removeObject, whenWhole } from './files.js';

/** Maximum bytes of a text in a message; below the default limit of NATS, 1 MB. */
const LONGEST_VALUE = 1 << 18;
/** First character of a value: either the text follows, or the name of the object that contains it. */
const INLINE = '=';
const FILED = '@';
/** First word of the names of such objects; followed by the bucket, the key and a unique identifier. */
export const VALUE_OBJECT = 'value';
/**
 * Maximum number of repeated reads of a key that a mirror contains; a concurrent change can make the first reply
 * outdated.
 */
const CONFIRMATIONS = 2;

/** The keys of a bucket that this process has received. */
export interface Mirror {
  has(key: string): boolean;
  /** Resolves when this revision has been received. Throws `LostStore` if that takes too long. */
  reach(revision: number): Promise<void>;
}

export class Values {
  private readonly cluster: Cluster;
  private readonly bucket: BucketName;
  private readonly kv: KV;
  private readonly mirror: Mirror | undefined;

  /** With a mirror of the bucket, a key counts as missing only if both NATS and the mirror lack it. */
  constructor(cluster: Cluster, bucket: BucketName, mirror?: Mirror) {
    this.cluster = cluster;
    this.bucket = bucket;
    this.kv = cluster.buckets[bucket];
    this.mirror = mirror;
  }

  async put(key: string, text: string): Promise<void> {
    await inNats(this.kv.put(key, await this.valueOf(key, text)));
  }

  /** The revision; undefined if the key exists. */
  async create(key: string, text: string): Promise<number | undefined> {
    const value = await this.valueOf(key, text);
    return unlessOther(this.kv.create(key, value));
  }

  /** Replaces a value with this revision. Returns the new revision, or undefined if the revision has changed. */
  async update(key: string, text: string, revision: number): Promise<number | undefined> {
    const value = await this.valueOf(key, text);
    return unlessOther(this.kv.update(key, value, revision));
  }

  /** Rewrites a value, if it exists, to update its time of writing. */
  async rewrite(key: string): Promise<void> {
    const entry = await this.entry(key);
    if (entry !== undefined) await unlessOther(this.kv.update(key, entry.value, entry.revision));
  }

  get(key: string): Promise<string | undefined> {
    return whenWhole(async () => {
      const entry = await this.entry(key);
      return entry && this.textOf(entry);
    });
  }

  /** The current entry of a key; undefined if it does not exist. Throws `LostStore` if NATS does not return an entry that exists. */
  async entry(key: string): Promise<KvEntry | undefined> {
    const found = await this.find(key);
    if (found !== undefined) return found;
    for (let count = 0; count < CONFIRMATIONS; count++) {
      // A NATS server that was disconnected may not have caught up with the others. After a write, the reply should be
      // up to date.
      const revision = await this.cluster.markers.write(this.bucket);
      const confirmed = await this.find(key);
      if (confirmed !== undefined || this.mirror === undefined) return confirmed;
      await this.mirror.reach(revision);
      if (!this.mirror.has(key)) return undefined;
    }
    throw new LostStore('a NATS server has not caught up with the others');
  }

  private async find(key: string): Promise<KvEntry | undefined> {
    const entry = await inNats(this.kv.get(key));
    return entry?.operation === 'PUT' ? entry : undefined;
  }

  async textOf(entry: Pick<KvEntry, 'key' | 'string'>): Promise<string> {
    return this.read(entry.key, entry.string());
  }

  /** The text of a stored value. A promise only if the text is an object. */
  read(key: string, value: string): string | Promise<string> {
    return value.startsWith(INLINE) ? value.slice(1) : this.readFile(key, value);
  }

  /** False if it does not exist, or another process has removed it concurrently. Concurrent writes are also removed. */
  async remove(key: string): Promise<boolean> {
    for (;;) {
      const entry = await this.entry(key);
      if (entry === undefined) return false;
      if (!(await this.removeRevision(key, entry.revision))) continue;
      await this.removeFileOf(entry);
      return true;
    }
  }

  /** Removes a value, but not its object. False if the revision has changed. */
  async removeRevision(key: string, revision: number): Promise<boolean> {
    const removing = this.kv.delete(key, { previousSeq: revision }).then(() => true);
    return (await unlessOther(removing)) === true;
  }

  /** Removes a key even if other processes write it concurrently. */
  async clear(key: string): Promise<void> {
    const entry = await this.entry(key);
    if (entry === undefined) return;
    await inNats(this.kv.delete(key));
    await this.removeFileOf(entry);
  }

  /** Removes the key and its deletion marker. Watchers are not notified. */
  async erase(key: string): Promise<void> {
    const entry = await this.entry(key);
    if (entry === undefined) return;
    await eraseMessage(this.cluster, this.bucket, entry.revision);
    await this.removeFileOf(entry);
  }

  /** Whether an object contains the text of the current value of its key. */
  async refersTo(object: string): Promise<boolean> {
    const entry = await this.entry(keyOfObject(object));
    return entry?.string() === FILED + object;
  }

  private async readFile(key: string, value: string): Promise<string> {
    const rest = value.slice(1);
    const isName = value.startsWith(`${FILED}${VALUE_OBJECT}.`);
    const bytes = isName ? await getBytes(this.cluster, rest) : undefined;
    if (bytes === undefined) throw new DamagedFile(key);
    return bytes.toString();
  }

  private async removeFileOf(entry: KvEntry): Promise<void> {
    const value = entry.string();
    if (value.startsWith(FILED)) await removeObject(this.cluster, value.slice(1));
  }

  /** Each write creates its own object, so removing one never affects another value. */
  private async valueOf(key: string, text: string): Promise<string> {
    if (Buffer.byteLength(text) < LONGEST_VALUE) return INLINE + text;
    const name = `${VALUE_OBJECT}.${this.bucket}.${key}.${nuid.next()}`;
    await inNats(this.cluster.files.putBlob({ name }, Buffer.from(text)));
    return FILED + name;
  }
}

function keyOfObject(name: string): string {
  return name.split('.').slice(2, -1).join('.');
}

/** The text of a stored value; empty if the text is an object. */
export function inlineText(value: string): string {
  return value.startsWith(INLINE) ? value.slice(1) : '';
}

/** The result of a change; undefined if the revision did not match. */
async function unlessOther<Value>(change: Promise<Value>): Promise<Value | undefined> {
  try {
    return await change;
  } catch (error) {
    if (isOtherThanExpected(error)) return undefined;
    throw asLoss(error);
  }
}

function isOtherThanExpected(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamWrongLastSequence;
}

/** Error codes of JetStream for a message that does not exist. */
const NO_MESSAGE: readonly number[] = [10037, 10043, 10057];

/** Removes the message of one revision of a key from a bucket. */
export async function eraseMessage(cluster: Cluster, bucket: BucketName, revision: number): Promise<void> {
  try {
    await cluster.manager.streams.deleteMessage(streamOf(cluster, bucket), revision, false);
  } catch (error) {
    if (!(error instanceof JetStreamApiError && NO_MESSAGE.includes(error.code))) throw asLoss(error);
  }
}
