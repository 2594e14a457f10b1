import { parseStanData } from '../../model/json.js';
import type { Engine, EngineModel } from './engine.js';
import type { EvaluationJob, OnData } from './protocol.js';

const ALL_PARTS = { transformedParameters: true, generatedQuantities: true };

/** The position that a client sent does not belong to the model. */
export class Misfit extends Error {
  override readonly name = 'Misfit';
}

/** Models with their data that stay ready for the next request on the same data. */
const MOST_KEPT = 8;
/** What they may take of a worker's memory, without the latest. */
const KEPT_PART = 1 / 8;

/** Evaluates models: one job in, the content of the answer's body out. */
export class Evaluator {
  private readonly engine: Engine;
  private readonly maximumMemory: number;
  /** Models that are ready, by identifier and data; the latest one last. */
  private readonly kept = new Map<string, EngineModel>();
  private latest: { readonly on: OnData; readonly model: EngineModel } | undefined;

  /** `maximumMemory` is in bytes, of one model. */
  constructor(engine: Engine, maximumMemory: number) {
    this.engine = engine;
    this.maximumMemory = maximumMemory;
  }

  /** Throws `Misfit`, `JsonSyntaxError` for data that are no object, and whatever the engine throws. */
  evaluate(job: EvaluationJob): object {
    const { on } = job;
    if (on === undefined) throw new Error('an evaluation of no model');
    const model = this.prepare(on);
    switch (job.kind) {
      case 'parameters': {
        const name = `models/${on.model.id}`;
        return { id: name, name, params: describeParameters(model) };
      }
      case 'log density':
        return {
          log_prob: model.logDensity(positionOf(model, job.position), { propto: true, jacobian: job.jacobian }),
        };
      case 'gradient': {
        const gradient = new Float64Array(model.dimension);
        const form = { propto: true, jacobian: job.jacobian };
        const value = model.logDensityGradient(positionOf(model, job.position), gradient, form);
        return { log_prob: value, grad_log_prob: gradient, log_prob_grad: gradient };
      }
      case 'write array': {
        const values = new Float64Array(model.constrainedNames(job).length);
        model.seedRandom(job.seed, 1);
        model.writeArray(positionOf(model, job.position), values, job);
        return { params_r_constrained: values };
      }
      case 'unconstrain':
        return { params_r_unconstrained: model.unconstrain(parseStanData(job.values)) };
    }
  }

  /** Drops the latest model, when it may have been left in disorder. */
  forget(): void {
    if (this.latest !== undefined) this.kept.delete(keyOf(this.latest.on));
    this.latest = undefined;
  }

  private prepare(on: OnData): EngineModel {
    if (this.latest?.on === on) return this.latest.model;
    const key = keyOf(on);
    const kept = this.kept.get(key);
    this.latest = undefined;
    this.kept.delete(key);
    this.makeRoom();
    const { artifact, module } = on.model;
    const model =
      kept ??
      this.engine.instantiate(artifact, module, parseStanData(on.data), {
        seed: 0,
        print: () => undefined,
        maximumMemory: this.maximumMemory,
      });
    this.kept.set(key, model);
    this.latest = { on, model };
    return model;
  }

  /** Drops the models that were used least recently until the others leave a worker's memory to the next one. */
  private makeRoom(): void {
    let bytes = 0;
    for (const [index, [key, model]] of [...this.kept].reverse().entries()) {
      bytes += model.memoryBytes + 2 * key.length;
      if (index >= MOST_KEPT - 1 || bytes > KEPT_PART * this.maximumMemory) this.kept.delete(key);
    }
  }
}

function keyOf({ model, data }: OnData): string {
  return `${model.id} ${data}`;
}

function positionOf(model: EngineModel, values: readonly number[]): Float64Array {
  if (values.length === model.dimension) return Float64Array.from(values);
  throw new Misfit(`expected ${model.dimension} unconstrained parameters, found ${values.length}`);
}

function describeParameters(model: EngineModel): object[] {
  const names = new Map<string, string[]>(model.parameters.map(({ name }) => [name, []]));
  for (const name of model.constrainedNames(ALL_PARTS)) names.get(parameterOf(name))?.push(name);
  return model.parameters.map(({ name, dims }) => ({ name, dims, constrained_names: names.get(name) ?? [] }));
}

/** The parameter of a constrained name: without the indexes, `theta` of `theta.1`, `theta.2` of `theta.3:2.1`. */
function parameterOf(name: string): string {
  return name
    .split(':')
    .map((slot) => slot.split('.')[0])
    .join('.');
}
