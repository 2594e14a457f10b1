import { availableParallelism } from 'node:os';
import { type AppOptions, addRoutes, createServer } from './app.js';
import { Models } from './jobs/models.js';
import { Operations } from './jobs/operations.js';
import { WorkerPool } from './jobs/pool.js';
import { Requests } from './jobs/requests.js';
import { engineVersion } from './jobs/version.js';
import { Store } from './store/store.js';

export interface ServerOptions extends AppOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Folder of models and fits. */
  readonly store: string;
  /** Threads that run chains. */
  readonly workers: number;
  /** Milliseconds that compiling or evaluating may take. */
  readonly requestTimeout: number;
  readonly operationTimeout: number | undefined;
  /** Memory of each worker thread. */
  readonly workerMemory: number;
  /** URL of the module that exports `engine`; our own unless given. */
  readonly engine?: string;
}

export interface Server {
  /** Where it listens, `http://host:port`. */
  readonly address: string;
  /** Answers what it has begun to answer, ends the workers, and leaves running operations to the next server. */
  close(): Promise<void>;
}

/** Threads for requests, apart from those for chains and started when needed: endless evaluations must not keep others waiting. */
const LEAST_REQUEST_THREADS = 8;
const MOST_WAITING_REQUESTS = 1000;

/** Opens the store and listens. Resolves when requests are answered. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const engine = options.engine ?? new URL('./jobs/leapfrog.js', import.meta.url).href;
  const memoryMebibytes = options.workerMemory;
  const chainPool = new WorkerPool({ size: options.workers, engine, memoryMebibytes });
  const requestPool = new WorkerPool({
    size: Math.max(LEAST_REQUEST_THREADS, availableParallelism()),
    engine,
    memoryMebibytes,
    maximumWaiting: MOST_WAITING_REQUESTS,
  });

  const app = createServer(options);
  const [store, version] = await Promise.all([Store.open(options.store), engineVersion()]);
  const requests = new Requests(requestPool, { ...options, memoryMebibytes }, app.log);
  const models = new Models(store, requests, version);
  const operations = new Operations(store, models, chainPool, { ...options, memoryMebibytes }, app.log);
  await addRoutes(app, { ...options, store, models, requests, operations });
  const address = await app.listen({ host: options.host, port: options.port });
  requestPool.warm();
  chainPool.warm();
  await operations.resume();

  return {
    address,
    close: async () => {
      await Promise.all([requestPool.close(), chainPool.close()]);
      await app.close();
      await operations.settle();
      await store.close();
    },
  };
}
