import { forEachFile } from '../store/files.js';
import { isIdentifier } from '../store/identifiers.js';
import type { EndedOperation, OperationState, RecordSource, StoredOperations } from '../store/store.js';
import { Claims } from './claims.js';
import type { Cluster } from './cluster.js';
import { Values } from './values.js';

/** How many ended operations are remembered. */
const MOST_ENDED = 10_000;
/** After so many ends it is looked whether there are more. */
const TRIMMED_AFTER = 100;

/** Records of operations in a key-value store. */
export class NatsOperations implements StoredOperations {
  private readonly values: Values;
  private readonly claims: Claims;
  private saved = 0;

  constructor({ operations, files, makers, leaseTime }: Cluster) {
    this.values = new Values(operations, files);
    this.claims = new Claims(makers, leaseTime);
  }

  async claim(id: string): Promise<boolean> {
    return isIdentifier(id) && this.claims.claim(id);
  }

  release(id: string): Promise<void> {
    return this.claims.release(id);
  }

  /** Leaves what this process has claimed to others. */
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
    const record = await this.read('running', id);
    if (record !== undefined) await this.save('ended', id, record);
    await this.remove('running', id);
  }

  async runningIds(): Promise<readonly string[]> {
    const ids: string[] = [];
    for await (const { key } of this.values.entries('running.*')) ids.push(idIn(key));
    return ids;
  }

  async ended(): Promise<readonly EndedOperation[]> {
    const ended: EndedOperation[] = [];
    // Revisions grow with each change.
    for await (const { key, revision } of this.values.entries('ended.*'))
      ended.push({ id: idIn(key), place: revision });
    return ended;
  }

  endedRecords(ids: readonly string[]): Promise<readonly (RecordSource | undefined)[]> {
    return forEachFile(ids, async (id) => {
      const text = await this.read('ended', id);
      return text === undefined ? undefined : { text };
    });
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
