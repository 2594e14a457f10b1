/** The entry of a worker thread: does one job after the other and answers each with one result. */
import { parentPort, workerData } from 'node:worker_threads';
import { JsonSyntaxError } from '../../model/json.js';
import { readBody } from '../body.js';
import { writeJson } from '../json.js';
import { runChain } from './chain.js';
import type { Engine } from './engine.js';
import { Evaluator, Misfit } from './evaluator.js';
import type { ChainProgress, CompileJob, Job, JobResult, WorkerMessage, WorkerSetup } from './protocol.js';

if (parentPort === null) throw new Error('the worker entry must be started as a worker thread');
const port = parentPort;
const setup: WorkerSetup = workerData;
const maximumMemory = setup.memoryMebibytes * 2 ** 20;

const loading = load();
port.on('message', async (job: Job) => send({ type: 'result', result: await answer(job) }));

async function load(): Promise<{ engine: Engine; evaluator: Evaluator }> {
  const { engine }: { engine: Engine } = await import(setup.engine);
  return { engine, evaluator: new Evaluator(engine, maximumMemory) };
}

function send(message: WorkerMessage): void {
  port.postMessage(message);
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
    return { kind: 'fault', report: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function perform(engine: Engine, evaluator: Evaluator, job: Job): JobResult {
  switch (job.kind) {
    case 'compile':
      return compile(engine, job);
    case 'describe':
      return { kind: 'described', description: engine.describe(job.source, job.pedantic) };
    case 'read':
      return { kind: 'read', body: readBody(job.bytes) };
    case 'chain': {
      const report = (progress: ChainProgress) => send({ type: 'progress', ...progress });
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

/** What to tell the client of an error; undefined when the fault is ours. */
function messageOfBlame(engine: Engine, error: unknown): string | undefined {
  if (error instanceof Misfit) return `The request is not right: ${error.message}.`;
  if (error instanceof JsonSyntaxError) return `The data are not right: ${error.message}.`;
  if (error instanceof RangeError && /call stack/i.test(error.message))
    return 'The program nests or recurses too deeply.';
  return engine.blame(error)?.message;
}
