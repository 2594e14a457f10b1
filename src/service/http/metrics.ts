import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type DiskLimits, diskSpace } from '../operations/disk-guard.js';
import type { Operations } from '../operations/operations.js';
import type { Store } from '../store/store.js';
import type { MemoryBudget } from '../threads/memory-budget.js';
import type { WorkerPool } from '../threads/pool.js';

/** Sources of metrics other than requests. All are read at each scrape. */
export interface Measured {
  readonly operations: Operations;
  readonly pools: Readonly<Record<string, WorkerPool>>;
  readonly budget: MemoryBudget;
  readonly store: Store;
  /** The local folder of the store, and the limits of its disk. */
  readonly disk: Pick<DiskLimits, 'diskReserve'> & { readonly folder: string };
}

/** Upper bounds in seconds, from the time of an evaluation (a millisecond) to `--request-timeout`. */
const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Counts requests of a server by route and status, with their latencies. Call it before routes are added. */
export function measureRequests(app: FastifyInstance): Registry {
  const registry = new Registry();
  const latency = new Histogram({
    name: 'leapfrog_http_request_duration_seconds',
    help: 'Requests by method, route and status, with the time until the response was sent',
    labelNames: ['method', 'route', 'status'],
    buckets: LATENCY_BUCKETS,
    registers: [registry],
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    latency.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
  return registry;
}

/** Adds metrics of operations, workers, the store and the process. */
export function measureServices(registry: Registry, { operations, pools, budget, store, disk }: Measured): void {
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  new Gauge({
    name: 'leapfrog_operations',
    help: 'Running operations, and those that wait for a worker',
    labelNames: ['state'],
    registers,
    collect() {
      const { running, waiting } = operations.statistics();
      this.set({ state: 'running' }, running);
      this.set({ state: 'waiting' }, waiting);
    },
  });
  if (operations.statistics().shared !== undefined) measureCluster(registers, operations);
  counter('leapfrog_operations_ended_total', 'Operations that have ended, by outcome', 'outcome', () => {
    const { succeeded, failed, cancelled } = operations.statistics();
    return { succeeded, failed, cancelled };
  });
  new Counter({
    name: 'leapfrog_gradients_total',
    help: 'Gradients that chains have evaluated; its rate is gradients per second',
    registers,
    collect() {
      this.reset();
      this.inc(operations.statistics().gradients);
    },
  });
  new Gauge({
    name: 'leapfrog_workers',
    help: 'Worker threads of each pool, busy and idle',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, { alive, busy }] of statistics()) {
        this.set({ pool, state: 'busy' }, busy);
        this.set({ pool, state: 'idle' }, alive - busy);
      }
    },
  });
  new Gauge({
    name: 'leapfrog_jobs_waiting',
    help: 'Jobs that wait for a worker thread of a pool',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, { waiting }] of statistics()) this.set({ pool }, waiting);
    },
  });
  counter('leapfrog_workers_replaced_total', 'Worker threads that were stopped or died, by pool', 'pool', () =>
    Object.fromEntries(statistics().map(([pool, { replaced }]) => [pool, replaced])),
  );
  new Gauge({
    name: 'leapfrog_cache_bytes',
    help: 'Bytes of the models and fits in the store',
    registers,
    async collect() {
      this.set((await store.usage()).bytes);
    },
  });

  new Gauge({
    name: 'leapfrog_disk_bytes',
    help: 'The disk of the store: free bytes, and those that operations leave free (--disk-reserve)',
    labelNames: ['of'],
    registers,
    async collect() {
      // Another process may have removed the folder.
      const space = await diskSpace(disk.folder, disk.diskReserve).catch(() => undefined);
      this.reset();
      for (const [of, bytes] of Object.entries(space ?? {})) this.set({ of }, bytes);
    },
  });

  new Gauge({
    name: 'leapfrog_model_memory_bytes',
    help: 'Memory of all models: in use, and its limit',
    labelNames: ['of'],
    registers,
    collect() {
      this.set({ of: 'used' }, budget.used);
      this.set({ of: 'limit' }, budget.limit);
    },
  });

  function statistics() {
    return Object.entries(pools).map(([name, pool]) => [name, pool.statistics()] as const);
  }

  /** A counter whose values are read at each scrape, one per value of its label. */
  function counter(name: string, help: string, label: string, read: () => Readonly<Record<string, number>>): void {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        this.reset();
        for (const [value, count] of Object.entries(read())) this.inc({ [label]: value }, count);
      },
    });
  }
}

/** Adds metrics of all servers and workers that share the queue. */
function measureCluster(registers: Registry[], operations: Operations): void {
  new Gauge({
    name: 'leapfrog_cluster_operations_waiting',
    help: 'Operations of all servers in the cluster that have not started a chain',
    registers,
    collect() {
      this.set(operations.statistics().shared?.waiting ?? 0);
    },
  });
  new Gauge({
    name: 'leapfrog_cluster_chains',
    help: 'Running chains of all servers in the cluster, and those that wait for a worker',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, count] of Object.entries(operations.statistics().shared?.chains ?? {}))
        this.set({ state }, count);
    },
  });
}
