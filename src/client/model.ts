import { Fit, StartedFit } from './fit.js';
import { bodyText, numberOf, type Transport, USUAL_PAGE, type WireNumber } from './transport.js';
import type {
  CalibrationRequest,
  Data,
  DescribedModelResource,
  FitRequest,
  FitResource,
  FunctionValueResource,
  OperationResource,
  ParametersResource,
  PriorRequest,
  ProfileResource,
  RefitRequest,
  StanValue,
  Variables,
} from './types.js';

export interface OnData {
  readonly data?: Data;
}

export interface DensityOptions extends OnData {
  /** Whether to include the Jacobian of the constraining transforms; true by default. */
  readonly adjust_transform?: boolean;
  /**
   * Maximum number of threads that evaluate the log density, each on slices of the rows of the data, like
   * `threads_per_chain` of fits.
   */
  readonly threads?: number;
}

export interface WriteArrayOptions extends OnData {
  readonly include_tparams?: boolean;
  readonly include_gqs?: boolean;
  readonly random_seed?: number;
}

export interface CallOptions {
  /** Types of the parameters, to choose an overload. */
  readonly signature?: readonly string[];
  /** Seed of a function whose name ends in `_rng`. */
  readonly random_seed?: number;
}

export interface ProfileOptions extends OnData {
  /** A point with a finite gradient; by default a random one. */
  readonly point?: Point;
  /**
   * Number of timed evaluations of the gradient of each part of the program; by default about a second of evaluations,
   * at least 5 of each.
   */
  readonly evaluations?: number;
  /** Seed of the random point and of random numbers in transformed data; 1 by default. */
  readonly random_seed?: number;
}

type Point = readonly number[] | Float64Array;

/** A compiled model by its name, `models/<model_id>`. Points are on the unconstrained scale. */
export class Model {
  readonly name: string;
  private readonly transport: Transport;

  constructor(transport: Transport, name: string) {
    this.transport = transport;
    this.name = name;
  }

  /** The program, its declarations and calls, and the compiler's messages. */
  describe(): Promise<DescribedModelResource> {
    return this.transport.json('GET', this.name);
  }

  /** Names and sizes of the variables in draws. */
  async params(options: OnData = {}): Promise<ParametersResource['params']> {
    const { params } = await this.transport.json<ParametersResource>('POST', `${this.name}/params`, textOf(options));
    return params;
  }

  async logProb(point: Point, options: DensityOptions = {}): Promise<number> {
    const answer = await this.evaluate<{ log_prob: WireNumber }>('log_prob', point, options);
    return numberOf(answer.log_prob);
  }

  /** The log density and its gradient. */
  async logProbGrad(
    point: Point,
    options: DensityOptions = {},
  ): Promise<{ readonly logProb: number; readonly gradient: Float64Array }> {
    const answer = await this.evaluate<{ log_prob: WireNumber; grad_log_prob: WireNumber[] }>(
      'log_prob_grad',
      point,
      options,
    );
    return { logProb: numberOf(answer.log_prob), gradient: Float64Array.from(answer.grad_log_prob, numberOf) };
  }

  /** Parameters, transformed parameters and generated quantities at a point, in the order of `params`. */
  async writeArray(point: Point, options: WriteArrayOptions = {}): Promise<Float64Array> {
    const answer = await this.evaluate<{ params_r_constrained: WireNumber[] }>('write_array', point, options);
    return Float64Array.from(answer.params_r_constrained, numberOf);
  }

  /** The point at which the parameters have these values. */
  async transformInits(constrained_parameters: Variables, options: OnData = {}): Promise<Float64Array> {
    const body = textOf({ ...options, constrained_parameters });
    const answer = await this.transport.json<{ params_r_unconstrained: WireNumber[] }>(
      'POST',
      `${this.name}/transform_inits`,
      body,
    );
    return Float64Array.from(answer.params_r_unconstrained, numberOf);
  }

  /**
   * Calls a function that the program declares. The result is in Stan's JSON format, with non-finite numbers as
   * strings.
   */
  call(name: string, args: readonly StanValue[] = [], options: CallOptions = {}): Promise<FunctionValueResource> {
    return this.transport.json(
      'POST',
      `${this.name}/functions/${encodeURIComponent(name)}`,
      bodyText({ ...options, arguments: args }),
    );
  }

  /**
   * Measures the time that each statement takes in a gradient. Takes about a second, or longer for a slow or long
   * program.
   */
  profile(options: ProfileOptions = {}): Promise<ProfileResource> {
    const { point, ...rest } = options;
    const request = point === undefined ? rest : { ...rest, unconstrained_parameters: point };
    return this.transport.json('POST', `${this.name}/profile`, textOf(request));
  }

  /** Starts a function of the services namespace. Resolves when the server has accepted the request. */
  async fit(request: FitRequest): Promise<StartedFit> {
    return this.start('fits', request);
  }

  /** Starts a sampler on the prior distribution. The fields are those of a sampler, by default `hmc_nuts_diag_e_adapt`. */
  async prior(request: PriorRequest = {}): Promise<StartedFit> {
    return this.start('prior', request);
  }

  /** Starts simulation-based calibration. The draws of its fit are ranks; `Fit.sbc` returns the result. */
  async sbc(request: CalibrationRequest = {}): Promise<StartedFit> {
    return this.start('sbc', request);
  }

  /** Starts cross-validation with refits. The draws of its fit are estimates; `Fit.kfold` returns the result. */
  async kfold(request: RefitRequest = {}): Promise<StartedFit> {
    return this.start('kfold', request);
  }

  private async start(path: string, request: OnData): Promise<StartedFit> {
    const operation = await this.transport.json<OperationResource>('POST', `${this.name}/${path}`, textOf(request));
    return new StartedFit(this.transport, operation);
  }

  /** Finished fits, with their requests. */
  async fits(): Promise<FitResource[]> {
    return (await this.transport.json<{ fits: FitResource[] }>('GET', `${this.name}/fits`)).fits;
  }

  /** The fits of `fits()`, fetched page by page. */
  eachFit(pageSize = USUAL_PAGE): AsyncGenerator<FitResource> {
    return this.transport.each(`${this.name}/fits`, 'fits', pageSize);
  }

  /** An existing fit of this model. */
  findFit(fitId: string): Fit {
    return new Fit(this.transport, `${this.name}/fits/${encodeURIComponent(fitId)}`);
  }

  /** Deletes the model and its fits. */
  async delete(): Promise<void> {
    await this.transport.send('DELETE', this.name);
  }

  private evaluate<Body>(method: string, point: Point, options: OnData): Promise<Body> {
    return this.transport.json(
      'POST',
      `${this.name}/${method}`,
      textOf({ ...options, unconstrained_parameters: point }),
    );
  }
}

/** The text of a request. */
function textOf<Request extends OnData>({ data, ...rest }: Request): string {
  if (typeof data !== 'string') return bodyText(data === undefined ? rest : { ...rest, data });
  const others = bodyText(rest).slice(1, -1);
  return `{${others}${others === '' ? '' : ','}"data":${data}}`;
}
