/** A process that runs chains for servers on other machines. */
import { setTimeout as pause } from 'node:timers/promises';
import pino from 'pino';
import { openNatsPair } from './cluster/nats-pair.js';
import type { NatsOptions } from './cluster/pair.js';
import { ChainWorkers } from './operations/chain-workers.js';
import type { DiskLimits } from './operations/disk-guard.js';
import { FitInputs } from './operations/fit-inputs.js';
import { Grounds } from './operations/grounds.js';
import { Models } from './operations/models.js';
import { MemoryBudget } from './threads/memory-budget.js';
import { WorkerPool } from './threads/pool.js';
import { OWN_ENGINE } from './threads/protocol.js';
import { Requests } from './threads/requests.js';
import { engineVersion } from './threads/version.js';

export interface WorkOptions extends DiskLimits {
  readonly nats: NatsOptions;
  /** Maximum bytes of models and fits. */
  readonly cacheSize: number;
  /** Number of threads that run chains. */
  readonly workers: number;
  /** Time limit of compilations in milliseconds. */
  readonly requestTimeout: number;
  /** Memory of each thread, in MiB. */
  readonly workerMemory: number;
  /** Memory limit for the models of all threads together, in MiB. */
  readonly memory: number;
  readonly logLevel: string;
  /** URL of the module that exports `engine`; Leapfrog's own by default. */
  readonly engine?: string;
}

export interface Working {
  /**
   * Stops taking chains, lets running chains continue for at most `grace` milliseconds, and leaves the rest to other
   * workers.
   */
  close(grace?: number): Promise<void>;
}

/** Milliseconds. */
const POLL_INTERVAL = 20;

/** Starts taking chains. */
export async function startWorker(options: WorkOptions): Promise<Working> {
  const logger = pino({ level: options.logLevel });
  const memoryMebibytes = Math.min(options.workerMemory, options.memory);
  const budget = new MemoryBudget(options.memory * 2 ** 20);
  const engine = options.engine ?? OWN_ENGINE;
  const onShortage = () => {
    for (const pool of [chainPool, requestPool]) pool.release();
  };
  const withEngine = { engine, memoryMebibytes, budget, onShortage };
  const onWait = (message: string) => logger.warn(message);
  const { store, queue, close: closePair } = await openNatsPair(options.nats, options.cacheSize, onWait);
  const chainPool = new WorkerPool({ size: options.workers, ...withEngine });
  // For models that an engine of another build has compiled.
  const requestPool = new WorkerPool({ size: 1, ...withEngine });
  const pools = { requests: requestPool, reading: requestPool };
  const limits = { requestTimeout: options.requestTimeout, memoryMebibytes };
  const requests = new Requests(pools, limits, logger, (path) => store.fits.noteDamage(path));
  const models = new Models(store, requests, engineVersion());
  const grounds = new Grounds(store, models, new FitInputs(store, requests), budget);
  const workers = new ChainWorkers(queue, chainPool, store, grounds, options, logger);
  chainPool.warm();
  const close = async (grace = 0) => {
    await queue.close();
    for (const end = performance.now() + grace; chainPool.statistics().busy > 0 && performance.now() < end; ) {
      await pause(POLL_INTERVAL);
    }
    await Promise.all([chainPool.close(), requestPool.close()]);
    await workers.settle();
    await closePair();
  };
  return { close };
}
