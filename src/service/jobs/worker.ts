/** The entry of a worker thread: does one job after the other and answers each with one result. */
import { parentPort, workerData } from 'node:worker_threads';
import { JsonSyntaxError, parseStanData } from '../../model/json.js';
import { readBody } from '../body.js';
import { isDiskFull } from '../errors.js';
import { type FitJob, isFitJob } from '../fits/fit-job.js';
import { FitJobs } from '../fits/fit-jobs.js';
import { UnwritableFile } from '../fits/unwritable-file.js';
import { writeJson } from '../json.js';
import { DamagedFile } from '../store/checksums.js';
import { runChain } from './chain.js';
import { checkInputs } from './chain-inputs.js';
import type { Engine } from './engine.js';
import { Evaluator, Misfit } from './evaluator.js';
import { MemoryAccount } from './memory-budget.js';
import type {
  ChainProgress,
  CompileJob,
  InputsJob,
  Job,
  JobResult,
  WorkerMessage,
  WorkerOrder,
  WorkerSetup,
} from './protocol.js';
import { Receiver } from './repetition.js';
import { ThreadMemory } from './thread-memory.js';

const WARM_UP_DELAY = 200;
/** Milliseconds after which what is left of a message is given back. */
const BATCH_TIME = 2;
/** Milliseconds that a model waits for memory which others have: while a client waits for it, and otherwise. */
const REQUEST_PATIENCE = 2000;
const CHAIN_PATIENCE = 30_000;
/** Characters. */
const LARGE_ANSWER = 1 << 16;

const TYPICAL_PROGRAM = `data { int<lower=0> N; vector[N] y; array[N] int<lower=1, upper=N> g; }
parameters { real mu; real<lower=0> tau; vector<offset=mu, multiplier=tau>[N] theta; }
transformed parameters { vector[N] eta = theta[g] + 2 * y; }
model { mu ~ normal(0, 1); for (n in 1:N) { if (n > 1) target += normal_lpdf(y[n] | eta[n], exp(tau)); } }
generated quantities { array[N] real replicated = normal_rng(eta, tau); }`;

/** The engine, or why there is none. */
type Loaded =
  | { readonly engine: Engine; readonly evaluator: Evaluator; readonly memory: ThreadMemory }
  | { readonly fault: string };

if (parentPort === null) throw new Error('the worker entry must be started as a worker thread');
const port = parentPort;
const setup: WorkerSetup = workerData;
const maximumMemory = setup.memoryMebibytes * 2 ** 20;
const limits = {
  maximumMemory,
  claimMemory: (bytes: number) => 'memory' in loaded && loaded.memory.claim(bytes),
};

const fits = new FitJobs();
const receiver = new Receiver();
const loaded = await load();
send({ type: 'ready' });
/** A thread that has nothing to do runs the language services once, so that the first program finds them compiled. */
const warmUp = setTimeout(() => {
  if ('engine' in loaded) loaded.engine.describe({ program: TYPICAL_PROGRAM, includes: {} }, true);
}, WARM_UP_DELAY);
port.on('message', (order: WorkerOrder) => {
  clearTimeout(warmUp);
  if (order === 'release') {
    if ('memory' in loaded) loaded.memory.release();
    return;
  }
  const start = performance.now();
  const results: JobResult[] = [];
  let milliseconds = 0;
  for (const [index, job] of order.map((each) => receiver.complete(each)).entries()) {
    if (milliseconds > BATCH_TIME) break;
    Atomics.store(setup.place, 0, index);
    results.push(answer(job));
    milliseconds = performance.now() - start;
  }
  send({ type: 'results', results, milliseconds });
});

async function load(): Promise<Loaded> {
  if (setup.engine === undefined) return { fault: 'a thread without an engine was given a program' };
  try {
    const { engine }: { engine: Engine } = await import(setup.engine);
    const returnMemory = (bytes: number) => 'memory' in loaded && loaded.memory.giveBack(bytes);
    const evaluator = new Evaluator(engine, { ...limits, returnMemory });
    const account = setup.account && new MemoryAccount(setup.account);
    return { engine, evaluator, memory: new ThreadMemory(account, evaluator, () => send({ type: 'shortage' })) };
  } catch (error) {
    return { fault: reportOf(error) };
  }
}

/** Bytes of a piece of a fit and of large answers are handed over rather than copied. */
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

function answer(job: Job): JobResult {
  if (isFitJob(job)) return read(job);
  if ('fault' in loaded) return { kind: 'fault', report: loaded.fault };
  const { engine, evaluator, memory } = loaded;
  memory.patience = job.kind === 'chain' ? CHAIN_PATIENCE : REQUEST_PATIENCE;
  try {
    return perform(engine, evaluator, job);
  } catch (error) {
    if (engine.isShortage(error)) return { kind: 'shortage' };
    const message = messageOfBlame(engine, error);
    if (message !== undefined) return { kind: 'refused', message };
    evaluator.forget();
    return isDiskFull(error) ? { kind: 'disk full' } : faultOf(error);
  } finally {
    memory.settle();
  }
}

function read(job: FitJob): JobResult {
  try {
    return fits.perform(job);
  } catch (error) {
    return faultOf(error);
  }
}

function faultOf(error: unknown): JobResult {
  if (error instanceof DamagedFile) return { kind: 'damaged', path: error.path };
  return { kind: 'fault', report: reportOf(error) };
}

function reportOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function perform(engine: Engine, evaluator: Evaluator, job: Exclude<Job, FitJob>): JobResult {
  switch (job.kind) {
    case 'compile':
      return compile(engine, job);
    case 'describe':
      return { kind: 'described', description: engine.describe(job.source, job.pedantic) };
    case 'read':
      return { kind: 'read', body: readBody(job.bytes) };
    case 'inputs':
      return inspectInputs(engine, job);
    case 'chain': {
      const report = (progress: ChainProgress) => send({ type: 'progress', progress });
      return runChain(engine, job, limits, report);
    }
    default: {
      const json = writeJson(evaluator.evaluate(job), job.style);
      return { kind: 'answer', json: json.length < LARGE_ANSWER ? json : new TextEncoder().encode(json) };
    }
  }
}

function compile(engine: Engine, { source }: CompileJob): JobResult {
  const outcome = engine.compile(source);
  if (!outcome.compiled) return { kind: 'not compiled', text: outcome.text, diagnostics: outcome.diagnostics };
  const { artifact, wasm, log, warnings } = outcome;
  return { kind: 'compiled', artifact, wasm, log, warnings };
}

function inspectInputs(engine: Engine, job: InputsJob): JobResult {
  const { artifact, module } = job.model;
  const options = { seed: 0, print: () => undefined, ...limits };
  const makeModel = () => engine.instantiate(artifact, module, parseStanData(job.data), options);
  return { kind: 'inputs', ...checkInputs(job, engine.outputs(artifact), makeModel) };
}

/** What to tell the client of an error; undefined when the fault is ours. */
function messageOfBlame(engine: Engine, error: unknown): string | undefined {
  if (error instanceof Misfit) return `The request is not right: ${error.message}.`;
  if (error instanceof UnwritableFile) return error.message;
  if (error instanceof JsonSyntaxError) return `The data are not right: ${error.message}.`;
  if (error instanceof RangeError && /call stack/i.test(error.message))
    return 'The program nests or recurses too deeply.';
  return engine.blame(error)?.message;
}
