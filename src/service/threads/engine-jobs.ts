/** Jobs of a thread with an engine: compiling programs, evaluating models and running chains. */

import { Evaluator } from '../../chain/evaluator.js';
import type { MemoryLimits } from '../../chain/model-host.js';
import { refusalOf, refused } from '../../chain/refusal.js';
import type { Engine } from '../../engine/engine.js';
import { readRows } from '../../fit-files/reading.js';
import { UnwritableFile } from '../../fit-files/unwritable-file.js';
import { writeJson } from '../../formats/json.js';
import type { NonFinite } from '../../formats/numbers.js';
import type { BoundData } from '../../model/bind.js';
import { completeChain } from './blocks.js';
import { readBody } from './body.js';
import { runChain, runInputs } from './chain.js';
import type { FitJob } from './fit-job.js';
import { MemoryAccount } from './memory-budget.js';
import type { CompileJob, Job, JobResult, WorkerMessage, WorkerSetup } from './protocol.js';
import { ThreadMemory } from './thread-memory.js';

/** Milliseconds to wait for memory of other threads if a client is waiting, and otherwise. */
const REQUEST_PATIENCE = 2000;
const CHAIN_PATIENCE = 30_000;
/** Number of characters above which a response is sent as bytes. */
const LARGE_ANSWER = 1 << 16;

const TYPICAL_PROGRAM = `data { int<lower=0> N; vector[N] y; array[N] int<lower=1, upper=N> g; }
parameters { real mu; real<lower=0> tau; vector<offset=mu, multiplier=tau>[N] theta; }
transformed parameters { vector[N] eta = theta[g] + 2 * y; }
model { mu ~ normal(0, 1); for (n in 1:N) { if (n > 1) target += normal_lpdf(y[n] | eta[n], exp(tau)); } }
generated quantities { array[N] real replicated = normal_rng(eta, tau); }`;

export type EngineJob = Exclude<Job, FitJob>;

/** Runs jobs one at a time. Evaluated models remain in memory. */
export class EngineJobs {
  private readonly engine: Engine;
  private readonly evaluator: Evaluator;
  private readonly memory: ThreadMemory;
  private readonly send: (message: WorkerMessage) => void;
  private readonly limits: MemoryLimits;

  constructor(engine: Engine, { memoryMebibytes, account }: WorkerSetup, send: (message: WorkerMessage) => void) {
    this.engine = engine;
    this.send = send;
    const returnMemory = (bytes: number) => this.memory.noteDropped(bytes);
    this.limits = {
      maximumMemory: memoryMebibytes * 2 ** 20,
      claimMemory: (bytes: number) => this.memory.claim(bytes),
      returnMemory,
    };
    this.evaluator = new Evaluator(engine.models, { ...this.limits, returnMemory });
    const ownAccount = account && new MemoryAccount(account);
    this.memory = new ThreadMemory(ownAccount, this.evaluator, () => send({ type: 'shortage' }));
  }

  /** Runs the language services once, so that V8 has compiled them before the first program arrives. */
  warmUp(): void {
    void this.engine.describe({ program: TYPICAL_PROGRAM, includes: {} }, true);
  }

  /** Drops cached models. */
  release(): void {
    this.memory.release();
  }

  /** Throws only internal errors. */
  async perform(job: EngineJob): Promise<JobResult> {
    const { engine, evaluator, memory } = this;
    memory.patience = job.kind === 'chain' ? CHAIN_PATIENCE : REQUEST_PATIENCE;
    let data = job.kind === 'chain' ? bytesOf(job.data) : 0;
    try {
      const result = await this.resultOf(job);
      if (result.kind === 'inputs') data = bytesOf(result.bound);
      return result;
    } catch (error) {
      if (error instanceof UnwritableFile) return refused(error.message, { code: 'unwritable-file' });
      const refusal = refusalOf(engine.models, error);
      if (refusal !== undefined) return refusal;
      evaluator.forget();
      throw error;
    } finally {
      memory.settle(data);
    }
  }

  private async resultOf(job: EngineJob): Promise<JobResult> {
    const { engine, evaluator, limits, memory, send } = this;
    switch (job.kind) {
      case 'compile':
        return compile(engine, job);
      case 'describe':
        return { kind: 'described', description: await engine.describe(job.source, job.pedantic, job.explain) };
      case 'call':
        return answerOf(await engine.call(job.call, limits), job.style);
      case 'profile':
        return answerOf(await engine.profile(job.request, limits), 'string');
      case 'match moments': {
        const chains = job.ranges.map((range) => readRows(job.path, range));
        return { kind: 'matched', loo: await engine.crossValidate({ ...job, chains }, limits) };
      }
      case 'estimate evidence': {
        const chains = job.ranges.map((range) => readRows(job.path, range));
        return { kind: 'estimated evidence', evidence: await engine.logEvidence({ ...job, chains }, limits) };
      }
      case 'observe':
        return { kind: 'observed', observed: await engine.observe(job) };
      case 'read':
        return { kind: 'read', body: readBody(job.bytes) };
      case 'inputs': {
        const { algorithm: functionName, mostBound = Number.POSITIVE_INFINITY } = job;
        const mayCopy = (bytes: number) => bytes <= mostBound && memory.claim(bytes);
        return engine.checkInputs({ ...job, functionName, inputs: runInputs(job.inputs), limits, mayCopy });
      }
      case 'chain':
        return runChain(engine, job, limits, (progress) => send({ type: 'progress', progress }));
      case 'completion':
        return completeChain(job);
      default:
        return answerOf(evaluator.evaluate(job), job.style);
    }
  }
}

/** The number of bytes of bound data. */
function bytesOf(data: string | BoundData | undefined): number {
  return typeof data === 'object' ? data.memory.byteLength : 0;
}

function answerOf(answer: object, style: NonFinite): JobResult {
  const json = writeJson(answer, style);
  return { kind: 'answer', json: json.length < LARGE_ANSWER ? json : new TextEncoder().encode(json) };
}

async function compile(engine: Engine, job: CompileJob): Promise<JobResult> {
  const outcome = await engine.compile(job.source, job);
  if (!outcome.compiled) return { kind: 'not compiled', text: outcome.text, diagnostics: outcome.diagnostics };
  const { artifact, wasm, log, warnings } = outcome;
  return { kind: 'compiled', artifact, wasm, log, warnings };
}
