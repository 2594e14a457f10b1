import type { JsonData } from '../formats/stan-json.js';
import { withSharedMemory } from '../kernels/shared-memory.js';
import { type BoundData, type InstantiateOptions, type Program, rebindInPlace } from './bind.js';
import { RegionFull } from './errors.js';
import { type DensityForm, instantiateBound, Model, type ResidentGradient } from './model.js';
import type { OutputParts } from './outputs.js';

/** Compiles the module of a program or of kernels for shared memory. */
export function sharedModule(wasm: Uint8Array): WebAssembly.Module {
  return new WebAssembly.Module(withSharedMemory(wasm));
}

/**
 * A model in the memory of the bound data; undefined if instances cannot run in this memory, or if no region is free. `inPlace` contains
 * the modules of `program`, compiled by `sharedModule`.
 */
export function instantiateInPlace(
  program: Program,
  inPlace: () => Pick<Program, 'module' | 'linear'>,
  data: BoundData,
  options: Omit<InstantiateOptions, 'seed'>,
): ModelInRegion | undefined {
  if (data.shared === undefined) return undefined;
  const { artifact, linear, module } = program;
  let claimed = 0;
  const claimMemory = (bytes: number): boolean => {
    const isGranted = options.claimMemory?.(bytes) ?? true;
    if (isGranted) claimed += bytes;
    return isGranted;
  };
  let release: (() => void) | undefined;
  try {
    const binding = rebindInPlace({ artifact, ...inPlace() }, data, data.shared, { ...options, claimMemory });
    if (binding === undefined) return undefined;
    const free = () => binding.instance.close();
    release = free;
    const copy = () => instantiateBound(artifact, module, linear, data, options);
    return new ModelInRegion(new Model(binding, artifact), copy, free);
  } catch (error) {
    release?.();
    if (!(error instanceof RegionFull)) throw error;
    options.returnMemory?.(claimed);
    return undefined;
  }
}

/**
 * A model in a region of a memory with bound data, which it shares with models on other threads. If the region becomes full, a model with
 * its own copy of the data replaces it and repeats the evaluation, so that results do not depend on the region.
 */
export class ModelInRegion {
  readonly dimension: number;
  readonly parameters: Model['parameters'];
  #model: Model;
  #copy: (() => Model) | undefined;
  readonly #release: () => void;

  constructor(model: Model, copy: () => Model, release: () => void) {
    this.dimension = model.dimension;
    this.parameters = model.parameters;
    this.#model = model;
    this.#copy = copy;
    this.#release = release;
  }

  /** Releases the memory of the model, which must not be used afterwards. */
  close(): void {
    this.#release();
    this.#model.close();
  }

  /** Number of bytes of the model's own memory, excluding shared data. */
  get memoryBytes(): number {
    return this.#model.memoryBytes;
  }

  constrainedNames(parts?: OutputParts): string[] {
    return this.#model.constrainedNames(parts);
  }

  unconstrainedNames(): string[] {
    return this.#model.unconstrainedNames();
  }

  profiles(): ReturnType<Model['profiles']> {
    return this.#model.profiles();
  }

  logDensity(position: Float64Array, form: DensityForm): number {
    return this.#evaluate((model) => model.logDensity(position, form));
  }

  unoptimizedLogDensity(position: Float64Array, form: DensityForm): number {
    return this.#evaluate((model) => model.unoptimizedLogDensity(position, form));
  }

  logDensityGradient(position: Float64Array, gradient: Float64Array, form: DensityForm): number {
    return this.#evaluate((model) => model.logDensityGradient(position, gradient, form));
  }

  sliceWork(): ReturnType<Model['sliceWork']> {
    return this.#evaluate((model) => model.sliceWork());
  }

  /** The gradient in the region, also after the model has been replaced. Then `evaluate` fails, but `logDensityGradient` succeeds. */
  resident(form: DensityForm): ResidentGradient | undefined {
    return this.#model.resident(form);
  }

  seedRandom(seed: number, chain: number): void {
    this.#model.seedRandom(seed, chain);
  }

  randomState(): Int32Array {
    return this.#model.randomState();
  }

  writeArray(position: Float64Array, out: Float64Array, parts?: OutputParts, offset?: number): void {
    this.#evaluate((model) => model.writeArray(position, out, parts, offset));
  }

  unconstrain(values: JsonData, position?: Float64Array, rounding?: number): Float64Array {
    return this.#evaluate((model) => model.unconstrain(values, position, rounding));
  }

  unconstrainDraw(parameters: Float64Array, rounding?: number): Float64Array {
    return this.#evaluate((model) => model.unconstrainDraw(parameters, rounding));
  }

  #evaluate<Result>(evaluation: (model: Model) => Result): Result {
    const copy = this.#copy;
    if (copy === undefined) return evaluation(this.#model);
    const state = this.#model.randomState().slice();
    try {
      return evaluation(this.#model);
    } catch (error) {
      if (!(error instanceof RegionFull)) throw error;
      this.#model = copy();
      this.#copy = undefined;
      this.#model.randomState().set(state);
      return evaluation(this.#model);
    }
  }
}
