import { setMaxListeners } from 'node:events';
import type { FastifyBaseLogger } from 'fastify';
import type { OthersChains } from '../queue/queue.js';
import type { FitInTheMaking, Making } from '../queue/watched-journals.js';
import type { OperationResource } from '../schemas/operations.js';
import { currentClient } from '../store/client.js';
import type { ChainRecord, OperationRecord } from '../store/operation-record.js';
import {
  fitsUsedBy,
  type ListedOperation,
  listedUnfinished,
  operationResource,
  placeOf,
  stateOf,
} from '../store/operation-resource.js';
import type { Store } from '../store/store.js';
import { type GuardedOperation, spaceError } from './disk-guard.js';

/**
 * The work of an operation, which writes the fit to `folder`. It ends early if `controller` is aborted. Resolves to
 * whether the fit is finished.
 */
export type Work = (folder: string, controller: AbortController) => Promise<boolean>;

interface Running {
  /** Increases with each launched operation. */
  readonly place: number;
  readonly record: OperationRecord;
  readonly client: string;
  /** Folder of the operation's fit. */
  readonly folder: string;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
  /** Whether the fit is finished. */
  isFinished: boolean;
  /** Whether the end has been recorded, so that the operation is listed as ended. */
  isRecorded: boolean;
  /** Called when the operation advances. */
  readonly listeners: Set<() => void>;
  /** Ends the protection of the model and the fit from eviction. */
  readonly release: () => void;
}

/** Unfinished operations, running or waiting for a worker, in the order of their arrival. */
export class RunningOperations {
  private readonly store: Store;
  private readonly others: OthersChains | undefined;
  private readonly logger: FastifyBaseLogger;
  private readonly running = new Map<string, Running>();
  private last = 0;

  /** `others` reports on operations of other processes. */
  constructor(store: Store, others: OthersChains | undefined, logger: FastifyBaseLogger) {
    this.store = store;
    this.others = others;
    this.logger = logger;
  }

  /** Runs the work of an operation in the background. Its model is not evicted until the work is done. */
  launch(record: OperationRecord, work: Work): void {
    const controller = new AbortController();
    setMaxListeners(0, controller.signal);
    const held = fitsUsedBy(record).map((name) => this.store.hold(name));
    const release = () => {
      for (const free of held) free();
    };
    const folder = this.store.fits.choose(record.modelId, record.id);
    const ended = work(folder, controller)
      .then((isFinished) => {
        running.isFinished = isFinished;
      })
      .catch((error) => this.logger.error(error, `operation ${record.id} could not be recorded`))
      .finally(() => {
        this.running.delete(record.id);
        release();
      });
    const place = Math.max(placeOf(record), this.last + 1);
    this.last = place;
    const running: Running = {
      place,
      record,
      client: currentClient(),
      folder,
      controller,
      ended,
      isFinished: false,
      isRecorded: false,
      listeners: new Set(),
      release,
    };
    this.running.set(record.id, running);
    this.logger.info({ operation: record.id, function: record.function, model: record.modelId }, 'operation accepted');
  }

  /** Updates the record of a chain that has advanced. */
  note(record: OperationRecord, chain: ChainRecord, what: Partial<ChainRecord>): void {
    Object.assign(chain, what);
    for (const notify of this.running.get(record.id)?.listeners ?? []) notify();
  }

  /**
   * Called when the end of an operation has been recorded. The record replaces the running operation, and its fit is no
   * longer in use.
   */
  noteRecorded(id: string): void {
    const running = this.running.get(id);
    if (running === undefined) return;
    running.isRecorded = true;
    running.release();
  }

  /** The record of a running operation, unless its end has been recorded. */
  recordOf(id: string): OperationRecord | undefined {
    const running = this.running.get(id);
    return running?.isRecorded === true ? undefined : running?.record;
  }

  has(id: string): boolean {
    return this.running.has(id);
  }

  /** The operation with this identifier; undefined if it does not run here. */
  find(id: string): OperationResource | undefined {
    const running = this.running.get(id);
    return running && this.describe(running.record);
  }

  /** Running operations, then waiting ones in the order of the queue, excluding those whose end has been recorded. */
  list(): ListedOperation[] {
    const places = new Map(this.waiting().map(({ id }, index) => [id, index + 1]));
    const placeOf = (record: OperationRecord) => (this.others ? this.others.placeOf(record) : places.get(record.id));
    const listed = this.unrecorded().map(({ record, place }) => listedUnfinished(record, placeOf(record), place));
    return listed.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** Numbers of running and waiting operations. */
  count(): { readonly running: number; readonly waiting: number } {
    const waiting = this.waiting().length;
    return { running: this.unrecorded().length - waiting, waiting };
  }

  /** Number of waiting operations of each client. */
  waitingOfClients(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { client, record } of this.all())
      if (stateOf(record) === 'waiting') counts.set(client, (counts.get(client) ?? 0) + 1);
    return counts;
  }

  /** Calls `listener` whenever an operation advances. Resolves when the operation has ended or `signal` is aborted. */
  async follow(id: string, listener: (operation: OperationResource) => void, signal: AbortSignal): Promise<void> {
    const running = this.running.get(id);
    if (running === undefined) return;
    const notify = () => listener(this.describe(running.record));
    running.listeners.add(notify);
    signal.addEventListener('abort', () => running.listeners.delete(notify), { once: true });
    await running.ended;
  }

  /** The unfinished fit of an operation; undefined if it does not run here. */
  fitInTheMaking(id: string): FitInTheMaking | undefined {
    const running = this.running.get(id);
    if (running === undefined) return undefined;
    const state = (): Making => {
      if (this.running.get(id) === running) return 'in progress';
      return running.isFinished ? 'finished' : 'given up';
    };
    return { folder: running.folder, state };
  }

  /** Whether an operation is computing this fit. */
  isMaking(modelId: string, fitId: string): boolean {
    return this.running.get(fitId)?.record.modelId === modelId;
  }

  /** Cancels an operation and waits until it has ended; false if it does not run here. */
  async cancel(id: string): Promise<boolean> {
    const running = this.running.get(id);
    if (running === undefined) return false;
    running.controller.abort();
    await running.ended;
    return true;
  }

  /** Like `cancel`, for every operation on a model whose identifier `isChosen` accepts. */
  async cancelAllOf(modelId: string, isChosen: (id: string) => boolean): Promise<void> {
    const records = this.all().map(({ record }) => record);
    const those = records.filter((record) => record.modelId === modelId && isChosen(record.id));
    await Promise.all(those.map(({ id }) => this.cancel(id)));
  }

  /** The folders of running operations. */
  folders(): GuardedOperation[] {
    return this.unrecorded().map(({ controller, folder }) => ({
      folder,
      end: (lack) => controller.abort(spaceError(lack)),
    }));
  }

  /** Waits until no operation runs. */
  async settle(): Promise<void> {
    await Promise.all(this.all().map(({ ended }) => ended));
  }

  private all(): Running[] {
    return [...this.running.values()];
  }

  /** Operations whose end has not been recorded. */
  private unrecorded(): Running[] {
    return this.all().filter(({ isRecorded }) => !isRecorded);
  }

  /** The waiting operations, in order. */
  private waiting(): OperationRecord[] {
    return this.unrecorded().flatMap(({ record }) => (stateOf(record) === 'waiting' ? [record] : []));
  }

  private describe(record: OperationRecord): OperationResource {
    return operationResource(record, this.placeOf(record));
  }

  /** The position of a waiting operation among all waiting ones, from 1. */
  private placeOf(record: OperationRecord): number | undefined {
    if (stateOf(record) !== 'waiting') return undefined;
    if (this.others !== undefined) return this.others.placeOf(record);
    const place = this.waiting().indexOf(record);
    return place < 0 ? undefined : place + 1;
  }
}
