import type { JsonData } from '../formats/stan-json.js';
import type { Artifact } from '../wasm/artifact.js';
import { type Binding, type BoundData, bind, boundData, type InstantiateOptions, rebind } from './bind.js';
import { type ModelCentering, openCentering } from './centering.js';
import { copyElements } from './copying.js';
import { ModelError, OutOfMemory, type Rejection } from './errors.js';
import { align, type Instance } from './instance.js';
import { type IntegrationWork, type ModelIntegration, openIntegration } from './integration.js';
import {
  missingValue,
  type Output,
  type OutputParts,
  Outputs,
  partFlags,
  type SizedOutput,
  writeGiven,
} from './outputs.js';
import type { Profile } from './profiles.js';
import { elementNames, visitStretches } from './shape.js';
import { type ModelSteps, openSteps } from './steps.js';
import { memberOf } from './values.js';

export interface DensityForm {
  /** Whether constant terms are dropped. */
  readonly propto: boolean;
  /** Whether the Jacobian of the constraining transforms is included. */
  readonly jacobian: boolean;
  /**
   * The slice to evaluate, for a program compiled with slices. The log density is the sum of its slices. By default, the whole density is
   * evaluated.
   */
  readonly slice?: Slice;
}

/** Slice `index`, zero-based, of `count` slices, at most 256. */
interface Slice {
  readonly index: number;
  readonly count: number;
}

/** Estimated nanoseconds of a gradient: of the work that is divided among slices, and of the work that each slice repeats. */
interface SliceWork {
  readonly divided: number;
  readonly shared: number;
}

/**
 * A log density with its gradient, as a function of the compiled module for code in its memory. It throws if an evaluation fails or needs
 * more memory; `Model.logDensityGradient` then reports the failure or grows the memory.
 */
export interface ResidentGradient {
  readonly memory: WebAssembly.Memory;
  /**
   * Must be called with `flags`. Returns the log density at the position stored at address `position`, and writes its gradient to address
   * `gradient`.
   */
  readonly evaluate: (flags: number) => number;
  readonly flags: number;
  /** The addresses change in `reserve`, and may change in `Model.logDensityGradient`. */
  readonly position: number;
  readonly gradient: number;
  /** Allocates `bytes` zeroed bytes permanently for the caller, and returns their address, a multiple of 64. */
  reserve(bytes: number): number;
}

/**
 * Instantiates a compiled program with its data. `linear` is the module of linear-algebra kernels. Throws `ModelError` with Stan's message
 * if the data do not match their declarations.
 */
export function instantiate(
  artifact: Artifact,
  module: WebAssembly.Module,
  linear: WebAssembly.Module,
  data: JsonData,
  options: InstantiateOptions,
): Model {
  return new Model(bind({ artifact, module, linear }, data, options), artifact);
}

/** Instantiates a compiled program with data from `Model.bound` of the same program. */
export function instantiateBound(
  artifact: Artifact,
  module: WebAssembly.Module,
  linear: WebAssembly.Module,
  data: BoundData,
  options: Omit<InstantiateOptions, 'seed'>,
): Model {
  return new Model(rebind({ artifact, module, linear }, data, options), artifact);
}

const FULL: DensityForm = { propto: true, jacobian: true };
/** Number of 32-bit words in the state of the random number generator (kernels/distributions/random.ts). */
const RANDOM_WORDS = 8;

/**
 * A compiled program with its data, for one thread. Failed evaluations throw a `Rejection` of the point or a `ModelError`; the model
 * remains usable.
 */
export class Model {
  /** Number of unconstrained scalars. */
  readonly dimension: number;
  /** The outputs that the program declares, in order. */
  readonly parameters: readonly Output[];
  /** The reason why the module lacks requested second derivatives; undefined if it has them or they were not requested. */
  readonly withoutHessian: string | undefined;
  /**
   * Partially centered coordinates, if the program was compiled with them. Initially, all places are 1 (centered) and all reference scales
   * are 1.
   */
  readonly centering: ModelCentering | undefined;
  /** Parameters that are integrated out, if the program was compiled to find them. */
  readonly integration: ModelIntegration | undefined;
  /** Gradients of parts of the log density, if the program was compiled with them. */
  readonly steps: ModelSteps | undefined;
  readonly #artifact: Artifact;
  readonly #binding: Binding;
  readonly #instance: Instance;
  readonly #outputs: Outputs;
  readonly #randomState: number;
  #positionAddress: number;
  /** Address of the direction for second derivatives. */
  #direction: number | undefined;
  readonly #constrainedAddress: number;
  /** The reason why the density cannot be computed at any position, or null. */
  readonly #obstacle: Rejection | ModelError | null;
  /** Whether the program prints or profiles, so that the host must collect its output after each evaluation. */
  readonly #isTalkative: boolean;
  #position = new Float64Array();
  #gradient = new Float64Array();
  #constrained = new Float64Array();
  /** `moves` of the instance when the three views were created. */
  #moves = -1;

  constructor(binding: Binding, artifact: Artifact) {
    const { instance, obstacle, top } = binding;
    this.#artifact = artifact;
    this.#binding = binding;
    this.#obstacle = obstacle;
    this.withoutHessian = artifact.hessian?.kind === 'differences' ? artifact.hessian.reason : undefined;
    this.#isTalkative = artifact.sites.some(({ kind, profile }) => kind === 'print' || profile !== undefined);
    this.#instance = instance;
    this.#randomState = instance.artifact.layout.randomState;
    this.#outputs = new Outputs(instance.artifact, instance.memory.buffer);
    this.parameters = this.#outputs.all.map(({ name, dims, block }) => ({ name, dims, block }));
    this.dimension = this.#outputs.dimension;
    this.#constrainedAddress = align(top, 64);
    this.#positionAddress = this.#place(align(this.#constrainedAddress + 8 * this.#outputs.count, 64));
    const reserve = (bytes: number) => this.#reserve(bytes);
    const { centering, integration, steps } = artifact;
    const { unconstrained } = this.#outputs;
    this.centering =
      centering && openCentering(centering, instance, unconstrained, reserve, (position) => this.#generate(position));
    this.integration = integration && openIntegration(integration, instance, reserve);
    this.steps = steps && openSteps(steps, instance, reserve, (position) => this.#evaluate(position), formFlags(FULL));
  }

  /** Releases the memory, so that the next model of the thread can reuse it. The model must not be used afterwards. */
  close(): void {
    this.#instance.close();
  }

  /** Number of printed texts that were omitted because the program has printed very much. */
  get omittedPrints(): number {
    return this.#instance.omittedPrints;
  }

  /** Names of the values of `writeArray`, with one-based indexes after dots; the first index varies fastest. */
  constrainedNames(parts: OutputParts = {}): string[] {
    return this.#outputs.names(partFlags(parts));
  }

  /** Names of the elements of the position. A parameter `theta` in learned coordinates is named `theta__`, which no program can declare. */
  unconstrainedNames(): string[] {
    const centered = new Set(this.centering?.names);
    return elementNames(
      this.#outputs.parameters.map(({ unconstrained, name }) =>
        centered.has(name) ? { ...unconstrained, name: `${name}__` } : unconstrained,
      ),
    );
  }

  /** Log density at an unconstrained position. Throws `Rejection` or `ModelError`. */
  logDensity(position: Float64Array, form: DensityForm): number {
    if (this.#obstacle !== null) return this.#fail(position, form, this.#obstacle);
    this.#setPosition(position);
    return this.#instance.logDensity(formFlags(form));
  }

  /** Like `logDensity`, but without optimizations: the reference for the optimized forms. */
  unoptimizedLogDensity(position: Float64Array, form: DensityForm): number {
    this.#setPosition(position);
    return this.#instance.run(() => this.#instance.functions.log_density_unoptimized(formFlags(form)));
  }

  /** Like `logDensity`, with the same value; also writes the gradient to `gradient`. */
  logDensityGradient(position: Float64Array, gradient: Float64Array, form: DensityForm): number {
    if (this.#obstacle !== null) return this.#fail(position, form, this.#obstacle);
    this.#setPosition(position);
    const value = this.#instance.logDensityGradient(formFlags(form));
    this.#findViews();
    copyElements(this.#gradient, gradient);
    return value;
  }

  /**
   * Writes the Hessian of the log density at an unconstrained position to `hessian`, a symmetric row-major matrix. Returns false if the
   * module has no second derivatives. Discards printed text. Throws like `logDensity`.
   */
  hessian(position: Float64Array, hessian: Float64Array, form: DensityForm): boolean {
    const { functions, memory } = this.#instance;
    if (functions.hessian === null) return false;
    if (this.#obstacle !== null) this.#fail(position, form, this.#obstacle);
    const { dimension } = this;
    this.#direction ??= this.#reserve(8 * dimension);
    functions.hessian.bind(this.#direction, dimension);
    this.#setPosition(position);
    for (let row = 0; row < dimension; row++) {
      new Float64Array(memory.buffer, this.#direction, dimension).fill(0)[row] = 1;
      this.#instance.hessianProduct(formFlags(form));
      this.#findViews();
      hessian.set(this.#gradient, row * dimension);
    }
    for (let i = 0; i < dimension; i++) {
      for (let j = 0; j < i; j++) {
        const mean = 0.5 * (hessian[i * dimension + j] + hessian[j * dimension + i]);
        hessian[i * dimension + j] = mean;
        hessian[j * dimension + i] = mean;
      }
    }
    return true;
  }

  /** Throws the error for data that cause a failure at every position. The unoptimized log density determines the first failure. */
  #fail(position: Float64Array, form: DensityForm, obstacle: Rejection | ModelError): never {
    if (!(obstacle instanceof OutOfMemory)) this.unoptimizedLogDensity(position, form);
    throw obstacle;
  }

  /** The function of `logDensityGradient` for code in the model's memory; undefined if evaluations require the host. */
  resident(form: DensityForm): ResidentGradient | undefined {
    if (this.#obstacle !== null || this.#isTalkative) return undefined;
    const instance = this.#instance;
    const position = (): number => this.#positionAddress;
    return {
      memory: instance.memory,
      evaluate: instance.functions.log_density_gradient,
      flags: formFlags(form),
      get position() {
        return position();
      },
      get gradient() {
        return position() + instance.distance;
      },
      reserve: (bytes) => this.#reserve(bytes),
    };
  }

  /** The work of slices; undefined unless the program was compiled with slices and prints nothing in evaluations. */
  sliceWork(): SliceWork | undefined {
    const { divided_work, shared_work } = this.#instance.functions;
    if (divided_work === null || shared_work === null || this.#obstacle !== null || this.#isTalkative) return undefined;
    const [divided, shared] = [divided_work, shared_work].map((work) => this.#instance.run(() => work(0)));
    return { divided, shared };
  }

  /** The work with and without integrated parameters; undefined unless there are any. */
  integrationWork(): IntegrationWork | undefined {
    const { integrated_work, whole_work } = this.#instance.functions;
    const layout = this.#artifact.integration;
    if (integrated_work === null || whole_work === null || layout === undefined) return undefined;
    const [integrated, whole] = [integrated_work, whole_work].map((work) => this.#instance.run(() => work(0)));
    return { integrated, whole, isRegression: layout.isRegression };
  }

  /** Times of the program's `profile` blocks so far. */
  profiles(): readonly Profile[] {
    return this.#instance.profiles.list();
  }

  /**
   * A copy of the bound data, from which models can start on any thread; undefined if no memory is available, or if `mayCopy` returns false
   * for the number of bytes.
   */
  bound(mayCopy?: (bytes: number) => boolean): BoundData | undefined {
    return boundData(this.#artifact, this.#binding, mayCopy);
  }

  /** Bytes of memory that the instance has allocated so far. */
  get memoryBytes(): number {
    return this.#instance.bytes;
  }

  /** Seeds the random number generator of generated quantities. */
  seedRandom(seed: number, chain: number): void {
    this.#instance.linearFunction('rng_seed')(this.#randomState, seed, chain);
  }

  /** The state of the generator that `seedRandom` sets. It is a view of the memory and valid until the next call. */
  randomState(): Int32Array {
    return new Int32Array(this.#instance.memory.buffer, this.#randomState, RANDOM_WORDS);
  }

  /**
   * Writes the draw at an unconstrained position to `out`, starting at element `offset`: parameters, followed by the requested parts; the
   * first index of each variable varies fastest. Throws like `logDensity`; `out` then contains the values computed so far, and NaN for the
   * rest.
   */
  writeArray(position: Float64Array, out: Float64Array, parts: OutputParts = {}, offset = 0): void {
    this.#setPosition(position);
    const flags = partFlags(parts);
    const order = this.#outputs.order(flags);
    this.#constrained.fill(Number.NaN);
    try {
      this.#instance.generate(flags);
    } finally {
      this.#findViews();
      const values = this.#constrained;
      for (let k = 0; k < order.length; k++) out[offset + k] = values[order[k]];
    }
  }

  /**
   * The unconstrained position of parameter values; ignores other names. A missing parameter keeps its elements of `position`. Throws if a
   * parameter is missing and `position` is not given, and if a value violates its constraint by more than Stan's tolerance and relative
   * rounding errors of at most `rounding` in each element.
   */
  unconstrain(values: JsonData, position?: Float64Array, rounding = 0): Float64Array {
    const { functions } = this.#instance;
    const missing = this.#outputs.parameters.filter(
      ({ name, count }) => count > 0 && memberOf(values, name) === undefined,
    );
    if (missing.length > 0) {
      if (position === undefined) {
        throw missingValue(missing[0]);
      }
      this.#setPosition(position);
      this.#instance.run(() => functions.generate(0));
    }
    let offset = 0;
    for (const output of this.#outputs.parameters) {
      const given = memberOf(values, output.name);
      if (given !== undefined) {
        const address = this.#constrainedAddress + 8 * offset;
        writeGiven(output, given, new Float64Array(this.#instance.memory.buffer, address, output.count));
      }
      offset += output.count;
    }
    this.#instance.run(() => functions.unconstrain(rounding));
    this.#findViews();
    const result = this.#position.slice();
    if (position !== undefined) this.#keepMissing(new Set(missing), position, result);
    return result;
  }

  /** The unconstrained position of the parameters of a draw, in the order of `constrainedNames()`. Throws like `unconstrain`. */
  unconstrainDraw(parameters: Float64Array, rounding = 0): Float64Array {
    const order = this.#outputs.order(0);
    const values = new Float64Array(this.#instance.memory.buffer, this.#constrainedAddress, order.length);
    for (let k = 0; k < order.length; k++) values[order[k]] = parameters[k];
    this.#instance.run(() => this.#instance.functions.unconstrain(rounding));
    this.#findViews();
    return this.#position.slice();
  }

  /** Computes parameters and transformed parameters. */
  #generate(position: Float64Array): void {
    this.#setPosition(position);
    this.#instance.generate(0);
  }

  #evaluate(position: Float64Array): void {
    this.logDensityGradient(position, new Float64Array(this.dimension), FULL);
  }

  /** Puts the position at an address, and the arena after it. */
  #place(position: number): number {
    const { functions } = this.#instance;
    this.#instance.layOut(position, align(8 * this.dimension, 64));
    functions.bind(position, this.dimension, this.#constrainedAddress, this.#outputs.count);
    return position;
  }

  /** Allocates memory at the start of the arena. */
  #reserve(bytes: number): number {
    const address = this.#positionAddress;
    this.#positionAddress = this.#place(align(address + bytes, 64));
    new Uint8Array(this.#instance.memory.buffer, address, bytes).fill(0);
    return address;
  }

  #keepMissing(missing: ReadonlySet<SizedOutput>, position: Float64Array, result: Float64Array): void {
    const kept = new Set([...missing].map(({ unconstrained }) => unconstrained));
    visitStretches(this.#outputs.unconstrained, (leaf, start, length) => {
      if (kept.has(leaf)) result.set(position.subarray(start, start + length), start);
    });
  }

  #setPosition(position: Float64Array): void {
    this.#findViews();
    const to = this.#position;
    if (position.length !== to.length) {
      throw new ModelError(`the position has ${position.length} elements, but the model has ${to.length} parameters`);
    }
    copyElements(position, to);
  }

  /** Renews the views: growing memory detaches them, and growing the arena moves the adjoints. */
  #findViews(): void {
    if (this.#instance.moves !== this.#moves) this.#makeViews();
  }

  #makeViews(): void {
    if (this.#instance.isClosed) throw new Error('the model has been closed');
    this.#moves = this.#instance.moves;
    const { buffer } = this.#instance.memory;
    this.#position = new Float64Array(buffer, this.#positionAddress, this.dimension);
    this.#gradient = new Float64Array(buffer, this.#positionAddress + this.#instance.distance, this.dimension);
    this.#constrained = new Float64Array(buffer, this.#constrainedAddress, this.#outputs.count);
  }
}

function formFlags({ propto, jacobian, slice }: DensityForm): number {
  const form = (propto ? 0 : 1) | (jacobian ? 2 : 0);
  return slice === undefined ? form : form | (slice.index << 2) | ((slice.count - 1) << 10);
}
