import { Type } from 'typebox';
import { ifDamaged } from '../../fit-files/checksums.js';
import { forEachFile } from '../store/files.js';
import { isIdentifier } from '../store/identifiers.js';
import { fitsUsedBy } from '../store/operation-resource.js';
import type { EndedOperation, OperationState, RecordSource, StoredOperations } from '../store/store.js';
import { Claims } from './claims.js';
import type { Cluster } from './cluster.js';
import { readerOf } from './messages.js';
import { Values } from './values.js';
import type { WatchedBucket, WatchedEntry } from './watched-bucket.js';
import type { WatchedBuckets } from './watched-buckets.js';

const readUses = readerOf(
  Type.Object({
    id: Type.String(),
    modelId: Type.String(),
    inputs: Type.Optional(Type.Record(Type.String(), Type.String())),
  }),
);

/** Maximum number of records of ended operations. */
const MOST_ENDED = 10_000;
/** Number of ended operations after which the limit is checked. */
const TRIMMED_AFTER = 100;

/** Records of operations in a key-value store. */
export class NatsOperations implements StoredOperations {
  private readonly values: Values;
  private readonly keys: WatchedBucket;
  private readonly claims: Claims;
  private saved = 0;

  /** `onLost` is called when another process has taken over an operation that this process was responsible for. */
  constructor(cluster: Cluster, { operations, makers }: WatchedBuckets, onLost: (id: string) => void) {
    this.values = new Values(cluster, 'operations', operations);
    this.keys = operations;
    this.claims = new Claims(makers, new Values(cluster, 'makers'), cluster.leaseTime, onLost);
  }

  async claim(id: string): Promise<boolean> {
    return isIdentifier(id) && this.claims.claim(id);
  }

  async adopt(id: string): Promise<boolean> {
    return isIdentifier(id) && this.claims.adopt(id);
  }

  isOwn(id: string): Promise<boolean> {
    return this.claims.has(id);
  }

  release(id: string): Promise<void> {
    return this.claims.release(id);
  }

  /** Releases all claims of this process. */
  close(): Promise<void> {
    return this.claims.close();
  }

  async save(state: OperationState, id: string, record: string): Promise<void> {
    await this.values.put(keyOf(state, id), record);
    if (state === 'ended' && this.saved++ % TRIMMED_AFTER === 0) await this.forgetSurplus();
  }

  async read(state: OperationState, id: string): Promise<string | undefined> {
    return isIdentifier(id) ? this.values.get(keyOf(state, id)) : undefined;
  }

  async remove(state: OperationState, id: string): Promise<boolean> {
    return isIdentifier(id) && this.values.remove(keyOf(state, id));
  }

  async giveUp(id: string): Promise<void> {
    const record = await ifDamaged(this.read('running', id), () => undefined);
    if (record !== undefined) await this.save('ended', id, record);
    await this.remove('running', id);
  }

  /** Names of the fits, with their models, that the running operations of all processes make or read. */
  async used(): Promise<readonly string[]> {
    const names = await forEachFile(await this.runningIds(), async (id) => {
      const text = await ifDamaged(this.read('running', id), () => undefined);
      const record = text === undefined ? undefined : readUses(text);
      return record === undefined ? [] : fitsUsedBy(record);
    });
    return names.flat();
  }

  async runningIds(): Promise<readonly string[]> {
    await this.keys.catchUp();
    return this.entriesOf('running').map(({ key }) => idIn(key));
  }

  async ended(): Promise<readonly EndedOperation[]> {
    await this.keys.catchUp();
    // Revisions increase with each write.
    return this.entriesOf('ended').map(({ key, revision }) => ({ id: idIn(key), place: revision }));
  }

  endedRecords(ids: readonly string[]): Promise<readonly (RecordSource | undefined)[]> {
    return forEachFile(ids, async (id) => {
      const text = await this.read('ended', id);
      return text === undefined ? undefined : { text };
    });
  }

  /** Keys in the order of writing. */
  private entriesOf(state: OperationState): WatchedEntry[] {
    const those = [...this.keys.all()].filter(({ key }) => key.startsWith(`${state}.`));
    return those.sort((a, b) => a.revision - b.revision);
  }

  private async forgetSurplus(): Promise<void> {
    const ended = await this.ended();
    const surplus = ended.slice(0, Math.max(0, ended.length - MOST_ENDED));
    await forEachFile(surplus, ({ id }) => this.remove('ended', id));
  }
}

function keyOf(state: OperationState, id: string): string {
  return `${state}.${id}`;
}

function idIn(key: string): string {
  return key.slice(key.indexOf('.') + 1);
}
