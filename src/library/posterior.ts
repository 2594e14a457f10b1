import type {
  CompiledModel,
  DensityForm,
  EngineModel,
  MemoryLimits,
  ModelHost,
  OutputParts,
} from '../chain/model-host.js';
import { refusing } from '../chain/refusal.js';
import type { SlicedModel } from '../chain/sliced-model.js';
import { inSlices } from '../chain/slicing.js';
import { parseStanData } from '../formats/stan-json.js';
import { CENTRAL, secondDerivatives } from '../inference/optimization/second-derivatives.js';
import { type Variables, variablesText } from '../requests/variables.js';
import { variablesData } from '../requests/variables-data.js';
import { RequestError } from './errors.js';
import type { Data } from './requests.js';

/** A point: an array with one number per unconstrained parameter. */
export type Point = Float64Array | readonly number[];

export interface DensityOptions {
  /** Whether to include the Jacobian of the constraining transforms; true by default. */
  readonly jacobian?: boolean;
  /** Whether to drop constant terms, as for sampling; false by default. */
  readonly propto?: boolean;
}

export interface GradientOptions extends DensityOptions {
  /** Array for the gradient, with one number per unconstrained parameter; a new one by default. */
  readonly into?: Float64Array;
}

export interface HessianOptions extends DensityOptions {
  /** Maximum size of the matrix in MiB; 1024 by default. */
  readonly memory?: number;
}

export interface ConstrainOptions {
  /** Whether to include transformed parameters. */
  readonly transformedParameters?: boolean;
  /** Whether to include generated quantities. */
  readonly generatedQuantities?: boolean;
}

interface OpenOptions {
  readonly seed: number;
  readonly limits: MemoryLimits;
  readonly threads?: number;
  /** Receives the texts that the program prints. */
  readonly print?: (text: string) => void;
}

/** A compiled program with its data. Its methods throw `RunError` if the program rejects a point. */
export class Posterior {
  /** Number of unconstrained parameters. */
  readonly dimension: number;
  /** All output variables of the program with their sizes, in order of declaration. */
  readonly variables: EngineModel['parameters'];
  private readonly host: ModelHost;
  private readonly model: EngineModel;
  private readonly sliced: SlicedModel | undefined;

  private constructor(host: ModelHost, model: EngineModel, sliced?: SlicedModel) {
    this.host = host;
    this.model = sliced ?? model;
    this.sliced = sliced;
    this.dimension = model.dimension;
    this.variables = model.parameters;
  }

  /** With `threads`, the model must have been compiled with slices. */
  static open(
    host: ModelHost,
    compiled: CompiledModel,
    data: Data,
    { limits, seed, threads, print = () => undefined }: OpenOptions,
  ): Posterior {
    const values = () => (typeof data === 'string' ? parseStanData(data) : variablesData(data));
    const model = refusing(host, () => host.instantiate(compiled, values(), { seed, print, ...limits }));
    const text = () => (typeof data === 'string' ? data : variablesText(data));
    if (threads === undefined) return new Posterior(host, model);
    const sliced = inSlices(host, model, { model: compiled, data: text, seed, limits }, threads);
    return new Posterior(host, model, sliced);
  }

  /** Names of the elements that `constrain` returns: `theta.2` is element 2 of `theta`. */
  names(parts: ConstrainOptions = {}): readonly string[] {
    return this.model.constrainedNames(partsOf(parts));
  }

  /** Names of the elements of a point. */
  unconstrainedNames(): readonly string[] {
    return this.model.unconstrainedNames();
  }

  logDensity(point: Point, options: DensityOptions = {}): number {
    return this.attempt(() => this.model.logDensity(positionOf(point), formOf(options)));
  }

  /** The log density and its gradient with respect to the point. Throws `RequestError` if `into` has a wrong length. */
  gradient(
    point: Point,
    options: GradientOptions = {},
  ): { readonly logDensity: number; readonly gradient: Float64Array } {
    const gradient = options.into ?? new Float64Array(this.dimension);
    if (gradient.length !== this.dimension) throw wrongSize(gradient, this.dimension);
    const logDensity = this.attempt(() => this.model.logDensityGradient(positionOf(point), gradient, formOf(options)));
    return { logDensity, gradient };
  }

  /**
   * The second derivatives of the log density with respect to the point, in row-major order: exact if the model was opened with `secondDerivatives`
   * and supports them, otherwise central differences of the gradient. Throws `RequestError` if the matrix would be larger than `memory`.
   */
  hessian(point: Point, { memory = HESSIAN_MEMORY, ...options }: HessianOptions = {}): Float64Array {
    const form = formOf(options);
    const { dimension, model } = this;
    const needed = (dimension ** 2 * Float64Array.BYTES_PER_ELEMENT) / MEBIBYTE;
    if (!(needed <= memory)) {
      const size = `${dimension} by ${dimension} matrix`;
      const message = `must be at least ${Math.ceil(needed)} MiB for the Hessian, a ${size}, but is ${memory}`;
      throw new RequestError([{ field: 'memory', message }]);
    }
    return this.attempt(() => {
      const density = {
        hessian: (position: Float64Array, out: Float64Array) => model.hessian?.(position, out, form) === true,
      };
      const gradientAt = (position: Float64Array, gradient: Float64Array) => {
        model.logDensityGradient(position, gradient, form);
        return true;
      };
      const found = secondDerivatives(density, Float64Array.from(point), gradientAt, CENTRAL);
      if (found === undefined) throw new Error('a gradient is missing although no evaluation failed');
      return found;
    });
  }

  /** The values of the parameters at a point, in the order of `names`. `seed` seeds the random numbers of generated quantities. */
  constrain(point: Point, { seed = 0, ...parts }: ConstrainOptions & { readonly seed?: number } = {}): Float64Array {
    const values = new Float64Array(this.names(parts).length);
    this.model.seedRandom(seed, 1);
    this.attempt(() => this.model.writeArray(Float64Array.from(point), values, partsOf(parts)));
    return values;
  }

  /** The point at which the parameters have these values. Values are required for all parameters. */
  unconstrain(values: Variables): Float64Array {
    return this.attempt(() => this.model.unconstrain(variablesData(values)));
  }

  /** The point of a draw, which is the values of the parameters in the order of `names`. */
  unconstrainDraw(values: Point): Float64Array {
    return this.attempt(() => this.model.unconstrainDraw(Float64Array.from(values)));
  }

  /**
   * Ends the threads of `PosteriorOptions.threads`. Later evaluations run in the calling thread, with the same results.
   */
  close(): void {
    this.sliced?.close();
  }

  private attempt<Value>(evaluate: () => Value): Value {
    return refusing(this.host, evaluate);
  }
}

/** A position for functions that do not write to it. */
function positionOf(point: Point): Float64Array {
  return point instanceof Float64Array ? point : Float64Array.from(point);
}

/** Default limit of the size of a Hessian in MiB, sufficient for 11,585 parameters. */
const HESSIAN_MEMORY = 1024;
const MEBIBYTE = 2 ** 20;

function formOf({ jacobian = true, propto = false }: DensityOptions): DensityForm {
  return { jacobian, propto };
}

function partsOf({ generatedQuantities = false, transformedParameters = false }: ConstrainOptions): OutputParts {
  return { generatedQuantities, transformedParameters };
}

function wrongSize({ length }: Float64Array, dimension: number): RequestError {
  return new RequestError([{ field: 'into', message: `must have ${dimension} elements, but has ${length}` }]);
}
