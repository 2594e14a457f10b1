import type { FastifyBaseLogger } from 'fastify';
import { DamagedFile } from '../../fit-files/checksums.js';
import { storageFaultOf } from '../../node/system-errors.js';
import { problems, ServiceError, storageProblem } from '../errors.js';
import type { KeptResource } from '../schemas/operations.js';
import { describeDamage } from '../store/damage.js';
import { identifierOf } from '../store/identifiers.js';
import { keptAfter } from '../store/operation-plan.js';
import { type OperationRecord, writeRecord } from '../store/operation-record.js';
import { fitName } from '../store/operation-resource.js';
import type { Owners } from '../store/owners.js';
import { LostStore, type Store } from '../store/store.js';
import { JobStopped } from '../threads/job-stopped.js';
import type { CompletionJob } from '../threads/protocol.js';
import type { ChainRuns } from './chain-runs.js';
import type { Grounds } from './grounds.js';
import { persistently } from './persistence.js';
import { endedNow } from './recorded-operations.js';

export interface MakingLimits {
  /** Time limit of an operation from the start of its first chain, in milliseconds; absent for no limit. */
  readonly operationTimeout: number | undefined;
  readonly memoryMebibytes: number;
}

/** Dependencies of `FitMaking`. */
interface MakingParts {
  readonly store: Store;
  readonly owners: Owners;
  readonly grounds: Grounds;
  readonly runs: ChainRuns;
  /** Completes the files of a chain whose blocks have run. */
  readonly complete: (job: CompletionJob) => Promise<unknown>;
}

/** Runs operations that produce fits. */
export class FitMaking {
  private readonly store: Store;
  private readonly owners: Owners;
  private readonly grounds: Grounds;
  private readonly runs: ChainRuns;
  private readonly complete: MakingParts['complete'];
  private readonly limits: MakingLimits;
  private readonly logger: FastifyBaseLogger;

  constructor(
    { complete, grounds, owners, runs, store }: MakingParts,
    limits: MakingLimits,
    logger: FastifyBaseLogger,
  ) {
    this.store = store;
    this.owners = owners;
    this.grounds = grounds;
    this.runs = runs;
    this.complete = complete;
    this.limits = limits;
    this.logger = logger;
  }

  /**
   * Makes the fit of an operation, and protects its inputs while it runs. Returns the error if the operation fails.
   * Throws `JobStopped` if the workers are closed. If no fit results, completed chains remain stored.
   */
  async make(
    record: OperationRecord,
    folder: string,
    controller: AbortController,
    closing: AbortSignal,
  ): Promise<ServiceError | undefined> {
    let attempts = 0;
    const attempt = async () => {
      if (attempts++ > 0) await this.store.fits.discard(folder);
      await this.tryToMake(record, folder, controller);
    };
    try {
      await persistently(this.store, closing, attempt);
      return undefined;
    } catch (error) {
      if (error instanceof JobStopped && error.reason === 'closed') throw error;
      await this.grounds.vacated(record);
      // Another process that has taken over the operation needs the files of its chains.
      if (!(await persistently(this.store, closing, () => this.store.operations.isOwn(record.id))))
        throw new JobStopped('closed', error);
      // The error with which another part of the server has ended the operation.
      const ending: unknown = controller.signal.reason;
      const ended = ending instanceof ServiceError ? ending : undefined;
      const isCancelled = ended !== undefined || (error instanceof JobStopped && error.reason === 'cancelled');
      if (isCancelled && record.keeps) record.kept = await this.keep(record, folder, closing);
      await this.clearing(record, () => this.store.fits.discard(folder));
      return ended ?? this.explain(error);
    }
  }

  /**
   * Removes the chains of a failed operation. Call it only after the end is recorded: until then, another process may
   * take over the operation and need them. A failure is logged.
   */
  forgetChains(record: OperationRecord, folder: string): Promise<void> {
    const ids = record.chains.map(({ chain }) => chain);
    return this.clearing(record, () => this.store.fits.forgetChains(folder, ids));
  }

  /** Logs a failure to remove files. */
  private async clearing({ id }: OperationRecord, remove: () => Promise<void>): Promise<void> {
    try {
      await remove();
    } catch (problem) {
      this.logger.error(problem, `files of operation ${id} could not be removed`);
    }
  }

  /** Keeps the draws of those blocks that all chains of a cancelled operation have completed. A failure is logged. */
  private async keep(record: OperationRecord, folder: string, closing: AbortSignal): Promise<KeptResource> {
    try {
      const kept = await persistently(this.store, closing, () => this.publishBlocks(record, folder));
      if (kept !== undefined) return kept;
    } catch (problem) {
      if (problem instanceof JobStopped && problem.reason === 'closed') throw problem;
      this.logger.error(problem, `the draws of the cancelled operation ${record.id} could not be kept`);
    }
    return keptAfter(record, 0);
  }

  /**
   * Publishes the blocks under another name, because the fit with the operation's name contains all draws. Undefined if
   * no block is complete.
   */
  private async publishBlocks(record: OperationRecord, folder: string): Promise<KeptResource | undefined> {
    const { modelId } = record;
    const { fits } = this.store;
    const ids = record.chains.map(({ chain }) => chain);
    const block = await fits.lastBlock(folder, ids);
    if (block === undefined) return undefined;
    const amount = keptAfter(record, block + 1);
    const { iterations } = amount;
    const message = `Stopped after ${iterations} iterations: the run was cancelled.`;
    const stopped = { reason: 'cancelled' as const, iterations, message };
    // Their counts include draws that are not kept.
    const chains = record.chains.map(({ adaptation, chain }) => ({ chain, ...(adaptation && { adaptation }) }));
    const id = this.owners.ofSameOwner(record.id, identifierOf('kept', record.id, String(iterations)));
    const kept = endedNow({ ...record, chains, id, stopped });
    if (!(await fits.has(modelId, kept.id))) {
      const earlier = await fits.fetchBlock(folder, ids, block);
      const own = fits.choose(modelId, kept.id);
      try {
        await fits.create(own, ids);
        const common = {
          kind: 'completion',
          tagged: ids.length > 1,
          folder: own,
          message,
          seconds: undefined,
        } as const;
        const files = { durably: !this.store.isShared, earlier };
        await Promise.all(ids.map((chain) => this.complete({ ...common, ...files, chain })));
        for (const chain of ids) await fits.keepChain(own, chain);
        if (!(await fits.publish(own, ids, writeRecord(kept)))) return undefined;
      } catch (error) {
        await fits.discard(own);
        throw error;
      }
    }
    return { ...amount, name: fitName(kept) };
  }

  private async tryToMake(record: OperationRecord, folder: string, controller: AbortController): Promise<void> {
    const ids = record.chains.map(({ chain }) => chain);
    const ground = await this.grounds.use(record, { folder });
    try {
      await this.runs.run(record, folder, controller);
      // A cancellation that keeps draws is too late when all chains have ended.
      if (controller.signal.aborted && !record.keeps) throw new JobStopped('cancelled');
      if (!(await this.store.operations.isOwn(record.id))) throw new JobStopped('closed');
      const isMade = await this.store.fits.publish(folder, ids, writeRecord(endedNow(record)));
      if (isMade) return;
      if (!(await this.store.operations.isOwn(record.id))) throw new JobStopped('closed');
      throw problems.modelNotFound(record.modelId);
    } finally {
      await ground.release();
    }
  }

  private explain(error: unknown): ServiceError {
    if (error instanceof ServiceError) return error;
    if (error instanceof LostStore) return problems.storeLost(error.message);
    if (error instanceof DamagedFile) return problems.damaged(describeDamage(error));
    if (error instanceof JobStopped) {
      if (error.reason === 'cancelled') return problems.cancelled();
      if (error.reason === 'time') return problems.operationOutOfTime(this.limits.operationTimeout ?? 0);
      if (error.reason === 'memory') return problems.outOfMemory('The operation', this.limits.memoryMebibytes);
      if (error.reason === 'crashed') return problems.workerDied(error.cause);
    }
    this.logger.error(error, 'an operation failed');
    const fault = storageFaultOf(error);
    return fault === undefined ? problems.internal() : storageProblem(fault);
  }
}
