import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { ifDamaged } from '../../fit-files/checksums.js';
import { problems } from '../errors.js';
import type { OthersChains, Queue } from '../queue/queue.js';
import type { FitInTheMaking } from '../queue/watched-journals.js';
import type { OperationResource } from '../schemas/operations.js';
import { currentClient, onBehalfOf } from '../store/client.js';
import { folderBytes } from '../store/files.js';
import { identifierOf, randomIdentifier } from '../store/identifiers.js';
import { modelName } from '../store/ledger.js';
import type { ChainRecord, OperationRecord } from '../store/operation-record.js';
import { type ListedOperation, operationResource } from '../store/operation-resource.js';
import type { Owners } from '../store/owners.js';
import type { Store, Usage } from '../store/store.js';
import { isAdmitted } from '../threads/fair-queue.js';
import type { FitJob } from '../threads/fit-job.js';
import { JobStopped } from '../threads/job-stopped.js';
import type { CompletionJob, JobResult } from '../threads/protocol.js';
import { BlockRuns } from './block-runs.js';
import { ChainRuns } from './chain-runs.js';
import { DiskGuard, type DiskLimits } from './disk-guard.js';
import type { FitInputs } from './fit-inputs.js';
import { FitMaking, type MakingLimits } from './fit-making.js';
import type { FitRequest } from './fit-request.js';
import type { Grounds } from './grounds.js';
import type { Models } from './models.js';
import { persistently } from './persistence.js';
import { type Outcomes, RecordedOperations } from './recorded-operations.js';
import { RunningOperations } from './running-operations.js';
import { UnfinishedOperations } from './unfinished-operations.js';

/**
 * Milliseconds in which a remote worker must take a chain, between two checks for this, and in which another process
 * must record an operation.
 */
const TAKING_TIME = 500;
const TAKING_INTERVAL = 25;
const RECORDING_TIME = 5000;

export interface OperationLimits extends MakingLimits, DiskLimits {
  /** Maximum number of operations that wait for a worker. */
  readonly maxQueue: number;
}

export interface OperationStatistics extends Outcomes {
  readonly running: number;
  readonly waiting: number;
  /** Number of gradients evaluated since the server has started. */
  readonly gradients: number;
  /** Totals of all servers that share the queue: operations without a started chain, and chains. */
  readonly shared?: { readonly waiting: number; readonly chains: ReturnType<OthersChains['chains']> };
}

/** Dependencies of `Operations`. */
export interface OperationParts {
  readonly store: Store;
  readonly queue: Queue;
  readonly owners: Owners;
  readonly models: Models;
  readonly inputs: FitInputs;
  readonly grounds: Grounds;
  /** Runs a job of a thread that reads fits. */
  readonly read: (job: FitJob) => Promise<JobResult>;
  /** Completes the files of a chain whose blocks have run. */
  readonly complete: (job: CompletionJob) => Promise<unknown>;
  /** The number of chains that could start immediately. */
  readonly free: () => number;
}

/**
 * Runs functions of the services namespace in the background. An operation is stored before it is acknowledged, and its
 * fit is stored before the operation counts as done. If a shutdown interrupts an operation, the next server runs it
 * again from its seed.
 */
export class Operations {
  private readonly store: Store;
  private readonly owners: Owners;
  private readonly models: Models;
  private readonly inputs: FitInputs;
  private readonly queue: Queue;
  private readonly read: OperationParts['read'];
  private readonly free: () => number;
  private readonly limits: OperationLimits;
  private readonly running: RunningOperations;
  private readonly recorded: RecordedOperations;
  private readonly unfinished: UnfinishedOperations;
  private readonly making: FitMaking;
  private readonly guard: DiskGuard;
  private readonly endGuarding: () => void;
  private readonly starting = new Map<string, Promise<OperationResource>>();
  /** Models that are being deleted. */
  private readonly deleting = new Map<string, Promise<void>>();
  private readonly closing = new AbortController();
  private gradients = 0;
  /** Clients of the operations that are being recorded. */
  private readonly accepting: string[] = [];
  private draining = false;

  constructor(parts: OperationParts, limits: OperationLimits, logger: FastifyBaseLogger) {
    const { store, queue, owners, models, inputs, grounds, read, complete, free } = parts;
    this.store = store;
    this.queue = queue;
    this.read = read;
    this.owners = owners;
    this.models = models;
    this.inputs = inputs;
    this.free = free;
    this.limits = limits;
    this.running = new RunningOperations(store, queue.others, logger);
    this.recorded = new RecordedOperations(store, queue.others, logger);
    this.unfinished = new UnfinishedOperations(this.running, this.recorded, queue);
    const listener = {
      note: (record: OperationRecord, chain: ChainRecord, what: Partial<ChainRecord>) =>
        this.running.note(record, chain, what),
      countGradients: (count: number) => {
        this.gradients += count;
      },
      noteDamage: (path: string) => store.fits.noteDamage(path),
    };
    const blocks = new BlockRuns(store, read);
    const runs = new ChainRuns(queue, blocks, limits.operationTimeout, listener, logger);
    this.making = new FitMaking({ store, owners, grounds, runs, complete }, limits, logger);
    this.guard = new DiskGuard(limits);
    this.endGuarding = this.guard.watch(() => this.running.folders(), logger);
  }

  /** Starts a fit, or returns the operation of the same request with the same seed. */
  async start(modelId: string, request: FitRequest): Promise<OperationResource> {
    if (this.draining) throw problems.closing();
    const release = this.store.hold(modelName(modelId));
    try {
      await this.requireModel(modelId);
      const id = this.owners.own(request.seed === undefined ? randomIdentifier() : fitIdentifier(modelId, request));
      const starting =
        this.starting.get(id) ?? this.startNew(id, modelId, request).finally(() => this.starting.delete(id));
      this.starting.set(id, starting);
      return await starting;
    } finally {
      release();
    }
  }

  /**
   * The client's running operations, waiting ones in the order of the queue, and finished ones in the order in which they
   * finished.
   */
  async list(): Promise<ListedOperation[]> {
    const sees = this.owners.sight();
    await this.queue.others?.catchUp();
    const running = this.running.list();
    const recorded = await this.recorded.list((id) => this.running.has(id));
    // An operation that ends between the two reads is in both lists. The later entry, as ended, counts.
    const latest = new Map([...running, ...recorded].map((listed) => [listed.id, listed]));
    const all = [...running, ...recorded].filter((listed) => latest.get(listed.id) === listed && sees(listed.id));
    return this.queue.others === undefined ? all : all.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  async get(id: string): Promise<OperationResource> {
    const found = await this.find(id);
    if (found === undefined) throw problems.operationNotFound(id);
    return found;
  }

  private async find(id: string): Promise<OperationResource | undefined> {
    return (await this.unfinished.findHere(id)) ?? this.recorded.find(id);
  }

  /** An operation without the fields that lists omit; undefined if it does not exist. */
  async findListed(id: string): Promise<OperationResource | undefined> {
    const found = await this.find(id);
    if (found === undefined) return undefined;
    const { metadata, ...rest } = found;
    if (metadata === undefined) return rest;
    const { adaptation: _, estimates: __, ...listed } = metadata;
    const { name, done, ...ended } = rest;
    return { name, done, metadata: listed, ...ended };
  }

  /** Calls `listener` whenever an operation advances. Resolves when the operation has ended or `signal` is aborted. */
  follow(id: string, listener: (operation: OperationResource) => void, signal: AbortSignal): Promise<void> {
    return this.unfinished.follow(id, listener, signal);
  }

  /** Number and size of the files that running operations of this process have written. */
  usage(): Usage {
    const folders = this.running.folders();
    return { count: folders.length, bytes: folders.reduce((sum, { folder }) => sum + folderBytes(folder), 0) };
  }

  statistics(): OperationStatistics {
    const { others } = this.queue;
    const shared = others && { waiting: others.waiting(), chains: others.chains() };
    return { ...this.running.count(), ...this.recorded.outcomes, gradients: this.gradients, ...(shared && { shared }) };
  }

  /**
   * The unfinished fit of an operation (on this model, if given), for followers; undefined if the operation has ended.
   */
  async fitInTheMaking(id: string, modelId?: string): Promise<FitInTheMaking | undefined> {
    const { others } = this.queue;
    if (others !== undefined) {
      const record = await this.recorded.findUnfinished(id, modelId);
      return record && others.follow(record);
    }
    const isOfModel = modelId === undefined || this.running.isMaking(modelId, id);
    return isOfModel ? this.running.fitInTheMaking(id) : undefined;
  }

  /** Whether an operation is computing this fit. */
  isMaking(modelId: string, fitId: string): Promise<boolean> {
    return this.unfinished.isMaking(modelId, fitId);
  }

  /** Cancels an unfinished operation, or deletes a finished one. Returns its last state. */
  async remove(id: string): Promise<OperationResource> {
    const isCancelled = await this.unfinished.cancel(id);
    const last = await this.get(id);
    if (!isCancelled) await this.recorded.forget(id);
    return last;
  }

  /** Cancels the operation that computes this fit and waits until it has ended; false if there is no such operation. */
  async cancelFit(modelId: string, fitId: string): Promise<boolean> {
    return (await this.isMaking(modelId, fitId)) && this.unfinished.cancel(fitId);
  }

  /**
   * Cancels the operations on a model, then deletes the model with its fits. No new operation is started in between.
   * If fits and operations have owners, only those of the client end: others may use the model.
   */
  async deleteModel(modelId: string): Promise<void> {
    if (this.owners.areNamed) return this.deleteOwn(modelId);
    const deleting =
      this.deleting.get(modelId) ?? this.unfinished.cancelAllOf(modelId).then(() => this.removeModel(modelId));
    this.deleting.set(modelId, deleting);
    await deleting.finally(() => this.deleting.delete(modelId));
  }

  private async deleteOwn(modelId: string): Promise<void> {
    const sees = this.owners.sight();
    if (!(await this.store.models.has(modelId))) throw problems.modelNotFound(modelId);
    await this.unfinished.cancelAllOf(modelId, sees);
    for (const { id } of await this.store.fits.list(modelId)) if (sees(id)) await this.store.fits.remove(modelId, id);
  }

  private async removeModel(modelId: string): Promise<void> {
    await this.models.remove(modelId);
    // Another process may have started an operation before the model was deleted.
    if (this.store.isShared) await this.unfinished.cancelAllOf(modelId);
  }

  /** Restarts operations that an earlier server did not finish. */
  async resume(): Promise<void> {
    await this.adopt();
    await this.store.makeRoom();
  }

  /** Takes over the operations of servers that have died. */
  async adopt(): Promise<void> {
    if (this.draining) return;
    for (const record of await this.recorded.unfinished((id) => this.running.has(id))) {
      const launch = () => this.launch({ ...record, chains: record.chains.map(({ chain }) => ({ chain })) });
      onBehalfOf(this.owners.nameOf(record.id) ?? '', launch);
    }
  }

  /** Stops accepting operations, and leaves those that have not started to the next server. */
  drain(): void {
    this.draining = true;
    this.queue.drain();
  }

  get isDraining(): boolean {
    return this.draining;
  }

  /** Waits until all writes are complete. Call it after the queue is closed. */
  settle(): Promise<void> {
    this.endGuarding();
    this.closing.abort();
    return this.running.settle();
  }

  /** Throws if a model does not exist or is being deleted. */
  private async requireModel(modelId: string): Promise<void> {
    const isThere = await this.store.models.has(modelId);
    if (!isThere || this.deleting.has(modelId)) throw problems.modelNotFound(modelId);
  }

  private async startNew(id: string, modelId: string, request: FitRequest): Promise<OperationResource> {
    const running = await this.unfinished.findHere(id);
    if (running !== undefined) return running;
    // The end of the operation is recorded, so its remaining work is useless.
    await this.running.cancel(id);
    const { model } = await this.models.loadFor(modelId, request);
    this.guard.requireSize(request);
    const record = newRecord(id, modelId, request);
    await this.verify(record);
    const made = (await this.recorded.findMade(record)) ?? (await this.recorded.concludeMade(record));
    if (made !== undefined) return operationResource(made);
    const isMaking = (model: string, fit: string) => this.isMaking(model, fit);
    const inputs = await this.inputs.open(request.inputs, isMaking, this.owners.sight());
    try {
      const chains = await this.inputs.check(model, request, inputs.sources);
      const accepted = { ...record, chains: chains.map((chain) => ({ chain })) };
      await this.accept(accepted);
      return await this.get(id);
    } finally {
      inputs.release();
    }
  }

  /**
   * Verifies all files of the fit of an operation, if it exists. A fit that takes too long counts as sound, and those of
   * a shared store are verified when they are fetched.
   */
  private async verify({ id, modelId }: OperationRecord): Promise<void> {
    const fit = this.store.isShared ? undefined : await this.store.fits.open(modelId, id);
    if (fit === undefined) return;
    try {
      await ifDamaged(this.store.fits.readRecord(modelId, id), () => undefined);
      const result = await this.read({ kind: 'verify', path: fit.path });
      if (result.kind === 'damaged') this.store.fits.noteDamage(result.path);
    } catch (error) {
      if (!(error instanceof JobStopped)) throw error;
    } finally {
      fit.release();
    }
  }

  /** Records an operation and starts it, unless another process has done so. Throws if too many operations wait. */
  private async accept(record: OperationRecord): Promise<void> {
    await this.guard.requireSpace(this.store.fits.choose(record.modelId, record.id));
    await this.requirePlace();
    const client = currentClient();
    this.accepting.push(client);
    try {
      if (!(await this.recorded.accept(record))) return await this.awaitRecord(record.id);
      await this.announce(record);
    } finally {
      this.accepting.splice(this.accepting.indexOf(client), 1);
    }
    this.launch(record);
  }

  /** Queues the chains of a recorded operation. Removes the record if this fails or if the model no longer exists. */
  private async announce(record: OperationRecord): Promise<void> {
    try {
      await this.queue.announce(record);
      await this.requireModel(record.modelId);
    } catch (error) {
      await this.recorded.withdraw(record.id);
      await this.queue.remove(record.id);
      throw error;
    }
  }

  /**
   * Throws if too many operations of all processes wait, after giving remote workers time to take chains. A client that
   * has few operations waiting on this server is admitted to a queue that others have filled.
   */
  private async requirePlace(): Promise<void> {
    const { maxQueue } = this.limits;
    const { others } = this.queue;
    const client = currentClient();
    const ownLimit = this.owners.maxQueue();
    for (const end = performance.now() + TAKING_TIME; ; await pause(TAKING_INTERVAL)) {
      await others?.catchUp();
      const waiting = others?.waiting() ?? this.running.count().waiting;
      const total = Math.max(0, waiting + this.accepting.length - this.free());
      const counts = this.running.waitingOfClients();
      for (const each of this.accepting) counts.set(each, (counts.get(each) ?? 0) + 1);
      const isWithinOwn = (counts.get(client) ?? 0) - this.free() < ownLimit;
      if (isWithinOwn && isAdmitted(client, counts, total, maxQueue)) return;
      if (others === undefined || performance.now() > end)
        throw isWithinOwn ? problems.queueFull(maxQueue) : problems.queueFull(ownLimit, true);
    }
  }

  /** Waits until another process has recorded an operation that it has claimed. */
  private async awaitRecord(id: string): Promise<void> {
    for (const end = performance.now() + RECORDING_TIME; performance.now() < end; await pause(TAKING_INTERVAL))
      if ((await this.recorded.find(id)) !== undefined) return;
    throw problems.busy();
  }

  private launch(record: OperationRecord): void {
    const closing = this.closing.signal;
    this.running.launch(record, async (folder, controller) => {
      try {
        const problem = await this.making.make(record, folder, controller, closing);
        await persistently(this.store, closing, async () => {
          if (!(await this.store.operations.isOwn(record.id))) throw new JobStopped('closed');
          await this.queue.remove(record.id);
          await this.recorded.conclude(record, problem, {
            mayHaveEnded: true,
            onRecorded: () => this.running.noteRecorded(record.id),
            ...(problem && { beforeRelease: () => this.making.forgetChains(record, folder) }),
          });
        });
        return problem === undefined;
      } catch (error) {
        if (error instanceof JobStopped) return false;
        // Another process may complete it.
        await this.store.operations.release(record.id).catch(() => undefined);
        throw error;
      }
    });
  }
}

function newRecord(id: string, modelId: string, request: FitRequest): OperationRecord {
  return {
    id,
    modelId,
    function: request.function,
    seed: request.seed ?? randomInt(1, 2 ** 32),
    arguments: request.arguments,
    data: request.data,
    inputs: request.inputs,
    ...(request.save !== undefined && { save: [...request.save] }),
    ...(request.until !== undefined && { until: request.until }),
    ...(request.keeps && { keeps: request.keeps }),
    ...(request.prior && { prior: request.prior }),
    ...(request.simulations !== undefined && { simulations: request.simulations }),
    ...(request.refits !== undefined && { refits: request.refits }),
    chains: request.chains.map((chain) => ({ chain })),
    created: new Date().toISOString(),
  };
}

function fitIdentifier(modelId: string, request: FitRequest): string {
  const settings = Object.entries(request.arguments).sort(([a], [b]) => (a < b ? -1 : 1));
  const { keeps, prior, refits, simulations, until } = request;
  const special = {
    ...(keeps && { keeps }),
    ...(prior && { prior }),
    ...(simulations !== undefined && { simulations }),
    ...(refits !== undefined && { refits }),
  };
  const added = [until, Object.keys(special).length > 0 ? special : undefined].filter((each) => each !== undefined);
  const rest = [settings, request.chains, request.seed, request.save, ...added];
  const { init = '', mode = '', fitted_params = '', warm_start, continue: continued } = request.inputs;
  const earlier = continued === undefined ? [warm_start] : [warm_start ?? '', continued];
  const inputs = [init, mode, fitted_params, ...earlier.filter((text) => text !== undefined)];
  return identifierOf('fit', request.function, modelId, JSON.stringify(rest), request.data, ...inputs);
}
