/** Models in this process: compiled programs with their data, to be evaluated at any point. */
import type { BoundData } from '../model/bind.js';
import type { ModelCentering } from '../model/centering.js';
import type { JsonData } from '../model/json.js';
import type { ResidentGradient } from '../model/model.js';
import type { ModelSteps } from '../model/steps.js';
import type { SliceThreads } from './slice-helper.js';

/** A compiled program. The artifact is JSON text. */
export interface CompiledModel {
  readonly id: string;
  readonly artifact: string;
  readonly module: WebAssembly.Module;
  /** The bytes of the module: without them, models with bound data have copies of them. */
  readonly wasm?: Uint8Array;
}

/** The parts of a compiled program from which models are created. */
export type ModelProgram = Pick<CompiledModel, 'artifact' | 'module' | 'wasm'>;

interface InstanceOptions {
  /** Seed of random numbers in transformed data. */
  readonly seed: number;
  readonly print: (text: string) => void;
  /** Bytes of memory that the instance may grow to. */
  readonly maximumMemory: number;
  /** Called before the instance grows by `bytes`; if it returns false, the evaluation throws an error for which `isShortage` is true. */
  readonly claimMemory?: (bytes: number) => boolean;
  /** Called when `bytes` that were claimed have become free. */
  readonly returnMemory?: (bytes: number) => void;
}

/** Memory limits of an instance. */
export type MemoryLimits = Pick<InstanceOptions, 'maximumMemory' | 'claimMemory' | 'returnMemory'>;

/** Parts of an output: the parameters always, the others on request. */
export interface OutputParts {
  readonly transformedParameters: boolean;
  readonly generatedQuantities: boolean;
}

export interface DensityForm {
  /** Whether constant terms are dropped. */
  readonly propto: boolean;
  /** Whether the Jacobian of the constraining transforms is included. */
  readonly jacobian: boolean;
  /** Slice `index`, from 0, of `count` slices whose sum the log density is, of a model with slices; without it, the whole. */
  readonly slice?: { readonly index: number; readonly count: number };
}

/** Estimates of the nanoseconds of a gradient: of what is divided among slices, and of what each slice computes. */
export interface SliceWork {
  readonly divided: number;
  readonly shared: number;
}

/** Something that a program declares as output. */
export interface DeclaredOutput {
  readonly name: string;
  readonly block: 'parameters' | 'transformed parameters' | 'generated quantities';
}

/** Everything that a compiled program declares as output, in order. `artifact` is JSON text. */
export function declaredOutputs(artifact: string): readonly DeclaredOutput[] {
  const { outputs }: { readonly outputs: readonly DeclaredOutput[] } = JSON.parse(artifact);
  return outputs;
}

/** Time taken by the `profile` blocks of one name. */
export interface ProfileTime {
  readonly name: string;
  readonly seconds: number;
  readonly runs: number;
}

/** A compiled program with its data. Failures throw errors that its host recognizes. */
export interface EngineModel {
  readonly dimension: number;
  /** Bytes of memory that it has allocated so far. */
  readonly memoryBytes: number;
  /** The bound data, from which `ModelHost.instantiateBound` makes models on any thread; absent or undefined if they cannot be copied, as if `mayCopy` returns false. */
  bound?(mayCopy?: (bytes: number) => boolean): BoundData | undefined;
  /** Everything that the program declares as output, in order. */
  readonly parameters: readonly (DeclaredOutput & { readonly dims: readonly number[] })[];
  constrainedNames(parts: OutputParts): readonly string[];
  unconstrainedNames(): readonly string[];
  /** Times of the program's `profile` blocks so far. */
  profiles(): readonly ProfileTime[];
  logDensity(position: Float64Array, form: DensityForm): number;
  logDensityGradient(position: Float64Array, gradient: Float64Array, form: DensityForm): number;
  /** Writes the second derivatives, row by row; returns false, or is absent, if the model has none. */
  hessian?(position: Float64Array, hessian: Float64Array, form: DensityForm): boolean;
  /** Why it has no second derivatives although they were requested. */
  readonly withoutHessian?: string | undefined;
  /** Partially centered coordinates, if the program was compiled with them. */
  readonly centering?: ModelCentering | undefined;
  /** Gradients of parts of the log density, if the program was compiled with them. */
  readonly steps?: ModelSteps | undefined;
  /** Absent or undefined if the model has no slices. */
  sliceWork?(): SliceWork | undefined;
  /** Absent or undefined if the host must take part in evaluations. */
  resident?(form: DensityForm): ResidentGradient | undefined;
  seedRandom(seed: number, chain: number): void;
  /** The state of the generator that `seedRandom` sets, in the model's memory: a view that is valid until the next call. */
  randomState(): Int32Array;
  /** Writes to `out` from element `offset` on, 0 unless given. */
  writeArray(position: Float64Array, out: Float64Array, parts: OutputParts, offset?: number): void;
  /** The unconstrained position of these values. Missing values are taken from `position`; without it, they are errors. */
  unconstrain(values: JsonData, position?: Float64Array): Float64Array;
  /** The unconstrained position of a draw's parameters, in the order of `constrainedNames` without the other parts. */
  unconstrainDraw(parameters: Float64Array): Float64Array;
  /** Returns its memory to the thread, or to those with which it shares it. The model must not be used afterwards. */
  close?(): void;
}

/** The cause of a failure: the point (`rejection`), the program or its data (`error`), or an internal fault (`undefined`). */
type Blame = { readonly kind: 'rejection' | 'error'; readonly message: string } | undefined;

/** Makes models, and classifies their errors. */
export interface ModelHost {
  /** Threads that can evaluate slices; absent if the host starts no threads. */
  readonly sliceThreads?: SliceThreads;
  /** Everything that a compiled program declares as output, in order; sizes are known with its data. */
  outputs(artifact: string): readonly DeclaredOutput[];
  instantiate(model: ModelProgram, data: JsonData, options: InstanceOptions): EngineModel;
  /** A model of data that another model of the same program has bound with the same seed, in the same memory if possible. Present if models have `bound`. */
  instantiateBound?(model: ModelProgram, data: BoundData, options: Omit<InstanceOptions, 'seed'>): EngineModel;
  blame(error: unknown): Blame;
  /** Whether an evaluation needed more memory than the instance may take (`InstanceOptions.maximumMemory`). */
  isOverLimit(error: unknown): boolean;
  /** Whether memory was refused (`InstanceOptions.claimMemory`). */
  isShortage(error: unknown): boolean;
}
