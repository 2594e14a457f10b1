/** Texts of any length in a key-value store: those that are too long for a message are files of their own. */

import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';
import type { KV, KvEntry } from '@nats-io/kv';
import { nuid } from '@nats-io/transport-node';
import { DamagedFile } from '../store/checksums.js';
import { asLoss, inNats } from './away.js';
import { type BucketName, type Cluster, streamOf } from './cluster.js';
import { getBytes, removeObject, whenWhole } from './files.js';

/** Bytes; a message of NATS may have a million by default. */
const LONGEST_VALUE = 1 << 18;
/** First characters of values: the text itself, or the name of the file that has it. */
const INLINE = '=';
const FILED = '@';
/** Begins the names of such files; the bucket, the key and something that no other write has follow. */
export const VALUE_OBJECT = 'value';

export class Values {
  private readonly cluster: Cluster;
  private readonly bucket: BucketName;
  private readonly kv: KV;

  constructor(cluster: Cluster, bucket: BucketName) {
    this.cluster = cluster;
    this.bucket = bucket;
    this.kv = cluster.buckets[bucket];
  }

  async put(key: string, text: string): Promise<void> {
    await inNats(this.kv.put(key, await this.valueOf(key, text)));
  }

  /** The revision; undefined when there is one of that key already. */
  async create(key: string, text: string): Promise<number | undefined> {
    const value = await this.valueOf(key, text);
    return unlessOther(this.kv.create(key, value));
  }

  /** Replaces what has this revision; gives the new revision, or undefined when it is not that one any more. */
  async update(key: string, text: string, revision: number): Promise<number | undefined> {
    const value = await this.valueOf(key, text);
    return unlessOther(this.kv.update(key, value, revision));
  }

  /** Writes the same once more, so that it has been written now; nothing when it is not there. */
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

  /** What is stored under a key, if anything is. */
  async entry(key: string): Promise<KvEntry | undefined> {
    const found = await this.find(key);
    if (found !== undefined) return found;
    // A server of NATS that was cut off for a while may know less than others. After a write none is believed that does.
    await this.cluster.markers.write(this.bucket);
    return this.find(key);
  }

  private async find(key: string): Promise<KvEntry | undefined> {
    const entry = await inNats(this.kv.get(key));
    return entry?.operation === 'PUT' ? entry : undefined;
  }

  async textOf(entry: Pick<KvEntry, 'key' | 'string'>): Promise<string> {
    return this.read(entry.key, entry.string());
  }

  /** The text of a value as it is stored. A promise only when it is a file of its own. */
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

  /** Removes a value and leaves its file, if it has one. False when what is there is of another revision. */
  async removeRevision(key: string, revision: number): Promise<boolean> {
    const removing = this.kv.delete(key, { previousSeq: revision }).then(() => true);
    return (await unlessOther(removing)) === true;
  }

  /** Has nothing there any more, whoever writes at the same time. */
  async clear(key: string): Promise<void> {
    const entry = await this.entry(key);
    if (entry === undefined) return;
    await inNats(this.kv.delete(key));
    await this.removeFileOf(entry);
  }

  /** Removes the key without a trace: watchers are not notified. */
  async erase(key: string): Promise<void> {
    const entry = await this.entry(key);
    if (entry === undefined) return;
    await eraseMessage(this.cluster, this.bucket, entry.revision);
    await this.removeFileOf(entry);
  }

  /** Whether an object is the text of what is stored now under its key. */
  async refersTo(object: string): Promise<boolean> {
    const entry = await this.entry(keyOfObject(object));
    return entry?.string() === FILED + object;
  }

  private async readFile(key: string, value: string): Promise<string> {
    const rest = value.slice(1);
    const isName = value.startsWith(`${FILED}${VALUE_OBJECT}.`);
    const bytes = isName ? await getBytes(this.cluster.files, rest) : undefined;
    if (bytes === undefined) throw new DamagedFile(key);
    return bytes.toString();
  }

  private async removeFileOf(entry: KvEntry): Promise<void> {
    const value = entry.string();
    if (value.startsWith(FILED)) await removeObject(this.cluster, value.slice(1));
  }

  /** Each write has a file of its own: what is removed with one key is never what another one needs. */
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

/** The text of a value as it is stored; empty when it is a file of its own. */
export function inlineText(value: string): string {
  return value.startsWith(INLINE) ? value.slice(1) : '';
}

/** Waits for a change; undefined when the value is not the one that was to be changed. */
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

/** Error code of JetStream: there is no such message, or not any more. */
const NO_MESSAGE: readonly number[] = [10037, 10043, 10057];

/** Removes what a bucket keeps of one revision of a key. */
export async function eraseMessage(cluster: Cluster, bucket: BucketName, revision: number): Promise<void> {
  try {
    await cluster.manager.streams.deleteMessage(streamOf(cluster, bucket), revision, false);
  } catch (error) {
    if (!(error instanceof JetStreamApiError && NO_MESSAGE.includes(error.code))) throw asLoss(error);
  }
}
