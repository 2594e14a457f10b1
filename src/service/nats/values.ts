/** Texts of any length in a key-value store: those that are too long for a message are files of their own. */

import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';
import type { KV, KvEntry } from '@nats-io/kv';
import type { ObjectStore } from '@nats-io/obj';
import { DamagedFile } from '../store/checksums.js';
import { identifierOf } from '../store/identifiers.js';
import { asLoss, inNats } from './away.js';

/** Bytes; a message of NATS may have a million unless it is told otherwise. */
const LONGEST_VALUE = 1 << 18;
/** First characters of values: the text itself, or the name of the file that has it. */
const INLINE = '=';
const FILED = '@';

export class Values {
  readonly kv: KV;
  private readonly files: ObjectStore;

  constructor(kv: KV, files: ObjectStore) {
    this.kv = kv;
    this.files = files;
  }

  async put(key: string, text: string): Promise<void> {
    await inNats(this.kv.put(key, await this.valueOf(text)));
  }

  /** False when there is one of that key already. */
  async create(key: string, text: string): Promise<boolean> {
    const value = await this.valueOf(text);
    return isDone(this.kv.create(key, value));
  }

  async get(key: string): Promise<string | undefined> {
    const entry = await this.entry(key);
    return entry && this.textOf(entry);
  }

  /** What is stored under a key, if anything is. */
  async entry(key: string): Promise<KvEntry | undefined> {
    const entry = await inNats(this.kv.get(key));
    return entry?.operation === 'PUT' ? entry : undefined;
  }

  async textOf(entry: Pick<KvEntry, 'key' | 'string'>): Promise<string> {
    const value = entry.string();
    const rest = value.slice(1);
    if (value.startsWith(INLINE)) return rest;
    const bytes = value.startsWith(FILED) ? await inNats(this.files.getBlob(rest)) : null;
    if (bytes === null) throw new DamagedFile(entry.key);
    return Buffer.from(bytes).toString();
  }

  /** False when there is none, or somebody else has removed it at the same time. */
  async remove(key: string): Promise<boolean> {
    const entry = await this.entry(key);
    if (entry === undefined) return false;
    const isRemoved = await isDone(this.kv.purge(key, { previousSeq: entry.revision }));
    if (isRemoved && entry.string().startsWith(FILED)) await inNats(this.files.delete(entry.string().slice(1)));
    return isRemoved;
  }

  /** Everything whose key fits, in the order in which it was put there. */
  async *entries(filter: string): AsyncGenerator<KvEntry> {
    for await (const entry of await inNats(this.kv.history({ key: filter })))
      if (entry.operation === 'PUT') yield entry;
  }

  private async valueOf(text: string): Promise<string> {
    if (Buffer.byteLength(text) < LONGEST_VALUE) return INLINE + text;
    const name = `value.${identifierOf('value', text)}`;
    await inNats(this.files.putBlob({ name }, Buffer.from(text)));
    return FILED + name;
  }
}

/** Waits for a change; false when the value is not the one that was to be changed. */
async function isDone(change: Promise<unknown>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    const isOther = error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamWrongLastSequence;
    if (isOther) return false;
    throw asLoss(error);
  }
}
