import type { FastifyBaseLogger } from 'fastify';
import { isDiskFull, problems, ServiceError } from '../errors.js';
import { DamagedFile } from '../store/checksums.js';
import { describeDamage } from '../store/damage.js';
import { LostStore, type Store } from '../store/store.js';
import type { ChainRuns } from './chain-runs.js';
import type { Grounds } from './grounds.js';
import { JobStopped } from './job-stopped.js';
import { type OperationRecord, writeRecord } from './operation-record.js';
import { persistently } from './persistence.js';
import { endedNow } from './recorded-operations.js';

export interface MakingLimits {
  /** Time limit of an operation from the start of its first chain, in milliseconds; absent for no limit. */
  readonly operationTimeout: number | undefined;
  readonly memoryMebibytes: number;
}

/** Makes the fits of operations. */
export class FitMaking {
  private readonly store: Store;
  private readonly grounds: Grounds;
  private readonly runs: ChainRuns;
  private readonly limits: MakingLimits;
  private readonly logger: FastifyBaseLogger;

  constructor(store: Store, grounds: Grounds, runs: ChainRuns, limits: MakingLimits, logger: FastifyBaseLogger) {
    this.store = store;
    this.grounds = grounds;
    this.runs = runs;
    this.limits = limits;
    this.logger = logger;
  }

  /**
   * Makes the fit of an operation, and protects its inputs until then. Returns the reason if it fails. Throws `JobStopped` if the
   * workers are closed; completed chains remain.
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
      await this.clearAway(record, folder).catch((problem) =>
        this.logger.error(problem, `the files of operation ${record.id} are left`),
      );
      return this.explain(error);
    }
  }

  private async clearAway({ chains }: OperationRecord, folder: string): Promise<void> {
    await this.store.fits.discard(folder);
    const ids = chains.map(({ chain }) => chain);
    await this.store.fits.forgetChains(folder, ids);
  }

  private async tryToMake(record: OperationRecord, folder: string, controller: AbortController): Promise<void> {
    const ids = record.chains.map(({ chain }) => chain);
    const ground = await this.grounds.use(record, { folder });
    try {
      await this.runs.run(record, folder, controller);
      if (controller.signal.aborted) throw new JobStopped('cancelled');
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
}
