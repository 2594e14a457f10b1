import { basename } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { problems, type ServiceError } from '../errors.js';
import type { OperationResource } from '../schemas.js';
import { DamagedFile, ifDamaged } from '../store/checksums.js';
import { describeDamage } from '../store/damage.js';
import { forEachFile } from '../store/files.js';
import type { OperationState, Store } from '../store/store.js';
import { type ChainRecord, type OperationRecord, readRecord, writeRecord } from './operation-record.js';
import { type ListedOperation, listedAs, listedOperation, operationResource } from './operation-resource.js';

/** The status of an operation that was cancelled. */
const CANCELLED = problems.cancelled().code;

/** Operations that have ended since the start. */
export interface Outcomes {
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
}

/** What the store tells of operations: those that have ended, and those that an earlier server did not finish. */
export class RecordedOperations {
  private readonly store: Store;
  private readonly logger: FastifyBaseLogger;
  /** Ended operations of which there was no room on the disk to say so: the next server runs them again, unless cancelled. */
  private readonly unrecorded = new Map<string, OperationRecord>();
  private readonly counts = { succeeded: 0, failed: 0, cancelled: 0 };

  constructor(store: Store, logger: FastifyBaseLogger) {
    this.store = store;
    this.logger = logger;
  }

  get outcomes(): Outcomes {
    return this.counts;
  }

  /**
   * Records an operation that is to be run, in the place of one of the same identifier that has ended; false when another process
   * has it run.
   */
  async accept(record: OperationRecord): Promise<boolean> {
    if (!(await this.store.operations.claim(record.id))) return false;
    try {
      await this.store.operations.save('running', record.id, writeRecord(record));
      await this.store.operations.remove('ended', record.id);
    } catch (error) {
      await this.store.operations.release(record.id);
      throw error;
    }
    this.unrecorded.delete(record.id);
    return true;
  }

  /** Takes back what `accept` did. */
  async withdraw(id: string): Promise<void> {
    await this.store.operations.remove('running', id);
    await this.store.operations.release(id);
  }

  /** Records the end of an operation: with its fit when there is no error. */
  async conclude(record: OperationRecord, error: ServiceError | undefined): Promise<OperationRecord> {
    const ended = endedNow(record);
    const last = error === undefined ? ended : { ...ended, error: error.body() };
    try {
      await this.store.operations.save('ended', record.id, writeRecord(last));
      await this.store.operations.remove('running', record.id);
    } catch (problem) {
      this.logger.error(problem, `the end of operation ${record.id} could not be recorded`);
      this.unrecorded.set(record.id, last);
      if (error?.code === CANCELLED) await this.store.operations.remove('running', record.id);
    }
    await this.store.operations.release(record.id);
    this.counts[error === undefined ? 'succeeded' : error.code === CANCELLED ? 'cancelled' : 'failed']++;
    this.logger.info({ operation: record.id, error: error?.message }, 'operation ended');
    return last;
  }

  /**
   * Records the end of an operation whose fit is there, as the fit tells it. A fit that is damaged goes, to be made again.
   * Undefined when there is none.
   */
  async concludeMade(record: OperationRecord): Promise<OperationRecord | undefined> {
    const { id, modelId } = record;
    const text = await ifDamaged(this.store.fits.readRecord(modelId, id), () => undefined);
    if (text !== undefined && (await this.store.fits.isSound(modelId, id))) {
      return this.conclude(readRecord(text) ?? record, undefined);
    }
    await this.store.fits.remove(modelId, id);
    return undefined;
  }

  /** The record of an operation whose fit is there and sound, when both are known. */
  async findMade({ id, modelId }: OperationRecord): Promise<OperationRecord | undefined> {
    const known = await this.findEnded(id);
    if (known === undefined || known.error !== undefined) return undefined;
    return (await this.store.fits.isSound(modelId, id)) ? known : undefined;
  }

  /** Undefined when there is none of that identifier. */
  async find(id: string): Promise<OperationResource | undefined> {
    const found = await ifDamaged(
      this.read('ended', id).then((record) => record ?? this.read('running', id)),
      (damage) => damage,
    );
    if (found === undefined) return undefined;
    return found instanceof DamagedFile ? lostOperation(found) : operationResource(found);
  }

  /** Those that have ended, the first to end first, apart from those that run again. */
  async list(isRunning: (id: string) => boolean): Promise<ListedOperation[]> {
    const recorded = await this.store.operations.ended();
    const ended = recorded.filter(({ id }) => !isRunning(id) && !this.unrecorded.has(id));
    const unrecorded = [...this.unrecorded].filter(([id]) => !isRunning(id));
    return [
      ...ended.map(({ id, place }) => listedAs('c', place, id)),
      ...unrecorded.map(([id, record]) => listedAs('d', Date.parse(record.created), id, listedOperation(record))),
    ];
  }

  /** Forgets an operation that has ended. */
  async forget(id: string): Promise<void> {
    await this.store.operations.remove('ended', id);
    if (this.unrecorded.delete(id)) await this.store.operations.remove('running', id);
  }

  /**
   * What an earlier server did not finish and is to be run again, the oldest first; claimed for this process, unless another one has
   * it or it runs here. Records the ends of those that were finished.
   */
  async unfinished(isRunning: (id: string) => boolean): Promise<OperationRecord[]> {
    const left = (await this.store.operations.runningIds()).filter((id) => !isRunning(id));
    const found = await forEachFile(left, async (id) => {
      if (!(await this.store.operations.claim(id))) return undefined;
      return ifDamaged(this.read('running', id), () => this.giveUp(id));
    });
    const records = found.filter((record) => record !== undefined);
    const unfinished: OperationRecord[] = [];
    for (const record of records.sort((a, b) => a.created.localeCompare(b.created))) {
      // Of an operation whose last one failed there is an older record until the new one is accepted.
      const hasEnded = (await this.findEnded(record.id))?.created === record.created;
      if (hasEnded) await this.withdraw(record.id);
      else if ((await this.concludeMade(record)) === undefined) unfinished.push(record);
    }
    return unfinished;
  }

  /** Whether an operation has not ended, on this model when one is given. */
  async isUnfinished(id: string, modelId?: string): Promise<boolean> {
    const record = await ifDamaged(this.read('running', id), () => undefined);
    if (record === undefined || (modelId !== undefined && record.modelId !== modelId)) return false;
    return (await this.findEnded(id))?.created !== record.created;
  }

  /** Operations on a model that have not ended and do not run here. */
  async unfinishedOf(modelId: string, isRunning: (id: string) => boolean): Promise<readonly string[]> {
    const others = (await this.store.operations.runningIds()).filter((id) => !isRunning(id));
    const found = await forEachFile(others, async (id) => ((await this.isUnfinished(id, modelId)) ? [id] : []));
    return found.flat();
  }

  private async giveUp(id: string): Promise<undefined> {
    await this.store.operations.giveUp(id);
    await this.store.operations.release(id);
  }

  private findEnded(id: string): Promise<OperationRecord | undefined> {
    return ifDamaged(this.read('ended', id), () => undefined);
  }

  private async read(state: OperationState, id: string): Promise<OperationRecord | undefined> {
    const unrecorded = state === 'ended' ? this.unrecorded.get(id) : undefined;
    if (unrecorded !== undefined) return unrecorded;
    // A fit has a record of its own.
    const text = await ifDamaged(this.store.operations.read(state, id), async (damage) => {
      const made = await this.store.fits.readRecordOf(id);
      if (made === undefined) throw damage;
      return made;
    });
    return text === undefined ? undefined : readRecord(text);
  }
}

/** An operation of which nobody knows any more what it was. */
function lostOperation({ path }: DamagedFile): OperationResource {
  const name = `operations/${basename(path, '.json')}`;
  return { name, done: true, result: problems.damaged(describeDamage(path)).body() };
}

/** A record as it is kept when the operation has ended. */
export function endedNow({ data: _data, inputs: _inputs, ...rest }: OperationRecord): OperationRecord {
  const chains = rest.chains.map(({ seconds_left: _, ...chain }): ChainRecord => ({ ...chain, state: 'done' }));
  return { ...rest, chains, ended: new Date().toISOString() };
}
