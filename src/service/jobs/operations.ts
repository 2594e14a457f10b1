import { randomInt } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { FastifyBaseLogger } from 'fastify';
import { problems, ServiceError } from '../errors.js';
import type { OperationResource } from '../schemas.js';
import { identifierOf, randomIdentifier } from '../store/identifiers.js';
import type { Store } from '../store/store.js';
import type { FitRequest } from './fit-request.js';
import type { Models } from './models.js';
import {
  type ChainRecord,
  type OperationRecord,
  operationResource,
  readRecord,
  writeRecord,
} from './operation-record.js';
import { JobStopped, type WorkerPool } from './pool.js';
import type { ChainJob, CompiledModel, JobResult } from './protocol.js';

interface Running {
  readonly record: OperationRecord;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

export interface OperationLimits {
  /** Milliseconds that an operation may take; no limit when absent. */
  readonly operationTimeout: number | undefined;
  readonly memoryMebibytes: number;
}

/**
 * Runs functions of the services namespace in the background. An operation is on disk before it is acknowledged, its fit is on disk
 * before it counts as done; one that a shutdown interrupts is run again from its seed by the next server.
 */
export class Operations {
  private readonly store: Store;
  private readonly models: Models;
  private readonly pool: WorkerPool;
  private readonly limits: OperationLimits;
  private readonly logger: FastifyBaseLogger;
  private readonly running = new Map<string, Running>();
  private readonly starting = new Map<string, Promise<OperationResource>>();

  constructor(store: Store, models: Models, pool: WorkerPool, limits: OperationLimits, logger: FastifyBaseLogger) {
    this.store = store;
    this.models = models;
    this.pool = pool;
    this.limits = limits;
    this.logger = logger;
  }

  /** Starts a fit, or finds the one that the same request with the same seed has started or finished. */
  start(modelId: string, request: FitRequest): Promise<OperationResource> {
    const id = request.seed === undefined ? randomIdentifier() : fitIdentifier(modelId, request);
    const starting =
      this.starting.get(id) ?? this.startNew(id, modelId, request).finally(() => this.starting.delete(id));
    this.starting.set(id, starting);
    return starting;
  }

  async list(): Promise<OperationResource[]> {
    const running = [...this.running.values()].map(({ record }) => operationResource(record));
    const ids = (await this.store.operationIds('ended')).filter((id) => !this.running.has(id));
    const ended = await Promise.all(ids.map((id) => this.endedRecord(id)));
    return [...running, ...ended.filter((record) => record !== undefined).map(operationResource)];
  }

  async get(id: string): Promise<OperationResource> {
    const record = this.running.get(id)?.record ?? (await this.endedRecord(id));
    if (record === undefined) throw problems.operationNotFound(id);
    return operationResource(record);
  }

  /** Whether a fit of this model is being made. */
  isMaking(modelId: string, fitId: string): boolean {
    return this.running.get(fitId)?.record.modelId === modelId;
  }

  /** Cancels an operation that runs and forgets one that has ended. Returns its last state. */
  async remove(id: string): Promise<OperationResource> {
    if (await this.cancel(id)) return this.get(id);
    const last = await this.get(id);
    await this.store.removeOperation('ended', id);
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

  async cancelAllOf(modelId: string): Promise<void> {
    const ids = [...this.running.values()].map(({ record }) => record).filter((record) => record.modelId === modelId);
    await Promise.all(ids.map((record) => this.cancel(record.id)));
  }

  /** Runs again what an earlier server did not finish. */
  async resume(): Promise<void> {
    for (const id of await this.store.operationIds('running')) {
      const text = await this.store.readOperation('running', id);
      const record = text === undefined ? undefined : readRecord(text);
      if (record === undefined || this.running.has(id)) continue;
      const finished = await this.store.findFit(record.modelId, id);
      if (finished === undefined) this.launch({ ...record, chains: record.chains.map(({ chain }) => ({ chain })) });
      else await this.conclude(record, undefined);
    }
  }

  /** Waits until nothing writes any more; call it after the pool has been closed. */
  async settle(): Promise<void> {
    await Promise.all([...this.running.values()].map(({ ended }) => ended));
  }

  private async startNew(id: string, modelId: string, request: FitRequest): Promise<OperationResource> {
    const running = this.running.get(id);
    if (running !== undefined) return operationResource(running.record);
    await this.models.load(modelId);
    const record: OperationRecord = {
      id,
      modelId,
      function: request.function,
      seed: request.seed ?? randomInt(1, 2 ** 32),
      arguments: request.arguments,
      data: request.data,
      ...(request.init === undefined ? {} : { init: request.init }),
      chains: request.chains.map((chain) => ({ chain })),
      created: new Date().toISOString(),
    };
    if ((await this.store.findFit(modelId, id)) !== undefined) {
      const known = await this.endedRecord(id);
      if (known !== undefined && known.error === undefined) return operationResource(known);
      return operationResource(await this.conclude(record, undefined));
    }
    await this.store.saveOperation('running', id, writeRecord(record));
    await this.store.removeOperation('ended', id);
    this.launch(record);
    return operationResource(record);
  }

  private launch(record: OperationRecord): void {
    const controller = new AbortController();
    setMaxListeners(0, controller.signal);
    const ended = this.run(record, controller)
      .catch((error) => this.logger.error(error, `operation ${record.id} could not be recorded`))
      .finally(() => this.running.delete(record.id));
    this.running.set(record.id, { record, controller, ended });
  }

  private async run(record: OperationRecord, controller: AbortController): Promise<void> {
    try {
      await writeFile(this.store.partialFitPath(record.id), '');
      const model = await this.models.load(record.modelId);
      await this.runChains(record, model, controller);
      await this.store.publishFit(record.modelId, record.id);
    } catch (error) {
      if (error instanceof JobStopped && error.reason === 'closed') return;
      await this.store.discardPartialFit(record.id);
      await this.conclude(record, this.explain(error));
      return;
    }
    await this.conclude(record, undefined);
  }

  /** Runs every chain. The first that fails ends the others, and its error is thrown. */
  private async runChains(record: OperationRecord, model: CompiledModel, controller: AbortController): Promise<void> {
    const failures: unknown[] = [];
    const ended = record.chains.map((chain) =>
      this.runChain(record, chain, model, controller.signal).catch((error) => {
        failures.push(error);
        controller.abort();
      }),
    );
    await Promise.all(ended);
    if (failures.length > 0) throw failures[0];
  }

  private async runChain(
    record: OperationRecord,
    chain: ChainRecord,
    model: CompiledModel,
    signal: AbortSignal,
  ): Promise<void> {
    const job: ChainJob = {
      kind: 'chain',
      model,
      data: record.data ?? '{}',
      algorithm: record.function,
      arguments: { ...record.arguments, chain: chain.chain },
      seed: record.seed,
      chain: chain.chain,
      init: record.init,
      tagged: record.chains.length > 1,
      file: this.store.partialFitPath(record.id),
    };
    const { operationTimeout } = this.limits;
    const result = await this.pool.run(job, {
      signal,
      ...(operationTimeout === undefined ? {} : { timeLimit: operationTimeout }),
      onProgress: ({ iteration, text }) => Object.assign(chain, { iteration, progress: text }),
    });
    this.requireFinished(result);
  }

  private requireFinished(result: JobResult): void {
    if (result.kind === 'finished') return;
    if (result.kind === 'refused') throw problems.refused(result.message);
    this.logger.error({ report: result }, 'a chain failed');
    throw problems.internal();
  }

  private explain(error: unknown): ServiceError {
    if (error instanceof ServiceError) return error;
    if (error instanceof JobStopped) {
      if (error.reason === 'cancelled') return problems.cancelled();
      if (error.reason === 'time') return problems.operationOutOfTime(this.limits.operationTimeout ?? 0);
      if (error.reason === 'memory') return problems.outOfMemory('The operation', this.limits.memoryMebibytes);
    }
    this.logger.error(error, 'an operation failed');
    return problems.internal();
  }

  /** Records the end of an operation: with its fit when there is no error. */
  private async conclude(record: OperationRecord, error: ServiceError | undefined): Promise<OperationRecord> {
    const { data: _data, init: _init, ...rest } = record;
    const ended = { ...rest, ended: new Date().toISOString() };
    const last = error === undefined ? ended : { ...ended, error: error.body() };
    await this.store.saveOperation('ended', record.id, writeRecord(last));
    await this.store.removeOperation('running', record.id);
    return last;
  }

  private async endedRecord(id: string): Promise<OperationRecord | undefined> {
    const text = await this.store.readOperation('ended', id);
    return text === undefined ? undefined : readRecord(text);
  }
}

function fitIdentifier(modelId: string, request: FitRequest): string {
  const settings = Object.entries(request.arguments).sort(([a], [b]) => (a < b ? -1 : 1));
  const rest = [settings, request.chains, request.seed];
  return identifierOf('fit', request.function, modelId, JSON.stringify(rest), request.data, request.init ?? '');
}
