/** What a thread with an engine does: compiles programs, evaluates models and runs chains. */
import { JsonSyntaxError, parseStanData } from '../../model/json.js';
import { readBody } from '../body.js';
import { isDiskFull } from '../errors.js';
import type { FitJob } from '../fits/fit-job.js';
import { UnwritableFile } from '../fits/unwritable-file.js';
import { writeJson } from '../json.js';
import { runChain } from './chain.js';
import { checkInputs } from './chain-inputs.js';
import type { Engine } from './engine.js';
import { Evaluator, Misfit } from './evaluator.js';
import { MemoryAccount } from './memory-budget.js';
import type { CompileJob, InputsJob, Job, JobResult, WorkerMessage, WorkerSetup } from './protocol.js';
import { ThreadMemory } from './thread-memory.js';

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

export type EngineJob = Exclude<Job, FitJob>;

/** Does jobs one after the other; models that were evaluated stay in memory. */
export class EngineJobs {
  private readonly engine: Engine;
  private readonly evaluator: Evaluator;
  private readonly memory: ThreadMemory;
  private readonly send: (message: WorkerMessage) => void;
  private readonly limits: { readonly maximumMemory: number; readonly claimMemory: (bytes: number) => boolean };

  constructor(engine: Engine, { memoryMebibytes, account }: WorkerSetup, send: (message: WorkerMessage) => void) {
    this.engine = engine;
    this.send = send;
    this.limits = {
      maximumMemory: memoryMebibytes * 2 ** 20,
      claimMemory: (bytes: number) => this.memory.claim(bytes),
    };
    const returnMemory = (bytes: number) => this.memory.giveBack(bytes);
    this.evaluator = new Evaluator(engine, { ...this.limits, returnMemory });
    const ownAccount = account && new MemoryAccount(account);
    this.memory = new ThreadMemory(ownAccount, this.evaluator, () => send({ type: 'shortage' }));
  }

  /** Runs the language services once, so that the first program finds them compiled. */
  warmUp(): void {
    this.engine.describe({ program: TYPICAL_PROGRAM, includes: {} }, true);
  }

  /** Drops what is kept for later. */
  release(): void {
    this.memory.release();
  }

  /** Throws what is nobody's fault but ours. */
  perform(job: EngineJob): JobResult {
    const { engine, evaluator, memory } = this;
    memory.patience = job.kind === 'chain' ? CHAIN_PATIENCE : REQUEST_PATIENCE;
    try {
      return this.resultOf(job);
    } catch (error) {
      if (engine.isShortage(error)) return { kind: 'shortage' };
      const message = messageOfBlame(engine, error);
      if (message !== undefined) return { kind: 'refused', message };
      evaluator.forget();
      if (isDiskFull(error)) return { kind: 'disk full' };
      throw error;
    } finally {
      memory.settle();
    }
  }

  private resultOf(job: EngineJob): JobResult {
    const { engine, evaluator, limits, send } = this;
    switch (job.kind) {
      case 'compile':
        return compile(engine, job);
      case 'describe':
        return { kind: 'described', description: engine.describe(job.source, job.pedantic) };
      case 'read':
        return { kind: 'read', body: readBody(job.bytes) };
      case 'inputs':
        return this.inspect(job);
      case 'chain':
        return runChain(engine, job, limits, (progress) => send({ type: 'progress', progress }));
      default: {
        const json = writeJson(evaluator.evaluate(job), job.style);
        return { kind: 'answer', json: json.length < LARGE_ANSWER ? json : new TextEncoder().encode(json) };
      }
    }
  }

  private inspect(job: InputsJob): JobResult {
    const { artifact, module } = job.model;
    const options = { seed: 0, print: () => undefined, ...this.limits };
    const makeModel = () => this.engine.instantiate(artifact, module, parseStanData(job.data), options);
    return { kind: 'inputs', ...checkInputs(job, this.engine.outputs(artifact), makeModel) };
  }
}

function compile(engine: Engine, { source }: CompileJob): JobResult {
  const outcome = engine.compile(source);
  if (!outcome.compiled) return { kind: 'not compiled', text: outcome.text, diagnostics: outcome.diagnostics };
  const { artifact, wasm, log, warnings } = outcome;
  return { kind: 'compiled', artifact, wasm, log, warnings };
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
