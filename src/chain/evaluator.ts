import { parseStanData } from '../formats/stan-json.js';
import type { EvaluationRequest, OnData } from './evaluation.js';
import type { EngineModel, MemoryLimits, ModelHost } from './model-host.js';
import { Misfit } from './refusal.js';
import { inSlices } from './slicing.js';

const ALL_PARTS = { transformedParameters: true, generatedQuantities: true };

/** Maximum number of cached models with their data. */
const MOST_KEPT = 8;
/** Fraction of a worker's memory that cached models other than the most recent one may use. */
const KEPT_PART = 1 / 8;

/** The limits of each model, and the callback for the memory of models that are dropped. */
export interface EvaluatorLimits extends MemoryLimits {
  readonly returnMemory: (bytes: number) => void;
}

/** Evaluates models: returns the content of the response's body for a request. */
export class Evaluator {
  private readonly host: ModelHost;
  private readonly limits: EvaluatorLimits;
  /** Cached models by identifier and data; the most recent one is last. */
  private readonly kept = new Map<string, EngineModel>();
  private latest: { readonly on: OnData; readonly model: EngineModel } | undefined;
  private isEvaluating = false;

  constructor(host: ModelHost, limits: EvaluatorLimits) {
    this.host = host;
    this.limits = limits;
  }

  /** Bytes of memory of all cached models. */
  get bytes(): number {
    let bytes = 0;
    for (const { memoryBytes } of this.kept.values()) bytes += memoryBytes;
    return bytes;
  }

  /** Drops idle models of more than `largerThan` bytes; calls `returnMemory` for each. */
  drop(largerThan: number): void {
    this.remove([...this.kept.keys()].filter((key) => this.isDroppable(key, largerThan)));
  }

  /** Throws `Misfit`, `JsonSyntaxError` for data that are not an object, and errors of the engine. */
  evaluate(request: EvaluationRequest): object {
    this.isEvaluating = true;
    try {
      return this.answer(request);
    } finally {
      this.isEvaluating = false;
    }
  }

  private answer(request: EvaluationRequest): object {
    const { on } = request;
    if (on === undefined) throw new Error('an evaluation without a model');
    const model = this.prepare(on);
    switch (request.kind) {
      case 'parameters': {
        const name = `models/${on.model.id}`;
        return { id: name, name, params: describeParameters(model) };
      }
      case 'log density':
        return {
          log_prob: model.logDensity(positionOf(model, request.position), { propto: true, jacobian: request.jacobian }),
        };
      case 'gradient': {
        const gradient = new Float64Array(model.dimension);
        const form = { propto: true, jacobian: request.jacobian };
        const value = model.logDensityGradient(positionOf(model, request.position), gradient, form);
        return { log_prob: value, grad_log_prob: gradient, log_prob_grad: gradient };
      }
      case 'write array': {
        const values = new Float64Array(model.constrainedNames(request).length);
        model.seedRandom(request.seed, 1);
        model.writeArray(positionOf(model, request.position), values, request);
        return { params_r_constrained: values };
      }
      case 'unconstrain':
        return { params_r_unconstrained: model.unconstrain(parseStanData(request.values)) };
    }
  }

  /** Drops the most recent model, in case it was left in an inconsistent state. */
  forget(): void {
    if (this.latest !== undefined) this.remove([keyOf(this.latest.on)]);
    this.latest = undefined;
  }

  private isDroppable(key: string, largerThan: number): boolean {
    const model = this.kept.get(key);
    const isUsed = this.isEvaluating && model === this.latest?.model;
    return model !== undefined && !isUsed && model.memoryBytes > largerThan;
  }

  private remove(keys: readonly string[]): void {
    const bytes = keys.reduce((sum, key) => sum + this.removeOne(key), 0);
    if (bytes > 0) this.limits.returnMemory(bytes);
  }

  /** Removes a model and returns its number of bytes. Does not call the callback, because the model is still reachable here. */
  private removeOne(key: string): number {
    const model = this.kept.get(key);
    if (model === undefined) return 0;
    const { memoryBytes } = model;
    this.kept.delete(key);
    if (model === this.latest?.model) this.latest = undefined;
    model.close?.();
    return memoryBytes;
  }

  private prepare(on: OnData): EngineModel {
    if (this.latest?.on === on) return this.latest.model;
    const key = keyOf(on);
    const earlier = this.latest && keyOf(this.latest.on);
    // Only the latest model keeps threads.
    if (this.latest?.on.threads !== undefined && earlier !== undefined && earlier !== key) this.remove([earlier]);
    const kept = this.kept.get(key);
    this.latest = undefined;
    this.kept.delete(key);
    this.makeRoom();
    const model = kept ?? this.open(on);
    this.kept.set(key, model);
    this.latest = { on, model };
    return model;
  }

  private open({ data, model: compiled, threads }: OnData): EngineModel {
    const { host, limits } = this;
    const model = host.instantiate(compiled, parseStanData(data), { seed: 0, print: () => undefined, ...limits });
    if (threads === undefined) return model;
    return inSlices(host, model, { model: compiled, data: () => data, seed: 0, limits }, threads) ?? model;
  }

  /** Drops the least recently used models until enough of the worker's memory is free for the next model. */
  private makeRoom(): void {
    let bytes = 0;
    const surplus: string[] = [];
    for (const [index, [key, model]] of [...this.kept].reverse().entries()) {
      bytes += model.memoryBytes + 2 * key.length;
      if (index >= MOST_KEPT - 1 || bytes > KEPT_PART * this.limits.maximumMemory) surplus.push(key);
    }
    this.remove(surplus);
  }
}

function keyOf({ data, model, threads = 0 }: OnData): string {
  return `${model.id} ${threads} ${data}`;
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

/** The parameter of a constrained name, without indexes: `theta` of `theta.1`, `theta.2` of `theta.3:2.1`. */
function parameterOf(name: string): string {
  return name
    .split(':')
    .map((slot) => slot.split('.')[0])
    .join('.');
}
