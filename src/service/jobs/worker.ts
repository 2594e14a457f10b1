/** The entry of a worker thread: does one job after the other and answers each with one result. */
import { parentPort, workerData } from 'node:worker_threads';
import { JsonSyntaxError, parseStanData } from '../../model/json.js';
import { readBody } from '../body.js';
import { runChain } from './chain.js';
import type { Engine, EngineModel } from './engine.js';
import type { CompiledModel, Job, JobResult, ParameterDescription, WorkerMessage, WorkerSetup } from './protocol.js';


if (parentPort === null) throw new Error('the worker entry must be started as a worker thread');
const port = parentPort;
const setup: WorkerSetup = workerData;
const loading: Promise<{ engine: Engine }> = import(setup.engine);
/** The latest model with its data, ready for the next request on the same data; one alone, for it may fill the memory. */
let kept: { readonly key: string; readonly model: EngineModel } | undefined;

port.on('message', async (job: Job) => send({ type: 'result', result: await answer(job) }));

function send(message: WorkerMessage): void {
  port.postMessage(message);
}

async function answer(job: Job): Promise<JobResult> {
  try {
    const { engine } = await loading;
    try {
      return perform(engine, job);
    } catch (error) {
      const message = messageOfBlame(engine, error);
      if (message !== undefined) return { kind: 'refused', message };
      throw error;
    }
  } catch (error) {
    kept = undefined;
    return { kind: 'fault', report: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function perform(engine: Engine, job: Job): JobResult {
  switch (job.kind) {
    case 'compile': {
      const outcome = engine.compile(job.program);
      if (!outcome.compiled) {
        return {
          kind: 'not compiled',
          text: outcome.text,
          diagnostics: JSON.parse(JSON.stringify(outcome.diagnostics)),
        };
      }
      const { artifact, wasm, log, warnings } = outcome;
      return { kind: 'compiled', artifact, wasm, log, warnings };
    }
    case 'read':
      return { kind: 'read', body: readBody(job.bytes) };
    case 'parameters':
      return { kind: 'parameters', parameters: describeParameters(ready(engine, job.model, job.data)) };
    case 'density': {
      const model = ready(engine, job.model, job.data);
      const position = positionOf(model, job.position);
      const form = { propto: true, jacobian: job.jacobian };
      const gradient = new Float64Array(model.dimension);
      const value = job.gradient
        ? model.logDensityGradient(position, gradient, form)
        : model.logDensity(position, form);
      return { kind: 'density', value, gradient };
    }
    case 'write array': {
      const model = ready(engine, job.model, job.data);
      const position = positionOf(model, job.position);
      const values = new Float64Array(model.constrainedNames(job).length);
      model.seedRandom(job.seed, 1);
      model.writeArray(position, values, job);
      return { kind: 'numbers', values };
    }
    case 'unconstrain':
      return { kind: 'numbers', values: ready(engine, job.model, job.data).unconstrain(parseStanData(job.values)) };
    case 'chain': {
      const maximumMemory = setup.memoryMebibytes * 2 ** 20;
      return runChain(engine, job, maximumMemory, (progress) => send({ type: 'progress', ...progress }));
    }
  }
}

/** The model on its data: the one that is kept, or a new one that will be. */
function ready(engine: Engine, compiled: CompiledModel, data: string): EngineModel {
  const key = `${compiled.id} ${data}`;
  if (kept?.key === key) return kept.model;
  kept = undefined;
  const model = engine.instantiate(compiled.artifact, compiled.module, parseStanData(data), {
    seed: 0,
    print: () => undefined,
    maximumMemory: setup.memoryMebibytes * 2 ** 20,
  });
  kept = { key, model };
  return model;
}

function positionOf(model: EngineModel, values: readonly number[]): Float64Array {
  if (values.length !== model.dimension) {
    throw new Misfit(`expected ${model.dimension} unconstrained parameters, found ${values.length}`);
  }
  return Float64Array.from(values);
}

/** Constrained names come in the order of the parameters, as many of each as its sizes multiply to. */
function describeParameters(model: EngineModel): ParameterDescription[] {
  const names = model.constrainedNames({ transformedParameters: true, generatedQuantities: true });
  let start = 0;
  return model.parameters.map(({ name, dims }) => {
    const prefix = (candidate: string) => candidate === name || /^[.:]/.test(candidate.slice(name.length));
    let end = start;
    while (end < names.length && names[end]?.startsWith(name) && prefix(names[end] ?? '')) end++;
    const own = names.slice(start, end);
    start = end;
    return { name, dims: [...dims], constrained_names: own };
  });
}

class Misfit extends Error {}

/** What to tell the client of an error; undefined when the fault is ours. */
function messageOfBlame(engine: Engine, error: unknown): string | undefined {
  if (error instanceof Misfit) return `The request is not right: ${error.message}.`;
  if (error instanceof JsonSyntaxError) return `The data is not right: ${error.message}.`;
  if (error instanceof RangeError && /call stack/i.test(error.message))
    return 'The program nests or recurses too deeply.';
  return engine.blame(error)?.message;
}
