/** The entry of a worker thread: does one job after the other and answers each with one result. */
import { parentPort, workerData } from 'node:worker_threads';
import { JsonSyntaxError, parseStanData } from '../../model/json.js';
import { readBody } from '../body.js';
import { isDiskFull } from '../errors.js';
import { isFitJob, performFitJob } from '../fits/fit-jobs.js';
import { FitReader } from '../fits/fit-reader.js';
import { writeJson } from '../json.js';
import { runChain } from './chain.js';
import { checkInputs } from './chain-inputs.js';
import type { Engine } from './engine.js';
import { Evaluator, Misfit } from './evaluator.js';
import type { ChainProgress, CompileJob, InputsJob, Job, JobResult, WorkerMessage, WorkerSetup } from './protocol.js';

const WARM_UP_DELAY = 200;

const TYPICAL_PROGRAM = `data { int<lower=0> N; vector[N] y; array[N] int<lower=1, upper=N> g; }
parameters { real mu; real<lower=0> tau; vector<offset=mu, multiplier=tau>[N] theta; }
transformed parameters { vector[N] eta = theta[g] + 2 * y; }
model { mu ~ normal(0, 1); for (n in 1:N) { if (n > 1) target += normal_lpdf(y[n] | eta[n], exp(tau)); } }
generated quantities { array[N] real replicated = normal_rng(eta, tau); }`;

if (parentPort === null) throw new Error('the worker entry must be started as a worker thread');
const port = parentPort;
const setup: WorkerSetup = workerData;
const maximumMemory = setup.memoryMebibytes * 2 ** 20;

const fits = new FitReader();
const loading = load();
loading.catch(() => undefined).then(() => send({ type: 'ready' }));
/** A thread that has nothing to do runs the language services once, so that the first program finds them compiled. */
const warmUp = setTimeout(
  () =>
    loading
      .then(({ engine }) => engine.describe({ program: TYPICAL_PROGRAM, includes: {} }, true))
      .catch(() => undefined),
  WARM_UP_DELAY,
);
port.on('message', async (job: Job) => {
  clearTimeout(warmUp);
  send({ type: 'result', result: await answer(job) });
});

async function load(): Promise<{ engine: Engine; evaluator: Evaluator }> {
  const { engine }: { engine: Engine } = await import(setup.engine);
  return { engine, evaluator: new Evaluator(engine, maximumMemory) };
}

/** Bytes of a piece of a fit are handed over rather than copied. */
function send(message: WorkerMessage): void {
  const handed = message.type === 'result' && message.result.kind === 'rendered' ? [message.result.bytes.buffer] : [];
  port.postMessage(message, handed);
}

async function answer(job: Job): Promise<JobResult> {
  try {
    const { engine, evaluator } = await loading;
    send({ type: 'started' });
    try {
      return perform(engine, evaluator, job);
    } catch (error) {
      const message = messageOfBlame(engine, error);
      if (message !== undefined) return { kind: 'refused', message };
      evaluator.forget();
      throw error;
    }
  } catch (error) {
    if (isDiskFull(error)) return { kind: 'disk full' };
    return { kind: 'fault', report: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function perform(engine: Engine, evaluator: Evaluator, job: Job): JobResult {
  if (isFitJob(job)) return performFitJob(fits, job);
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
      return runChain(engine, job, maximumMemory, report);
    }
    default:
      return { kind: 'answer', json: new TextEncoder().encode(writeJson(evaluator.evaluate(job), job.style)) };
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
  const options = { seed: 0, print: () => undefined, maximumMemory };
  return {
    kind: 'inputs',
    ...checkInputs(engine.instantiate(artifact, module, parseStanData(job.data), options), job),
  };
}

/** What to tell the client of an error; undefined when the fault is ours. */
function messageOfBlame(engine: Engine, error: unknown): string | undefined {
  if (error instanceof Misfit) return `The request is not right: ${error.message}.`;
  if (error instanceof JsonSyntaxError) return `The data are not right: ${error.message}.`;
  if (error instanceof RangeError && /call stack/i.test(error.message))
    return 'The program nests or recurses too deeply.';
  return engine.blame(error)?.message;
}
