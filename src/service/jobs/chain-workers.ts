import type { FastifyBaseLogger } from 'fastify';
import { isDiskFull } from '../errors.js';
import type { ChainResult, ChainTask, Lease, Queue } from '../queue/queue.js';
import { DamagedFile } from '../store/checksums.js';
import { LostStore, type Store } from '../store/store.js';
import type { Ground, Grounds } from './grounds.js';
import { JobStopped } from './job-stopped.js';
import type { WorkerPool } from './pool.js';
import type { ChainJob, JobResult } from './protocol.js';

/** Leases are extended so many times before they would run out. */
const HEARTBEATS = 3;

/** Take chains from a queue, as many at a time as a pool has threads, and run them there. */
export class ChainWorkers {
  private readonly queue: Queue;
  private readonly pool: WorkerPool;
  private readonly store: Store;
  private readonly grounds: Grounds;
  private readonly logger: FastifyBaseLogger;
  private readonly ended: Promise<unknown>;

  constructor(queue: Queue, pool: WorkerPool, store: Store, grounds: Grounds, logger: FastifyBaseLogger) {
    this.queue = queue;
    this.pool = pool;
    this.store = store;
    this.grounds = grounds;
    this.logger = logger;
    this.ended = Promise.all(Array.from({ length: pool.size }, () => this.work()));
  }

  /** Waits until no chain is run any more; call it when the queue and the pool have been closed. */
  async settle(): Promise<void> {
    await this.ended;
  }

  private async work(): Promise<void> {
    for (;;) {
      const lease = await this.queue.take();
      if (lease === undefined) return;
      await this.perform(lease).catch((error) => this.logger.error(error, 'a chain could not be told of'));
    }
  }

  private async perform(lease: Lease): Promise<void> {
    const { leaseTime } = this.queue;
    const extend = () => lease.extend().catch((error) => this.logger.warn(error, 'a lease could not be extended'));
    const heartbeat = leaseTime === undefined ? undefined : setInterval(extend, leaseTime / HEARTBEATS);
    try {
      const result = await this.run(lease);
      if (result === undefined) await lease.giveBack();
      else await lease.acknowledge(result);
    } finally {
      clearInterval(heartbeat);
    }
  }

  /** Undefined when the chain has not come to an end, and should where there are other workers. */
  private async run(lease: Lease): Promise<ChainResult | undefined> {
    const { task } = lease;
    let ground: Ground | undefined;
    try {
      // It may have been cancelled before it was taken: then nothing is to be prepared.
      if (lease.signal.aborted) return undefined;
      ground = await this.grounds.use(task.record);
      const result = await this.pool.run(jobOf(task, ground), {
        signal: lease.signal,
        share: task.record.id,
        onStart: () => lease.begin(),
        onProgress: (progress) => lease.report(progress),
      });
      if (result.kind === 'finished')
        await this.store.fits.keepChain(ground.folder, task.record.chains[task.index].chain);
      return resultOf(result);
    } catch (error) {
      if (error instanceof DamagedFile) return { kind: 'damaged', path: error.path };
      if (isDiskFull(error)) return { kind: 'disk full' };
      if (error instanceof LostStore) return undefined;
      if (!(error instanceof JobStopped)) return { kind: 'fault', report: reportOf(error) };
      const { reason, cause } = error;
      if (reason !== 'memory' && reason !== 'crashed') return undefined;
      return { kind: 'stopped', reason, message: cause instanceof Error ? cause.message : 'no reason is known' };
    } finally {
      await ground?.release();
    }
  }
}

function jobOf({ record, index }: ChainTask, { model, inputs, folder }: Ground): ChainJob {
  const { chain } = record.chains[index];
  return {
    kind: 'chain',
    model,
    inputs,
    folder,
    data: record.data ?? '{}',
    algorithm: record.function,
    arguments: { ...record.arguments, chain },
    seed: record.seed,
    chain,
    index,
    ...(record.save !== undefined && { save: record.save }),
    tagged: record.chains.length > 1,
  };
}

function resultOf(result: JobResult): ChainResult {
  switch (result.kind) {
    case 'finished':
    case 'interrupted':
    case 'refused':
    case 'shortage':
    case 'disk full':
    case 'damaged':
    case 'fault':
      return result;
    default:
      return { kind: 'fault', report: `a chain came to ${result.kind}` };
  }
}

function reportOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
