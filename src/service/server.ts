import { setTimeout as pause } from 'node:timers/promises';
import { threadsAvailable } from '../node/address-space.js';
import { descriptorLimit } from '../node/descriptors.js';
import { openPair, type PairOptions } from './cluster/open-pair.js';
import { LiveFits } from './fits/live-fits.js';
import { type AppOptions, addRoutes, createServer } from './http/app.js';
import { connectionsWithin } from './http/connections.js';
import { measureRequests, measureServices } from './http/metrics.js';
import { ChainWorkers } from './operations/chain-workers.js';
import type { DiskLimits } from './operations/disk-guard.js';
import { FitInputs } from './operations/fit-inputs.js';
import { Grounds } from './operations/grounds.js';
import { Models } from './operations/models.js';
import { Operations } from './operations/operations.js';
import { Owners } from './store/owners.js';
import type { FitJob } from './threads/fit-job.js';
import { MemoryBudget } from './threads/memory-budget.js';
import { WorkerPool } from './threads/pool.js';
import { type CompletionJob, OWN_ENGINE } from './threads/protocol.js';
import { Requests } from './threads/requests.js';
import { engineVersion } from './threads/version.js';

export interface ServerOptions extends AppOptions, PairOptions, DiskLimits {
  /** 0 selects a free port. */
  readonly port: number;
  /** Number of threads that run chains; 0 if other processes run them. */
  readonly workers: number;
  /** Maximum number of operations that wait for a worker. */
  readonly maxQueue: number;
  readonly operationTimeout: number | undefined;
  /** Memory of each worker thread, in MiB. */
  readonly workerMemory: number;
  /** Memory limit for the models of all threads together, in MiB. */
  readonly memory: number;
  /** Whether to serve the workbench at `/`. */
  readonly web: boolean;
  /** Origins whose pages can embed the workbench, as in a Content Security Policy. */
  readonly frameAncestors: readonly string[];
  /** URL of the module that exports `engine`; Leapfrog's own by default. */
  readonly engine?: string;
}

export interface Server {
  /** The address at which it listens, `http://host:port`. */
  readonly address: string;
  /** Maximum number of connections, without those reserved for health and metrics. */
  readonly maxConnections: number;
  /**
   * Stops accepting operations, waits at most `grace` milliseconds for running ones, stops the workers, completes
   * responses in progress, and leaves unfinished operations to the next server.
   */
  close(grace?: number): Promise<void>;
}

/**
 * Minimum number of threads that requests on one model may use, if the machine has fewer cores. The pool is several
 * times as large, so a model that never finishes leaves threads for other models. Threads for chains are separate.
 */
const LEAST_MODEL_THREADS = 4;
const MODELS_AT_ONCE = 4;
const MOST_WAITING_REQUESTS = 1000;
/** Milliseconds. */
const CLOSING_TIME = 2000;
const POLL_INTERVAL = 20;
const SHORTAGE_INTERVAL = 100;

/** Opens the store, restarts interrupted operations, and listens. Resolves when requests are answered. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const engine = options.engine ?? OWN_ENGINE;
  const memoryMebibytes = Math.min(options.workerMemory, options.memory);
  const budget = new MemoryBudget(options.memory * 2 ** 20);
  const onShortage = atMostEvery(SHORTAGE_INTERVAL, () => {
    for (const pool of [chainPool, requestPool]) pool.release();
  });
  const withEngine = { engine, memoryMebibytes, budget, onShortage };
  const chainPool = new WorkerPool({ size: options.workers, ...withEngine });
  const maximumShare = Math.max(LEAST_MODEL_THREADS, threadsAvailable());
  const requestPool = new WorkerPool({
    size: MODELS_AT_ONCE * maximumShare,
    maximumShare,
    spare: true,
    ...withEngine,
    maximumWaiting: MOST_WAITING_REQUESTS,
  });
  const readingPool = new WorkerPool({
    size: threadsAvailable(),
    memoryMebibytes,
    maximumWaiting: MOST_WAITING_REQUESTS,
  });
  // The first request is often a list. A reading thread does not need the store, so it can start while the store is
  // opened.
  readingPool.warm();

  const threads = options.workers + MODELS_AT_ONCE * maximumShare + threadsAvailable();
  const maxConnections = options.maxConnections ?? connectionsWithin(descriptorLimit(), threads);
  const app = createServer({ ...options, maxConnections });
  const metrics = measureRequests(app);
  const version = engineVersion();
  const pair = await openPair(options, (message) => app.log.warn(message)).catch(async (error) => {
    await readingPool.close();
    throw error;
  });
  const { store, queue } = pair;
  const requests = new Requests(
    { requests: requestPool, reading: readingPool },
    { ...options, memoryMebibytes },
    app.log,
    (path) => store.fits.noteDamage(path),
  );
  const models = new Models(store, requests, version);
  const inputs = new FitInputs(store, requests);
  const grounds = new Grounds(store, models, inputs, budget);
  const read = (job: FitJob) => readingPool.run(job, { share: 'until' });
  const complete = (job: CompletionJob) => requests.perform('Completing the fit', job, 'finished');
  const owners = new Owners(options.tokens);
  const parts = { store, queue, owners, models, inputs, grounds, read, complete, free: () => chainPool.free };
  const operations = new Operations(parts, { ...options, memoryMebibytes }, app.log);
  const workers = new ChainWorkers(queue, chainPool, store, grounds, options, app.log);
  const live = new LiveFits((job) => requests.perform('Following the fit', job, 'followed', 'not followed'));
  const pools = { operations: chainPool, requests: requestPool, reading: readingPool };
  const disk = { folder: options.store, diskReserve: options.diskReserve };
  measureServices(metrics, { operations, pools, budget, store, disk });
  const requiresToken = options.token !== undefined || owners.areNamed;
  const services = {
    ...options,
    store,
    models,
    requests,
    operations,
    owners,
    live,
    metrics,
    engineVersion: version,
  };
  await addRoutes(app, { ...services, requiresToken });
  let adopting: NodeJS.Timeout | undefined;
  const close = async (grace = 0) => {
    clearInterval(adopting);
    operations.drain();
    const isBusy = () =>
      operations.statistics().running + requestPool.statistics().busy + readingPool.statistics().busy > 0;
    for (const end = performance.now() + grace; isBusy() && performance.now() < end; ) await pause(POLL_INTERVAL);
    await queue.close();
    await Promise.all([requestPool.close(), readingPool.close(), chainPool.close()]);
    await workers.settle();
    const force = setTimeout(() => app.server.closeAllConnections(), CLOSING_TIME);
    await app.close();
    clearTimeout(force);
    await operations.settle();
    await pair.close();
  };
  try {
    // Restart operations before the first request, which may refer to one of them.
    await operations.resume();
    const adopt = () =>
      operations.adopt().catch((error) => app.log.warn(error, 'the search for unfinished operations failed'));
    if (pair.adoptionInterval !== undefined) adopting = setInterval(adopt, pair.adoptionInterval);
    const address = await app.listen({ host: options.host, port: options.port });
    requestPool.warm();
    chainPool.warm();
    return { address, maxConnections, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Acts on the first of several calls within `interval` milliseconds. */
function atMostEvery(interval: number, act: () => void): () => void {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - last < interval) return;
    last = performance.now();
    act();
  };
}
