import type { FastifyBaseLogger } from 'fastify';
import { isDiskFull } from '../errors.js';
import { chainFile } from '../fits/layout.js';
import { deferred } from '../queue/deferred.js';
import type { ChainResult, ChainTask, Lease, Queue } from '../queue/queue.js';
import { DamagedFile } from '../store/checksums.js';
import { LostStore, type Store } from '../store/store.js';
import type { Ground, Grounds } from './grounds.js';
import { JobStopped } from './job-stopped.js';
import { persistently } from './persistence.js';
import type { WorkerPool } from './pool.js';
import type { ChainJob, JobResult } from './protocol.js';

/** Number of extensions within the duration of a lease. */
const HEARTBEATS = 3;
/** Maximum number of a thread's earlier chains whose files are still being stored. */
const MOST_FINISHING = 4;

/** Takes chains from a queue, at most one for each thread of a pool, and runs them in the threads. */
export class ChainWorkers {
  private readonly queue: Queue;
  private readonly pool: WorkerPool;
  private readonly store: Store;
  private readonly grounds: Grounds;
  private readonly logger: FastifyBaseLogger;
  private readonly ended: Promise<unknown>;
  private readonly closing = new AbortController();

  constructor(queue: Queue, pool: WorkerPool, store: Store, grounds: Grounds, logger: FastifyBaseLogger) {
    this.queue = queue;
    this.pool = pool;
    this.store = store;
    this.grounds = grounds;
    this.logger = logger;
    this.ended = Promise.all(Array.from({ length: pool.size }, () => this.work()));
  }

  /** Resolves when no chain is running. Call it after closing the queue and the pool. */
  async settle(): Promise<void> {
    this.closing.abort();
    await this.ended;
  }

  private async work(): Promise<void> {
    const finishing = new Set<Promise<void>>();
    for (;;) {
      const lease = await this.queue.take();
      if (lease === undefined) break;
      const computed = deferred<void>();
      const finished = this.perform(lease, computed.resolve)
        .catch((error) => this.logger.error(error, 'the progress of a chain could not be published'))
        .finally(() => finishing.delete(finished));
      finishing.add(finished);
      await Promise.race([computed.promise, finished]);
      if (finishing.size > MOST_FINISHING) await Promise.race(finishing);
    }
    await Promise.all(finishing);
  }

  /** `onComputed` is called when the chain no longer needs its thread. Its files have not been stored then. */
  private async perform(lease: Lease, onComputed: () => void): Promise<void> {
    const { leaseTime } = this.queue;
    const extend = () => lease.extend().catch((error) => this.logger.warn(error, 'a lease could not be extended'));
    const heartbeat = leaseTime === undefined ? undefined : setInterval(extend, leaseTime / HEARTBEATS);
    try {
      const result = await this.run(lease, onComputed);
      const { signal } = this.closing;
      if (result === undefined) await lease.release();
      else await persistently(this.store, signal, () => lease.acknowledge(result));
    } finally {
      clearInterval(heartbeat);
    }
  }

  /** Stores the files of a chain, with retries, unless another process now runs the chain. */
  private async keep({ task, signal }: Lease, folder: string): Promise<void> {
    const { chain } = task.record.chains[task.index];
    await persistently(this.store, this.closing.signal, async () => {
      if (signal.aborted) throw new JobStopped('cancelled');
      await this.store.fits.keepChain(folder, chain);
    });
  }

  /** Undefined if the chain was interrupted and another worker should run it. */
  private async run(lease: Lease, onComputed: () => void): Promise<ChainResult | undefined> {
    const { task } = lease;
    let ground: Ground | undefined;
    try {
      // It may have been cancelled before it was taken.
      if (lease.signal.aborted) return undefined;
      ground = await this.grounds.use(task.record, { index: task.index });
      const { folder } = ground;
      const { chain } = task.record.chains[task.index];
      const result = await this.pool.run(jobOf(task, ground, !this.store.isShared), {
        signal: lease.signal,
        share: task.record.id,
        onStart: () => lease.begin(chainFile(folder, chain, 'journal')),
        onProgress: (progress) => lease.report(progress),
      });
      onComputed();
      if (result.kind === 'finished') await this.keep(lease, ground.folder);
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

/** If files are stored in the cluster, they need not be flushed to the local disk. */
function jobOf({ record, index }: ChainTask, { model, source, inputs, folder }: Ground, durably: boolean): ChainJob {
  const { chain } = record.chains[index];
  return {
    kind: 'chain',
    model,
    ...(source !== undefined && { source }),
    inputs,
    folder,
    durably,
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
