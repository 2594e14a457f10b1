import type { FastifyBaseLogger } from 'fastify';
import { DamagedFile } from '../../fit-files/checksums.js';
import { blockFolder, chainFile } from '../../fit-files/layout.js';
import { coresPerChain } from '../../fits/plan.js';
import { threadsAvailable } from '../../node/address-space.js';
import { storageFaultOf } from '../../node/system-errors.js';
import { isCompletion, isLastBlock } from '../queue/blocks.js';
import { deferred } from '../queue/deferred.js';
import type { ChainResult, ChainTask, LackOfSpace, Lease, Queue } from '../queue/queue.js';
import { makeFolders, PRIVATE_FOLDER } from '../store/files.js';
import { planOf } from '../store/operation-plan.js';
import { LostStore, type Store } from '../store/store.js';
import { JobStopped } from '../threads/job-stopped.js';
import type { WorkerPool } from '../threads/pool.js';
import type { ChainJob, CompletionJob, JobResult } from '../threads/protocol.js';
import { DiskGuard, type DiskLimits, type GuardedOperation } from './disk-guard.js';
import type { Ground, Grounds } from './grounds.js';
import { persistently } from './persistence.js';

/** Number of extensions of a lease within its duration. */
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
  /** Running chains by their folder. */
  private readonly running = new Map<string, Set<RunningChain>>();
  private readonly endGuarding: () => void;

  /** In a shared store, the files of running chains are limited here; otherwise where their operations run. */
  constructor(
    queue: Queue,
    pool: WorkerPool,
    store: Store,
    grounds: Grounds,
    limits: DiskLimits,
    logger: FastifyBaseLogger,
  ) {
    this.queue = queue;
    this.pool = pool;
    this.store = store;
    this.grounds = grounds;
    this.logger = logger;
    this.endGuarding = store.isShared ? new DiskGuard(limits).watch(() => this.folders(), logger) : () => undefined;
    this.ended = Promise.all(Array.from({ length: pool.size }, () => this.work()));
  }

  /** Resolves when no chain is running. Call it after closing the queue and the pool. */
  async settle(): Promise<void> {
    this.endGuarding();
    this.closing.abort();
    await this.ended;
  }

  /** The folders of running chains. Ending a folder ends all chains that write to it. */
  private folders(): GuardedOperation[] {
    return [...this.running].map(([folder, chains]) => ({
      folder,
      end: (lack) => {
        for (const chain of chains) chain.end(lack);
      },
    }));
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

  /** `onComputed` is called when the chain no longer needs its thread, before its files are stored. */
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
    const { block } = task;
    const { chain } = task.record.chains[task.index];
    await persistently(this.store, this.closing.signal, async () => {
      if (signal.aborted) throw new JobStopped('cancelled');
      await this.store.fits.keepChain(folder, chain, isLastBlock(block) ? undefined : block?.index);
    });
  }

  /** Creates a folder for the files that a block writes. Returns the folder with the files of the previous block. */
  private async prepareBlock({ block, index, record }: ChainTask, folder: string): Promise<string | undefined> {
    if (block === undefined) return undefined;
    const { chain } = record.chains[index];
    await makeFolders(blockFolder(folder, block.index), PRIVATE_FOLDER);
    return block.index > 0 ? this.store.fits.fetchBlock(folder, [chain], block.index - 1) : undefined;
  }

  /** The result of a chain; undefined if it was interrupted and another worker should run it. */
  private async run(lease: Lease, onComputed: () => void): Promise<ChainResult | undefined> {
    const { task } = lease;
    let ground: Ground | undefined;
    const running = new RunningChain(lease.signal);
    try {
      // The chain may have been cancelled before this worker took it.
      if (lease.signal.aborted) return undefined;
      ground = await this.grounds.use(task.record, {
        index: task.index,
        ...(task.block && { block: task.block.index }),
      });
      const { folder } = ground;
      this.note(folder, running);
      const { chain } = task.record.chains[task.index];
      const earlier = await this.prepareBlock(task, folder);
      let hasBegun = false;
      const onStart = () => {
        if (!hasBegun) lease.begin(chainFile(folder, chain, 'journal'));
        hasBegun = true;
      };
      const options = { signal: running.signal, share: task.record.id, onStart };
      const cores = coresPerChain(threadsAvailable(), this.pool.size);
      const durably = !this.store.isShared;
      const job = completionOf(task, { folder, earlier, durably }) ?? {
        ...jobOf(task, ground, { earlier, durably, cores }),
        data: await ground.data.get((binding) => this.pool.run(binding, options)),
      };
      const result = await this.pool.run(job, { ...options, onProgress: (progress) => lease.report(progress) });
      onComputed();
      if (result.kind === 'finished') await this.keep(lease, ground.folder);
      return resultOf(result);
    } catch (error) {
      if (running.lack !== undefined) return { kind: 'lack of space', ...running.lack };
      if (error instanceof DamagedFile) return { kind: 'damaged', path: error.path, flaw: error.flaw };
      if (error instanceof LostStore) return undefined;
      const fault = storageFaultOf(error);
      if (fault !== undefined) return { kind: 'storage fault', fault };
      if (!(error instanceof JobStopped)) return { kind: 'fault', report: reportOf(error) };
      const { reason, cause } = error;
      const ofThread = storageFaultOf(cause);
      if (ofThread !== undefined) return { kind: 'storage fault', fault: ofThread };
      if (reason !== 'memory' && reason !== 'crashed') return undefined;
      return { kind: 'stopped', reason, message: cause instanceof Error ? cause.message : 'the cause is unknown' };
    } finally {
      if (ground !== undefined) this.forget(ground.folder, running);
      await ground?.release();
    }
  }

  private note(folder: string, chain: RunningChain): void {
    const chains = this.running.get(folder) ?? new Set();
    this.running.set(folder, chains.add(chain));
  }

  private forget(folder: string, chain: RunningChain): void {
    const chains = this.running.get(folder);
    chains?.delete(chain);
    if (chains?.size === 0) this.running.delete(folder);
  }
}

/** A chain that stops if its lease ends or the disk has too little space for its files. */
class RunningChain {
  readonly signal: AbortSignal;
  /** Why the chain has been ended. */
  lack: LackOfSpace | undefined;
  private readonly ending = new AbortController();

  constructor(lease: AbortSignal) {
    this.signal = AbortSignal.any([lease, this.ending.signal]);
  }

  end(lack: LackOfSpace): void {
    this.lack ??= lack;
    this.ending.abort();
  }
}

interface JobSettings {
  /** The folder with the files of the previous block. */
  readonly earlier: string | undefined;
  /** Whether files must be flushed to the local disk, because it is not shared. */
  readonly durably: boolean;
  readonly cores: number;
}

/** The job of a block without iterations. */
function completionOf(
  { block, index, record }: ChainTask,
  { durably, earlier, folder }: Omit<JobSettings, 'cores'> & { readonly folder: string },
): CompletionJob | undefined {
  if (earlier === undefined || block === undefined || !isCompletion(block)) return undefined;
  const { chain } = record.chains[index];
  const message = block.stopped?.message;
  const tagged = record.chains.length > 1;
  return { kind: 'completion', chain, tagged, folder, durably, earlier, seconds: block.seconds, message };
}

/** Files of a block need not be flushed to the local disk. */
function jobOf(
  { block, index, record }: ChainTask,
  { model, calibrated, inputs, folder }: Ground,
  { cores, durably, earlier }: JobSettings,
): Omit<ChainJob, 'data'> {
  const { chain } = record.chains[index];
  const { blocks } = planOf(record);
  return {
    kind: 'chain',
    model,
    ...(calibrated !== undefined && {
      calibration: { ...calibrated, simulations: record.simulations ?? 0, chains: record.chains.length },
    }),
    ...(record.refits !== undefined && {
      refits: { held: record.refits.held, chains: record.chains.length, chainsOfRefit: record.refits.chains },
    }),
    inputs: earlier === undefined ? inputs : {},
    folder,
    durably: durably && block === undefined,
    ...(block !== undefined &&
      blocks !== undefined && {
        block: {
          limit: blocks.limit,
          done: block.index * blocks.size,
          folder: blockFolder(folder, block.index),
          ...(earlier !== undefined && { earlier }),
          ...(block.before && { before: block.before }),
          ...(block.seconds && { seconds: block.seconds }),
        },
      }),
    algorithm: record.function,
    arguments: {
      ...record.arguments,
      ...(blocks && { num_samples: blocks.size }),
      // A block has no warmup and does not know whether the run continues a fit.
      ...(blocks && record.inputs?.continue !== undefined && { num_warmup: 0 }),
      chain,
    },
    seed: record.seed,
    chain,
    index,
    cores,
    ...(record.save !== undefined && { save: record.save }),
    tagged: record.chains.length > 1,
  };
}

function resultOf(result: JobResult): ChainResult {
  switch (result.kind) {
    case 'finished': {
      const { adaptation, seconds } = result;
      return { kind: 'finished', ...(adaptation && { adaptation }), ...(seconds && { seconds }) };
    }
    case 'interrupted':
    case 'refused':
    case 'shortage':
    case 'storage fault':
    case 'damaged':
    case 'fault':
      return result;
    default:
      return { kind: 'fault', report: `a chain has the unexpected result ${result.kind}` };
  }
}

function reportOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
