/** Entry point of a worker thread. Runs jobs one after the other and returns one result for each. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Engine } from '../../engine/engine.js';
import { DamagedFile } from '../../fit-files/checksums.js';
import { importModule } from '../../node/import-module.js';
import { storageFaultOf } from '../../node/system-errors.js';
import type { EngineJobs } from './engine-jobs.js';
import { isFitJob } from './fit-job.js';
import { FitJobs } from './fit-jobs.js';
import {
  type Job,
  type JobResult,
  OWN_ENGINE,
  type WorkerMessage,
  type WorkerOrder,
  type WorkerSetup,
} from './protocol.js';
import { Receiver } from './repetition.js';

const WARM_UP_DELAY = 200;
/** Milliseconds after which the remaining tasks of a message are returned. */
const BATCH_TIME = 2;

/** The engine, or the reason why it could not be loaded. */
type Loaded = { readonly jobs: EngineJobs } | { readonly fault: unknown };

if (parentPort === null) throw new Error('the worker entry must be started as a worker thread');
const port = parentPort;
const setup: WorkerSetup = workerData;

const fits = new FitJobs();
const receiver = new Receiver();
void takeOrders();

async function takeOrders(): Promise<void> {
  const loaded = await load();
  const jobs = 'jobs' in loaded ? loaded.jobs : undefined;
  send({ type: 'ready' });
  const warmUp = setTimeout(() => jobs?.warmUp(), WARM_UP_DELAY);
  port.on('message', async (order: WorkerOrder) => {
    clearTimeout(warmUp);
    if (order === 'end') port.close();
    else if (order === 'release') jobs?.release();
    else await perform(loaded, order);
  });
}

async function perform(loaded: Loaded, order: readonly Job[]): Promise<void> {
  const start = performance.now();
  const results: JobResult[] = [];
  let milliseconds = 0;
  for (const [index, job] of order.map((each) => receiver.complete(each)).entries()) {
    if (milliseconds > BATCH_TIME) break;
    Atomics.store(setup.place, 0, index);
    results.push(await answer(loaded, job));
    milliseconds = performance.now() - start;
  }
  send({ type: 'results', results, milliseconds, isUnusable: setup.engine !== undefined && 'fault' in loaded });
}

/** A thread that only reads fits does not load the engine, because a server may start one such thread per core. */
async function load(): Promise<Loaded> {
  if (setup.engine === undefined) return { fault: new Error('a thread without an engine was given a program') };
  try {
    const [{ engine }, { EngineJobs }]: [{ engine: Engine }, typeof import('./engine-jobs.js')] = await Promise.all([
      setup.engine === OWN_ENGINE ? import('../../node/engine.js') : importModule(setup.engine),
      import('./engine-jobs.js'),
    ]);
    return { jobs: new EngineJobs(engine, setup, send) };
  } catch (error) {
    return { fault: error };
  }
}

/** Sends a message. The bytes of pieces and large responses are transferred rather than copied. */
function send(message: WorkerMessage): void {
  const handed: ArrayBuffer[] = [];
  if (message.type === 'results') {
    for (const result of message.results) {
      if (result.kind === 'rendered') handed.push(result.bytes.buffer);
      if (result.kind === 'listed')
        handed.push(...result.parts.flatMap((part) => (part instanceof Uint8Array ? [part.buffer] : [])));
      if (result.kind === 'followed') handed.push(...result.slices.map(({ buffer }) => buffer));
      if (result.kind === 'answer' && typeof result.json !== 'string') handed.push(result.json.buffer);
    }
  }
  port.postMessage(message, handed);
}

async function answer(loaded: Loaded, job: Job): Promise<JobResult> {
  try {
    if (isFitJob(job)) return fits.perform(job);
    if (!('jobs' in loaded)) throw loaded.fault;
    return await loaded.jobs.perform(job);
  } catch (error) {
    if (error instanceof DamagedFile) return { kind: 'damaged', path: error.path, flaw: error.flaw };
    const fault = storageFaultOf(error);
    if (fault !== undefined) return { kind: 'storage fault', fault };
    return { kind: 'fault', report: reportOf(error) };
  }
}

function reportOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
