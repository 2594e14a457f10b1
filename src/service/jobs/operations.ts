import { randomInt } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { basename } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { isDiskFull, problems, ServiceError } from '../errors.js';
import type { OperationResource } from '../schemas.js';
import { DamagedFile, ifDamaged } from '../store/checksums.js';
import { describeDamage } from '../store/damage.js';
import { forEachFile } from '../store/files.js';
import { identifierOf, randomIdentifier } from '../store/identifiers.js';
import { modelName } from '../store/ledger.js';
import type { OperationState } from '../store/operation-records.js';
import { LostStore, type Store } from '../store/store.js';
import type { FitInTheMaking, Making } from '../watched-journals.js';
import { ChainRuns } from './chain-runs.js';
import type { FitInputs } from './fit-inputs.js';
import type { FitRequest } from './fit-request.js';
import type { Models } from './models.js';
import { type ChainRecord, type OperationRecord, readRecord, writeRecord } from './operation-record.js';
import { fitName, listedOperation, operationResource, stateOf } from './operation-resource.js';
import { JobStopped, type WorkerPool } from './pool.js';

/** An operation in a list. Keys are in the list's order. */
export interface ListedOperation {
  readonly id: string;
  readonly key: string;
  /** Absent when its record tells it. */
  readonly resource?: OperationResource;
}

interface Running {
  /** How many were launched before. */
  readonly place: number;
  readonly record: OperationRecord;
  /** Where its fit is made. */
  readonly folder: string;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
  /** Called when it has got further. */
  readonly listeners: Set<() => void>;
}

export interface OperationLimits {
  /** Milliseconds that an operation may take from when its first chain runs; no limit when absent. */
  readonly operationTimeout: number | undefined;
  /** Most operations that wait for a worker. */
  readonly maxQueue: number;
  readonly memoryMebibytes: number;
}

/** The status of an operation that was cancelled. */
const CANCELLED = problems.cancelled().code;

export interface OperationStatistics {
  readonly running: number;
  readonly waiting: number;
  /** Since the start. */
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly gradients: number;
}

/**
 * Runs functions of the services namespace in the background. An operation is on disk before it is acknowledged, its fit is on disk
 * before it counts as done; one that a shutdown interrupts is run again from its seed by the next server.
 */
export class Operations {
  private readonly store: Store;
  private readonly models: Models;
  private readonly inputs: FitInputs;
  private readonly pool: WorkerPool;
  private readonly runs: ChainRuns;
  private readonly limits: OperationLimits;
  private readonly logger: FastifyBaseLogger;
  private readonly running = new Map<string, Running>();
  private readonly starting = new Map<string, Promise<OperationResource>>();
  /** Models that are being deleted. */
  private readonly deleting = new Map<string, Promise<void>>();
  /** Ended operations of which there was no room on the disk to say so: the next server runs them again, unless cancelled. */
  private readonly unrecorded = new Map<string, OperationRecord>();
  private readonly counts = { succeeded: 0, failed: 0, cancelled: 0, gradients: 0 };
  private launched = 0;
  /** Operations on their way to being recorded. */
  private accepting = 0;
  private draining = false;

  constructor(
    store: Store,
    models: Models,
    inputs: FitInputs,
    pool: WorkerPool,
    limits: OperationLimits,
    logger: FastifyBaseLogger,
  ) {
    this.store = store;
    this.models = models;
    this.inputs = inputs;
    this.pool = pool;
    this.limits = limits;
    this.logger = logger;
    const listener = {
      note: (record: OperationRecord, chain: ChainRecord, what: Partial<ChainRecord>) => this.note(record, chain, what),
      countGradients: (count: number) => {
        this.counts.gradients += count;
      },
      noteDamage: (path: string) => store.noteDamage(path),
    };
    this.runs = new ChainRuns(pool, limits.operationTimeout, listener, logger);
  }

  /** Starts a fit, or finds the one that the same request with the same seed has started or finished. */
  async start(modelId: string, request: FitRequest): Promise<OperationResource> {
    if (this.draining) throw problems.closing();
    if (this.isDeleted(modelId)) throw problems.modelNotFound(modelId);
    const id = request.seed === undefined ? randomIdentifier() : fitIdentifier(modelId, request);
    const release = this.store.ledger.hold(modelName(modelId));
    const starting =
      this.starting.get(id) ?? this.startNew(id, modelId, request).finally(() => this.starting.delete(id));
    this.starting.set(id, starting);
    return starting.finally(release);
  }

  /** Those that run, those that wait in the order of the queue, and those that have ended, the first to end first. */
  list(): ListedOperation[] {
    const live = [...this.running.values()];
    const running = live.filter(({ record }) => stateOf(record) === 'running');
    const waiting = live.filter(({ record }) => stateOf(record) === 'waiting');
    const ended = this.store.operations.endedIds().filter((id) => !this.running.has(id) && !this.unrecorded.has(id));
    const unrecorded = [...this.unrecorded].filter(([id]) => !this.running.has(id));
    return [
      ...running.map(({ record, place }) => listedAs('a', place, record.id, listedOperation(record))),
      ...waiting.map(({ record, place }, k) => listedAs('b', place, record.id, listedOperation(record, k + 1))),
      ...ended.map((id) => listedAs('c', this.store.operations.endOf(id) ?? 0, id)),
      ...unrecorded.map(([id, record]) => listedAs('d', Date.parse(record.created), id, listedOperation(record))),
    ];
  }

  async get(id: string): Promise<OperationResource> {
    const running = this.running.get(id)?.record;
    if (running !== undefined) return this.describe(running);
    const found = await ifDamaged(
      this.record('ended', id).then((record) => record ?? this.record('running', id)),
      (damage) => damage,
    );
    if (found === undefined) throw problems.operationNotFound(id);
    return found instanceof DamagedFile ? lostOperation(found) : operationResource(found);
  }

  /** As `get`, without what lists leave out. */
  async getListed(id: string): Promise<OperationResource> {
    const { metadata, ...rest } = await this.get(id);
    if (metadata === undefined) return rest;
    const { adaptation: _, ...listed } = metadata;
    const { name, done, ...ended } = rest;
    return { name, done, metadata: listed, ...ended };
  }

  /** Calls back whenever an operation has got further, until it has ended, which resolves, or `signal` says that it is enough. */
  async follow(id: string, listener: (operation: OperationResource) => void, signal: AbortSignal): Promise<void> {
    const running = this.running.get(id);
    if (running === undefined) return;
    const notify = () => listener(this.describe(running.record));
    running.listeners.add(notify);
    signal.addEventListener('abort', () => running.listeners.delete(notify), { once: true });
    await running.ended;
  }

  statistics(): OperationStatistics {
    const waiting = this.waiting().length;
    return { running: this.running.size - waiting, waiting, ...this.counts };
  }

  /** The fit that an operation makes; undefined when it does not run. */
  fitInTheMaking(id: string): FitInTheMaking | undefined {
    const running = this.running.get(id);
    if (running === undefined) return undefined;
    const { folder, record } = running;
    const state = (): Making => {
      if (this.running.get(id) === running) return 'going on';
      return this.store.hasFit(record.modelId, id) ? 'finished' : 'given up';
    };
    return { folder, state };
  }

  /** Whether a fit of this model is being made. */
  isMaking(modelId: string, fitId: string): boolean {
    return this.running.get(fitId)?.record.modelId === modelId;
  }

  /** Cancels an operation that runs and forgets one that has ended. Returns its last state. */
  async remove(id: string): Promise<OperationResource> {
    if (await this.cancel(id)) return this.get(id);
    const last = await this.get(id);
    await this.store.operations.remove('ended', id);
    if (this.unrecorded.delete(id)) await this.store.operations.remove('running', id);
    return last;
  }

  /** Ends a running operation and waits until it has ended; false when it does not run. */
  async cancel(id: string): Promise<boolean> {
    const running = this.running.get(id);
    if (running === undefined) return false;
    running.controller.abort();
    await running.ended;
    return true;
  }

  /** As `cancel`, for the operation that makes a fit of this model. */
  async cancelFit(modelId: string, fitId: string): Promise<boolean> {
    return this.running.get(fitId)?.record.modelId === modelId && this.cancel(fitId);
  }

  /** Deletes a model with its fits once what makes more of them is cancelled; meanwhile nothing is started on it. */
  async deleteModel(modelId: string): Promise<void> {
    const deleting = this.deleting.get(modelId) ?? this.cancelAllOf(modelId).then(() => this.models.remove(modelId));
    this.deleting.set(modelId, deleting);
    await deleting.finally(() => this.deleting.delete(modelId));
  }

  /** Runs again what an earlier server did not finish. */
  async resume(): Promise<void> {
    const found = await forEachFile(this.store.operations.runningIds(), (id) =>
      ifDamaged(this.record('running', id), async () => this.store.operations.giveUp(id)),
    );
    const records = found.filter((record) => record !== undefined);
    for (const record of records.sort((a, b) => a.created.localeCompare(b.created))) {
      const { id } = record;
      // Of an operation whose last one failed there is an older record until the new one is accepted.
      const ended = await ifDamaged(this.record('ended', id), () => undefined);
      const hasEnded = ended?.created === record.created;
      if (hasEnded) await this.store.operations.remove('running', id);
      else if ((await this.concludeMade(record)) === undefined)
        this.launch({ ...record, chains: record.chains.map(({ chain }) => ({ chain })) });
    }
    await this.store.makeRoom();
  }

  /** Takes no more operations and leaves those that have not begun to the next server. */
  drain(): void {
    this.draining = true;
    this.pool.dismissWaiting();
  }

  get isDraining(): boolean {
    return this.draining;
  }

  /** Waits until nothing writes any more; call it after the pool has been closed. */
  async settle(): Promise<void> {
    await Promise.all([...this.running.values()].map(({ ended }) => ended));
  }

  private async cancelAllOf(modelId: string): Promise<void> {
    const ids = [...this.running.values()].map(({ record }) => record).filter((record) => record.modelId === modelId);
    await Promise.all(ids.map((record) => this.cancel(record.id)));
  }

  /** Whether a model is not there, or will not be in a moment. */
  private isDeleted(modelId: string): boolean {
    return this.deleting.has(modelId) || !this.store.hasModel(modelId);
  }

  private async startNew(id: string, modelId: string, request: FitRequest): Promise<OperationResource> {
    const running = this.running.get(id);
    if (running !== undefined) return this.describe(running.record);
    const model = await this.models.load(modelId);
    const record: OperationRecord = {
      id,
      modelId,
      function: request.function,
      seed: request.seed ?? randomInt(1, 2 ** 32),
      arguments: request.arguments,
      data: request.data,
      inputs: request.inputs,
      ...(request.save !== undefined && { save: [...request.save] }),
      chains: request.chains.map((chain) => ({ chain })),
      created: new Date().toISOString(),
    };
    const known = await ifDamaged(this.record('ended', id), () => undefined);
    const isKnown = known !== undefined && known.error === undefined && this.store.hasSoundFit(modelId, id);
    const made = isKnown ? known : await this.concludeMade(record);
    if (made !== undefined) return operationResource(made);
    const inputs = this.inputs.open(request.inputs, (model, fit) => this.isMaking(model, fit));
    try {
      const chains = await this.inputs.check(model, request, inputs.sources);
      const accepted = { ...record, chains: chains.map((chain) => ({ chain })) };
      await this.accept(accepted);
      return this.describe(accepted);
    } finally {
      inputs.release();
    }
  }

  /** Records an operation and has it run. Throws when there are too many already. */
  private async accept(record: OperationRecord): Promise<void> {
    const { maxQueue } = this.limits;
    if (this.waiting().length + this.accepting - this.pool.free >= maxQueue) throw problems.queueFull(maxQueue);
    this.accepting++;
    try {
      await this.store.operations.save('running', record.id, writeRecord(record));
      await this.store.operations.remove('ended', record.id);
      this.unrecorded.delete(record.id);
    } finally {
      this.accepting--;
    }
    if (this.isDeleted(record.modelId)) {
      await this.store.operations.remove('running', record.id);
      throw problems.modelNotFound(record.modelId);
    }
    this.launch(record);
  }

  /** What waits, in order. */
  private waiting(): OperationRecord[] {
    const records = [...this.running.values()].map(({ record }) => record);
    return records.filter((record) => stateOf(record) === 'waiting');
  }

  private describe(record: OperationRecord): OperationResource {
    const place = this.waiting().indexOf(record);
    return operationResource(record, place < 0 ? undefined : place + 1);
  }

  private launch(record: OperationRecord): void {
    const controller = new AbortController();
    setMaxListeners(0, controller.signal);
    const release = this.store.ledger.hold(fitName(record));
    const folder = this.store.chooseFitFolder(record.modelId, record.id);
    const ended = this.run(record, folder, controller)
      .catch((error) => this.logger.error(error, `operation ${record.id} could not be recorded`))
      .finally(() => {
        this.running.delete(record.id);
        release();
      });
    this.running.set(record.id, { place: this.launched++, record, folder, controller, ended, listeners: new Set() });
    this.logger.info({ operation: record.id, function: record.function, model: record.modelId }, 'operation accepted');
  }

  private async run(record: OperationRecord, folder: string, controller: AbortController): Promise<void> {
    try {
      await this.make(record, folder, controller);
    } catch (error) {
      if (error instanceof JobStopped && error.reason === 'closed') return;
      await this.store
        .discardPartialFit(folder)
        .catch((problem) => this.logger.error(problem, `the files of operation ${record.id} are left`));
      await this.conclude(record, this.explain(error));
      return;
    }
    await this.conclude(record, undefined);
  }

  /** Makes the fit of an operation. Its inputs stay until then. */
  private async make(record: OperationRecord, folder: string, controller: AbortController): Promise<void> {
    const ids = record.chains.map(({ chain }) => chain);
    const inputs = this.inputs.open(record.inputs ?? {});
    try {
      await this.store.createPartialFit(folder, ids);
      const model = await this.models.load(record.modelId);
      const { signal } = controller;
      await this.runs.run(record, { model, inputs: inputs.sources, folder }, controller);
      if (signal.aborted) throw new JobStopped('cancelled');
      const isMade = await this.store.publishFit(folder, ids, writeRecord(endedNow(record)));
      if (!isMade) throw problems.modelNotFound(record.modelId);
    } finally {
      inputs.release();
    }
  }

  private note(record: OperationRecord, chain: ChainRecord, what: Partial<ChainRecord>): void {
    Object.assign(chain, what);
    for (const notify of this.running.get(record.id)?.listeners ?? []) notify();
  }

  private explain(error: unknown): ServiceError {
    if (error instanceof ServiceError) return error;
    if (isDiskFull(error)) return problems.diskFull();
    if (error instanceof LostStore) return problems.storeLost(error.message);
    if (error instanceof DamagedFile) return problems.damaged(describeDamage(error.path));
    if (error instanceof JobStopped) {
      if (error.reason === 'cancelled') return problems.cancelled();
      if (error.reason === 'time') return problems.operationOutOfTime(this.limits.operationTimeout ?? 0);
      if (error.reason === 'memory') return problems.outOfMemory('The operation', this.limits.memoryMebibytes);
      if (error.reason === 'crashed') return problems.workerDied(error.cause);
    }
    this.logger.error(error, 'an operation failed');
    return problems.internal();
  }

  /** Records the end of an operation whose fit is there, as the fit tells it. A fit that is damaged goes, to be made again. */
  private async concludeMade(record: OperationRecord): Promise<OperationRecord | undefined> {
    const { id, modelId } = record;
    const text = await ifDamaged(this.store.readFitRecord(modelId, id), () => undefined);
    if (text !== undefined && this.store.hasSoundFit(modelId, id)) {
      return this.conclude(readRecord(text) ?? record, undefined);
    }
    await this.store.removeFit(modelId, id);
    return undefined;
  }

  /** Records the end of an operation: with its fit when there is no error. */
  private async conclude(record: OperationRecord, error: ServiceError | undefined): Promise<OperationRecord> {
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
    this.counts[error === undefined ? 'succeeded' : error.code === CANCELLED ? 'cancelled' : 'failed']++;
    this.logger.info({ operation: record.id, error: error?.message }, 'operation ended');
    return last;
  }

  private async record(state: OperationState, id: string): Promise<OperationRecord | undefined> {
    const unrecorded = state === 'ended' ? this.unrecorded.get(id) : undefined;
    if (unrecorded !== undefined) return unrecorded;
    // A fit has a record of its own.
    const text = await ifDamaged(this.store.operations.read(state, id), async (damage) => {
      const made = await this.store.readRecordOfFit(id);
      if (made === undefined) throw damage;
      return made;
    });
    return text === undefined ? undefined : readRecord(text);
  }
}

function listedAs(group: string, order: number, id: string, resource?: OperationResource): ListedOperation {
  return { id, key: `${group}:${String(order).padStart(16, '0')}:${id}`, ...(resource !== undefined && { resource }) };
}

/** An operation of which nobody knows any more what it was. */
function lostOperation({ path }: DamagedFile): OperationResource {
  const name = `operations/${basename(path, '.json')}`;
  return { name, done: true, result: problems.damaged(describeDamage(path)).body() };
}

/** A record as it is kept when the operation has ended. */
function endedNow({ data: _data, inputs: _inputs, ...rest }: OperationRecord): OperationRecord {
  const chains = rest.chains.map(({ seconds_left: _, ...chain }): ChainRecord => ({ ...chain, state: 'done' }));
  return { ...rest, chains, ended: new Date().toISOString() };
}

function fitIdentifier(modelId: string, request: FitRequest): string {
  const settings = Object.entries(request.arguments).sort(([a], [b]) => (a < b ? -1 : 1));
  const rest = [settings, request.chains, request.seed, request.save];
  const { init = '', mode = '', fitted_params = '' } = request.inputs;
  return identifierOf('fit', request.function, modelId, JSON.stringify(rest), request.data, init, mode, fitted_params);
}
