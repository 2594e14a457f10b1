/** Models in this process: compiled programs with their data, which can be evaluated at any point. */

import type { DeclaredOutput } from '../formats/program-blocks.js';
import type { JsonData } from '../formats/stan-json.js';
import type { BoundData } from '../model/bind.js';
import type { ModelCentering } from '../model/centering.js';
import type { FailureDetail } from '../model/failure-detail.js';
import type { ModelIntegration } from '../model/integration.js';
import type { ResidentGradient } from '../model/model.js';
import type { ModelSteps } from '../model/steps.js';

import type { BoardSizes } from './slice-board.js';

/** The input of a helper that evaluates slices. It survives structured cloning. */
export interface SliceOrder {
  readonly model: ModelProgram;
  /** JSON text, or data that were bound to the model with the seed. */
  readonly data: string | BoundData;
  readonly seed: number;
  readonly maximumMemory: number;
  readonly sizes: BoardSizes;
  readonly buffer: SharedArrayBuffer;
  /** The number of the helper among the threads of the board; 0 is the thread of the chain. */
  readonly thread: number;
}

/** Threads that evaluate slices for the thread of a chain. */
export interface SliceThreads {
  /** Number of processors. */
  readonly cores: number;
  /** Starts a helper, which evaluates slices until the board is closed. Does not wait for the helper. */
  start(order: SliceOrder): void;
}

/** A compiled program. The artifact is JSON text. */
export interface CompiledModel {
  readonly id: string;
  readonly artifact: string;
  readonly module: WebAssembly.Module;
  /** The bytes of the module. Without them, each model has a copy of bound data. */
  readonly wasm?: Uint8Array;
}

/** The parts of a compiled program from which models are created. */
export type ModelProgram = Pick<CompiledModel, 'artifact' | 'module' | 'wasm'>;

interface InstanceOptions {
  /** Seed of random numbers in transformed data. */
  readonly seed: number;
  readonly print: (text: string) => void;
  /** Maximum number of bytes of the instance's memory. */
  readonly maximumMemory: number;
  /** Called before the instance grows by `bytes`; if it returns false, the evaluation throws an error for which `isShortage` is true. */
  readonly claimMemory?: (bytes: number) => boolean;
  /** Called when `bytes` claimed bytes have been freed. */
  readonly returnMemory?: (bytes: number) => void;
}

/** Memory limits of an instance. */
export type MemoryLimits = Pick<InstanceOptions, 'maximumMemory' | 'claimMemory' | 'returnMemory'>;

/** The parts of a draw to compute in addition to the parameters. */
export interface OutputParts {
  readonly transformedParameters: boolean;
  readonly generatedQuantities: boolean;
}

export interface DensityForm {
  /** Whether constant terms are dropped. */
  readonly propto: boolean;
  /** Whether the Jacobian of the constraining transforms is included. */
  readonly jacobian: boolean;
  /**
   * For a model with slices, the zero-based slice `index` of `count` slices, whose sum is the log density. By default, the whole density is
   * evaluated.
   */
  readonly slice?: { readonly index: number; readonly count: number };
}

/** Estimated nanoseconds of a gradient: of the work that is divided among slices, and of the work that each slice repeats. */
export interface SliceWork {
  readonly divided: number;
  readonly shared: number;
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

/** A compiled program with its data. Failures throw errors that its host classifies. */
export interface EngineModel {
  readonly dimension: number;
  /** Bytes of memory that it has allocated so far. */
  readonly memoryBytes: number;
  /**
   * The bound data, from which `ModelHost.instantiateBound` creates models on any thread; absent or undefined if they cannot be copied, for
   * example because `mayCopy` returns false.
   */
  bound?(mayCopy?: (bytes: number) => boolean): BoundData | undefined;
  /** Everything that the program declares as output, in order. */
  readonly parameters: readonly (DeclaredOutput & { readonly dims: readonly number[] })[];
  constrainedNames(parts: OutputParts): readonly string[];
  unconstrainedNames(): readonly string[];
  /** Times of the program's `profile` blocks so far. */
  profiles(): readonly ProfileTime[];
  /** Number of printed texts that the model has omitted because it has printed very much. */
  readonly omittedPrints?: number;
  logDensity(position: Float64Array, form: DensityForm): number;
  logDensityGradient(position: Float64Array, gradient: Float64Array, form: DensityForm): number;
  /** Writes the Hessian, row-major. Returns false or is absent if the model has no second derivatives. */
  hessian?(position: Float64Array, hessian: Float64Array, form: DensityForm): boolean;
  /** The reason why the model lacks requested second derivatives. */
  readonly withoutHessian?: string | undefined;
  /** Partially centered coordinates, if the program was compiled with them. */
  readonly centering?: ModelCentering | undefined;
  /** Parameters that are integrated out, if the program was compiled to find them. */
  readonly integration?: ModelIntegration | undefined;
  /** Gradients of parts of the log density, if the program was compiled with them. */
  readonly steps?: ModelSteps | undefined;
  /** Absent or undefined if the model has no slices. */
  sliceWork?(): SliceWork | undefined;
  /** Absent or undefined if evaluations require the host. */
  resident?(form: DensityForm): ResidentGradient | undefined;
  seedRandom(seed: number, chain: number): void;
  /** The state of the generator that `seedRandom` sets, in the model's memory: a view that is valid until the next call. */
  randomState(): Int32Array;
  /** Writes a draw to `out`, starting at element `offset`, 0 by default. */
  writeArray(position: Float64Array, out: Float64Array, parts: OutputParts, offset?: number): void;
  /**
   * The unconstrained position of these values. Missing values are taken from `position`; without it, they are errors. Violations of
   * constraints that follow from relative rounding errors of at most `rounding`, 0 by default, are corrected.
   */
  unconstrain(values: JsonData, position?: Float64Array, rounding?: number): Float64Array;
  /** The unconstrained position of a draw's parameters, in the order of `constrainedNames` without the other parts. */
  unconstrainDraw(parameters: Float64Array, rounding?: number): Float64Array;
  /** Releases the memory to the thread, or to the threads with which it is shared. The model must not be used afterwards. */
  close?(): void;
}

/** The cause of a failure: the point (`rejection`), or the program or its data (`error`). */
export interface Blame {
  readonly kind: 'rejection' | 'error';
  readonly message: string;
  /** Read after the evaluation; absent if unknown. */
  readonly detail?: FailureDetail;
}

/** Creates models and classifies their errors. */
export interface ModelHost {
  /** Threads that can evaluate slices; absent if the host starts no threads. */
  readonly sliceThreads?: SliceThreads;
  /** The outputs that a compiled program declares, in order. Their sizes depend on the data. */
  outputs(artifact: string): readonly DeclaredOutput[];
  instantiate(model: ModelProgram, data: JsonData, options: InstanceOptions): EngineModel;
  /**
   * A model with data that a model of the same program has bound with the same seed, in the same memory if possible. Present if models have
   * `bound`.
   */
  instantiateBound?(model: ModelProgram, data: BoundData, options: Omit<InstanceOptions, 'seed'>): EngineModel;
  /** The cause of an error; undefined for an internal one. */
  blame(error: unknown): Blame | undefined;
  /** Whether an evaluation required more memory than the limit of the instance (`InstanceOptions.maximumMemory`). */
  isOverLimit(error: unknown): boolean;
  /** Whether memory was refused (`InstanceOptions.claimMemory`). */
  isShortage(error: unknown): boolean;
}
