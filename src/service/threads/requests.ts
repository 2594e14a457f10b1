import type { FastifyBaseLogger } from 'fastify';
import { DamagedFile } from '../../fit-files/checksums.js';
import { problems, storageProblem } from '../errors.js';
import { currentClient } from '../store/client.js';
import { isFitJob } from './fit-job.js';
import { JobStopped } from './job-stopped.js';
import type { WorkerPool } from './pool.js';
import { isResult, type Job, type JobResult } from './protocol.js';

/** Why jobs of some kinds exceed the time limit, and what to do instead. */
const REASONS: Partial<Record<Job['kind'], string>> = {
  'match moments':
    'the fit requires more time than the limit allows. POST /v1/models/{model_id}/kfold has no time limit: use it for the observations whose Pareto k is too high, and pass its fit as `refits`',
};

export interface RequestLimits {
  readonly requestTimeout: number;
  readonly memoryMebibytes: number;
}

/** The threads for requests: with an engine, and for reading fits only. */
export interface RequestPools {
  readonly requests: WorkerPool;
  readonly reading: WorkerPool;
}

/**
 * Runs jobs that a client waits for: compiling, evaluating and reading, each within the time and memory limits of
 * requests.
 */
export class Requests {
  private readonly pools: RequestPools;
  private readonly limits: RequestLimits;
  private readonly logger: FastifyBaseLogger;
  private readonly noteDamage: (path: string) => void;
  private readonly signal: AbortSignal | undefined;

  /** `noteDamage` receives damaged files of fits. */
  constructor(
    pools: RequestPools,
    limits: RequestLimits,
    logger: FastifyBaseLogger,
    noteDamage: (path: string) => void,
    signal?: AbortSignal,
  ) {
    this.pools = pools;
    this.limits = limits;
    this.logger = logger;
    this.noteDamage = noteDamage;
    this.signal = signal;
  }

  /** The same for jobs that are stopped when `signal` is aborted because the client has disconnected. */
  until(signal: AbortSignal): Requests {
    return new Requests(this.pools, this.limits, this.logger, this.noteDamage, signal);
  }

  /**
   * Runs a job and returns its result, which must be of the expected kind; `what` is the job's name in errors. Throws
   * `ServiceError` and `DamagedFile`.
   */
  async perform<Kind extends JobResult['kind']>(
    what: string,
    job: Job,
    ...expected: readonly Kind[]
  ): Promise<Extract<JobResult, { kind: Kind }>> {
    const result = await this.result(what, job);
    for (const kind of expected) if (isResult(result, kind)) return result;
    if (result.kind === 'refused') throw problems.refused(result.message, result.detail);
    if (result.kind === 'storage fault') throw storageProblem(result.fault);
    if (result.kind === 'damaged') throw this.noted(new DamagedFile(result.path, result.flaw));
    if (result.kind === 'shortage') throw problems.noMemory();
    this.logger.error({ job: job.kind, report: result.kind === 'fault' ? result.report : result }, 'a job failed');
    throw problems.internal();
  }

  /** Returns the error. If it reports a corrupt fit, records that first. */
  noted<Problem>(error: Problem): Problem {
    if (error instanceof DamagedFile) this.noteDamage(error.path);
    return error;
  }

  private async result(what: string, job: Job): Promise<JobResult> {
    const { requestTimeout, memoryMebibytes } = this.limits;
    try {
      const { signal } = this;
      const limits = { timeLimit: requestTimeout, waitLimit: requestTimeout, ...(signal !== undefined && { signal }) };
      const pool = isFitJob(job) ? this.pools.reading : this.pools.requests;
      const client = currentClient();
      return await pool.run(job, { ...limits, client, share: shareOf(job, client), brief: 'on' in job });
    } catch (error) {
      if (!(error instanceof JobStopped)) throw error;
      switch (error.reason) {
        case 'time':
          throw problems.outOfTime(what, requestTimeout, REASONS[job.kind]);
        case 'memory':
          throw problems.outOfMemory(what, memoryMebibytes);
        case 'busy':
          throw problems.busy();
        case 'closed':
        case 'cancelled':
          throw problems.closing();
        case 'crashed':
          this.logger.error({ job: job.kind, err: error.cause }, 'a worker died');
          throw problems.workerDied(error.cause);
      }
    }
  }
}

/**
 * The share of a job. Evaluations of one model have the same share, so that a model that never returns leaves threads
 * for others. The same applies to reads of one fit, and to compilations of one client.
 */
function shareOf(job: Job, client: string): string {
  if (isFitJob(job)) {
    if (job.kind === 'list') return job.kind;
    return job.kind === 'render' ? job.piece.path : job.path;
  }
  const model = 'on' in job ? job.on?.model : 'model' in job ? job.model : undefined;
  return model === undefined ? `${job.kind} ${client}` : `model ${model.id}`;
}
