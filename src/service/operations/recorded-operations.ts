import { basename } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { DamagedFile, ifDamaged } from '../../fit-files/checksums.js';
import { problems, type ServiceError } from '../errors.js';
import type { OthersChains } from '../queue/queue.js';
import type { OperationResource } from '../schemas/operations.js';
import { describeDamage } from '../store/damage.js';
import { forEachFile } from '../store/files.js';
import { type ChainRecord, type OperationRecord, readRecord, writeRecord } from '../store/operation-record.js';
import {
  type ListedOperation,
  listedAs,
  listedOperation,
  listedUnfinished,
  operationResource,
  placeOf,
} from '../store/operation-resource.js';
import { LostStore, type OperationState, type Store } from '../store/store.js';

/** The status of an operation that was cancelled. */
const CANCELLED = problems.cancelled().code;

/** Numbers of operations that have ended since the start. */
export interface Outcomes {
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
}

/** Options for recording the end of an operation. */
interface Conclusion {
  /** Whether another process may have recorded the end of the operation, in which case that end counts. */
  readonly mayHaveEnded?: boolean;
  /** Called when the end is stored, before the operation is removed from the unfinished ones. */
  readonly onRecorded?: () => void;
  /** Called when the end is recorded, before another process can claim the operation. */
  readonly beforeRelease?: () => Promise<void>;
}

/** The operations in the store: finished ones, and those that an earlier server did not finish. */
export class RecordedOperations {
  private readonly store: Store;
  private readonly others: OthersChains | undefined;
  private readonly logger: FastifyBaseLogger;
  /**
   * Ended operations whose end could not be recorded, for example because the disk is full. It is recorded when the store
   * can be written again. If that does not happen, the next server runs them again, unless they were cancelled.
   */
  private readonly unrecorded = new Map<string, OperationRecord>();
  /** Unfinished operations whose records are from another version. Each is logged once. */
  private readonly unreadable = new Set<string>();
  private readonly counts = { succeeded: 0, failed: 0, cancelled: 0 };

  /** `others` reports the progress of operations that other processes complete. */
  constructor(store: Store, others: OthersChains | undefined, logger: FastifyBaseLogger) {
    this.store = store;
    this.others = others;
    this.logger = logger;
  }

  get outcomes(): Outcomes {
    return this.counts;
  }

  /**
   * Records an operation that will run, replacing an ended one with the same identifier. False if another process runs
   * it.
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
    await this.recordLeft();
    return true;
  }

  /** Records the ends that could not be recorded, until one cannot be recorded again. */
  private async recordLeft(): Promise<void> {
    try {
      for (const [id, record] of this.unrecorded) {
        await this.store.operations.save('ended', id, writeRecord(record));
        if (this.unrecorded.get(id) !== record) continue;
        await this.store.operations.remove('running', id);
        this.unrecorded.delete(id);
      }
    } catch (problem) {
      this.logger.warn(problem, 'the ends of operations still cannot be recorded');
    }
  }

  /** Reverts `accept`. If this fails, the operation is left to the next process that claims it. */
  async withdraw(id: string): Promise<void> {
    try {
      await this.store.operations.remove('running', id);
    } finally {
      await this.store.operations.release(id);
    }
  }

  /** Records the end of an operation. Without an error, its fit is finished. */
  async conclude(
    record: OperationRecord,
    error: ServiceError | undefined,
    { beforeRelease, mayHaveEnded = false, onRecorded }: Conclusion = {},
  ): Promise<OperationRecord> {
    const ended = endedNow(record);
    const own = error === undefined ? ended : { ...ended, error: error.body() };
    const earlier = mayHaveEnded && this.store.isShared ? await this.endOf(record) : undefined;
    const last = earlier ?? own;
    try {
      if (earlier === undefined) await this.store.operations.save('ended', record.id, writeRecord(own));
      onRecorded?.();
      await this.store.operations.remove('running', record.id);
    } catch (problem) {
      if (problem instanceof LostStore && this.store.isShared) throw problem;
      this.logger.error(problem, `the end of operation ${record.id} could not be recorded`);
      this.unrecorded.set(record.id, last);
      if (error?.code === CANCELLED) await this.store.operations.remove('running', record.id);
    }
    await beforeRelease?.();
    await this.store.operations.release(record.id);
    this.counts[error === undefined ? 'succeeded' : error.code === CANCELLED ? 'cancelled' : 'failed']++;
    this.logger.info({ operation: record.id, error: error?.message }, 'operation ended');
    return last;
  }

  /**
   * Records the end of an operation whose fit exists, with the outcome in the fit. Deletes a corrupt fit, so that it is
   * computed again. Undefined without a fit.
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

  /** The record of an operation whose fit exists and is intact. */
  async findMade({ id, modelId }: OperationRecord): Promise<OperationRecord | undefined> {
    const known = await this.findEnded(id);
    if (known === undefined || known.error !== undefined) return undefined;
    return (await this.store.fits.isSound(modelId, id)) ? known : undefined;
  }

  /**
   * Whether the end of an operation that runs here is already recorded: by another process that has taken it over, or
   * by this process, which has not received the store's reply yet.
   */
  async isKnownToOthers(record: OperationRecord): Promise<boolean> {
    if (!this.store.isShared) return false;
    try {
      return (await this.endOf(record)) !== undefined;
    } catch (error) {
      if (error instanceof LostStore) return false;
      throw error;
    }
  }

  /** Undefined if no operation has that identifier. */
  async find(id: string): Promise<OperationResource | undefined> {
    const readEnded = () => this.read('ended', id);
    const found = await ifDamaged(
      readEnded()
        .then((record) => record ?? this.read('running', id))
        // The operation may have ended between the two reads.
        .then((record) => record ?? readEnded()),
      (damage) => damage,
    );
    if (found === undefined) return undefined;
    if (found instanceof DamagedFile) return lostOperation(found);
    if (found.ended !== undefined) return operationResource(found);
    await this.others?.catchUp();
    return operationResource(...this.completed(found));
  }

  /** The record of an operation of another process, completed with the states of its chains, and its position in the queue. */
  private completed(record: OperationRecord): Parameters<typeof operationResource> {
    const states = this.others?.statesOf(record);
    const chains = record.chains.map((chain, index) => ({ ...chain, ...states?.[index] }));
    return [{ ...record, chains }, this.others?.placeOf(record)];
  }

  /** Unfinished operations of other processes, then finished ones in the order in which they finished. */
  async list(isRunning: (id: string) => boolean): Promise<ListedOperation[]> {
    // In this order, an operation that ends in between is in at least one of the lists.
    const unfinished = await this.listUnfinished(isRunning);
    const recorded = await this.store.operations.ended();
    const ended = recorded.filter(({ id }) => !this.unrecorded.has(id));
    const unrecorded = [...this.unrecorded].filter(([id]) => !isRunning(id));
    return [
      ...unfinished,
      ...ended.map(({ id, place }) => listedAs('c', place, id)),
      ...unrecorded.map(([id, record]) => listedAs('d', Date.parse(record.created), id, listedOperation(record))),
    ];
  }

  /** Unfinished operations of other processes. */
  private async listUnfinished(isRunning: (id: string) => boolean): Promise<ListedOperation[]> {
    if (this.others === undefined) return [];
    const ids = (await this.store.operations.runningIds()).filter((id) => !isRunning(id));
    const listed = await forEachFile(ids, async (id) => {
      const record = await this.findRunning(id);
      if (record === undefined) return [];
      const [completed, place] = this.completed(record);
      return [listedUnfinished(completed, place, placeOf(record))];
    });
    return listed.flat();
  }

  /** Deletes the record of a finished operation. */
  async forget(id: string): Promise<void> {
    await this.store.operations.remove('ended', id);
    if (this.unrecorded.delete(id)) await this.store.operations.remove('running', id);
  }

  /**
   * Claims and returns the operations that an earlier server did not finish and that must run again, the oldest first,
   * excluding those that run here or belong to another process. Records the end of those whose fits are finished.
   */
  async unfinished(isRunning: (id: string) => boolean): Promise<OperationRecord[]> {
    const left = (await this.store.operations.runningIds()).filter((id) => !isRunning(id));
    const found = await forEachFile(left, async (id) => {
      if (!(await this.store.operations.adopt(id))) return undefined;
      return this.orLeave(id, async () => {
        const record = await ifDamaged(this.read('running', id), () => this.giveUp(id));
        return record ?? this.leave(id);
      });
    });
    const records = found.filter((record) => record !== undefined);
    const unfinished: OperationRecord[] = [];
    for (const record of records.sort((a, b) => a.created.localeCompare(b.created))) {
      const isLeft = await this.orLeave(record.id, () => this.isToBeRun(record));
      if (isLeft === true) unfinished.push(record);
    }
    return unfinished;
  }

  /** Releases an operation if `look` fails. Otherwise it would stay claimed without running. */
  private async orLeave<Value>(id: string, look: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await look();
    } catch (error) {
      this.logger.warn(error, `operation ${id} could not be read`);
      await this.store.operations.release(id).catch(() => undefined);
      return undefined;
    }
  }

  /** Whether an unfinished operation must run again. If not, its end is recorded. */
  private async isToBeRun(record: OperationRecord): Promise<boolean> {
    const hasEnded = (await this.endOf(record)) !== undefined;
    if (hasEnded) await this.withdraw(record.id);
    return !hasEnded && (await this.concludeMade(record)) === undefined;
  }

  /** Whether an operation (on this model, if given) is unfinished. */
  async isUnfinished(id: string, modelId?: string): Promise<boolean> {
    return (await this.findUnfinished(id, modelId)) !== undefined;
  }

  /** The record of an unfinished operation (on this model, if given). */
  async findUnfinished(id: string, modelId?: string): Promise<OperationRecord | undefined> {
    const record = await this.findRunning(id);
    if (record === undefined || (modelId !== undefined && record.modelId !== modelId)) return undefined;
    return (await this.endOf(record)) === undefined ? record : undefined;
  }

  /** Unfinished operations on a model that do not run here. */
  async unfinishedOf(modelId: string, isRunning: (id: string) => boolean): Promise<readonly string[]> {
    const others = (await this.store.operations.runningIds()).filter((id) => !isRunning(id));
    const found = await forEachFile(others, async (id) => ((await this.isUnfinished(id, modelId)) ? [id] : []));
    return found.flat();
  }

  /** Removes an operation with a damaged record, so that no process finds it again. */
  private async giveUp(id: string): Promise<undefined> {
    this.logger.warn({ operation: id }, 'an operation was abandoned because its record is damaged');
    await this.store.operations.giveUp(id);
  }

  /**
   * Leaves an operation to other processes: it has just ended, or a server of another version has written its record.
   */
  private async leave(id: string): Promise<undefined> {
    await this.store.operations.release(id);
    if (this.unreadable.has(id) || !(await this.store.operations.runningIds()).includes(id)) return;
    this.unreadable.add(id);
    this.logger.warn({ operation: id }, 'the record of an operation cannot be read');
  }

  /** Undefined for a record that does not exist or cannot be read. */
  private findRunning(id: string): Promise<OperationRecord | undefined> {
    return ifDamaged(this.read('running', id), () => undefined);
  }

  /** The recorded end of an operation, if any. */
  private async endOf({ created, id }: OperationRecord): Promise<OperationRecord | undefined> {
    const ended = await this.findEnded(id);
    // The record of a failed operation with the same identifier exists until the new operation is accepted.
    return ended?.created === created ? ended : undefined;
  }

  private findEnded(id: string): Promise<OperationRecord | undefined> {
    return ifDamaged(this.read('ended', id), () => undefined);
  }

  private async read(state: OperationState, id: string): Promise<OperationRecord | undefined> {
    const unrecorded = state === 'ended' ? this.unrecorded.get(id) : undefined;
    if (unrecorded !== undefined) return unrecorded;
    // A fit contains its own record.
    return ifDamaged(this.readOwn(state, id), async (damage) => {
      const made = await this.store.fits.readRecordOf(id);
      if (made === undefined) throw damage;
      return readRecord(made);
    });
  }

  private async readOwn(state: OperationState, id: string): Promise<OperationRecord | undefined> {
    const text = await this.store.operations.read(state, id);
    const record = text === undefined ? undefined : readRecord(text);
    if (record !== undefined && record.id !== id) throw new DamagedFile(`${id}.json`, 'foreign');
    return record;
  }
}

/** An operation whose record is lost. */
function lostOperation(damage: DamagedFile): OperationResource {
  const name = `operations/${basename(damage.path, '.json')}`;
  return { name, done: true, result: problems.damaged(describeDamage(damage)).body() };
}

/** The part of an operation's record that is kept when it has ended. */
export function endedNow({ data: _data, inputs: _inputs, ...rest }: OperationRecord): OperationRecord {
  const chains = rest.chains.map(
    ({ estimates: _, seconds_left: __, shortfall: ___, ...chain }): ChainRecord => ({ ...chain, state: 'done' }),
  );
  return { ...rest, chains, ended: new Date().toISOString() };
}
