import { parseStanData } from '../../model/json.js';
import type { Engine, EngineModel } from './engine.js';
import type { CompiledModel, EvaluationJob } from './protocol.js';

const ALL_PARTS = { transformedParameters: true, generatedQuantities: true };

/** The position that a client sent does not belong to the model. */
export class Misfit extends Error {
  override readonly name = 'Misfit';
}

/** Evaluates models: one job in, the content of the answer's body out. */
export class Evaluator {
  private readonly engine: Engine;
  private readonly maximumMemory: number;
  /** The latest model with its data, ready for the next request on the same data; one alone, for it may fill the memory. */
  private kept: { readonly key: string; readonly model: EngineModel } | undefined;

  /** `maximumMemory` is in bytes, of one model. */
  constructor(engine: Engine, maximumMemory: number) {
    this.engine = engine;
    this.maximumMemory = maximumMemory;
  }

  /** Throws `Misfit`, `JsonSyntaxError` for data that are no object, and whatever the engine throws. */
  evaluate(job: EvaluationJob): object {
    const model = this.prepare(job.model, job.data);
    switch (job.kind) {
      case 'parameters': {
        const name = `models/${job.model.id}`;
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

  /** Drops the model that is kept, when it may have been left in disorder. */
  forget(): void {
    this.kept = undefined;
  }

  private prepare(compiled: CompiledModel, data: string): EngineModel {
    const key = `${compiled.id} ${data}`;
    if (this.kept?.key === key) return this.kept.model;
    this.kept = undefined;
    const model = this.engine.instantiate(compiled.artifact, compiled.module, parseStanData(data), {
      seed: 0,
      print: () => undefined,
      maximumMemory: this.maximumMemory,
    });
    this.kept = { key, model };
    return model;
  }
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
