import type { ProgramSource } from '../chain/compiler.js';
import type { DerivedKind } from '../derive/derived-names.js';
import { LOG_LIKELIHOOD } from '../derive/derived-names.js';
import type { FunctionValue } from '../engine/calls/function-call.js';
import type { ProgramProfile } from '../engine/program-profile.js';
import { derivedPlaces, type LeaveOneOut, withDisplayNames } from '../fits/cross-validation.js';
import { placesOf } from '../formats/columns.js';
import { readArguments, threadsArgument } from '../inference/algorithms/arguments.js';
import { USUAL_SIMULATIONS } from '../requests/calibration-request.js';
import type {
  DiagnoseGradientFields,
  GenerateFields,
  LaplaceFields,
  OptimizeFields,
  PathfinderFields,
  SampleFields,
  VariationalFields,
} from '../requests/fit-requests.js';
import type { MethodName } from '../requests/methods.js';
import { type StanValue, valuesText } from '../requests/variables.js';
import type { Calibration } from '../studies/calibration.js';
import { priorModule } from '../studies/calibration-prior.js';
import type { LogEvidence } from '../studies/evidence.js';
import { dataHoldingNone } from '../studies/held-out.js';
import { type Refits, unreliableNames, withRefits } from '../studies/refit-results.js';
import { type CalibrationFields, calibrationIn, calibrationRequest } from './calibrate.js';
import type { Compiled } from './compile-on.js';
import { CompiledProgram } from './compiled-program.js';
import { RequestError } from './errors.js';
import type { Fit } from './fit.js';
import { LIMITS } from './limits.js';
import type {
  CheckOptions,
  EvidenceOptions,
  ModelContents,
  ModelLooOptions,
  PosteriorOptions,
  ProfileFields,
  RunOptions,
} from './model-options.js';
import { Posterior } from './posterior.js';
import { type CallOptions, type ProgramFunctions, programFunctions } from './program-functions.js';
import { type RefitFields, refitRequest, refitsIn } from './refits.js';
import {
  type Data,
  isData,
  methodRequest,
  NO_DATA,
  type RunRequest,
  randomSeed,
  readRequest,
  textOf,
  type UntilFields,
} from './requests.js';
import { Run } from './run.js';
import type { Threads } from './threads.js';

/** The reason of an abort at the limit of a check. */
const LATE = new Error('the check has reached its time limit');

/** `PosteriorOptions.threads`. */
const EVALUATION_THREADS = { ...threadsArgument, name: 'threads' };

/** A compiled program. */
export class Model {
  /** Warnings of the compiler as text; empty without warnings. */
  readonly warnings: string;
  private readonly threads: Threads;
  private readonly program: CompiledProgram;
  private readonly wasm: Uint8Array<ArrayBuffer>;

  constructor(threads: Threads, source: ProgramSource, { model, warnings, wasm }: Compiled) {
    this.threads = threads;
    this.program = new CompiledProgram(threads, source, model);
    this.wasm = wasm;
    this.warnings = warnings;
  }

  /** The contents of the model, for storage. `openModel` restores a model from them without compiling the program. */
  contents(): ModelContents {
    const { program, warnings, wasm } = this;
    return { source: program.source, artifact: program.model.artifact, wasm, warnings };
  }

  /**
   * The posterior for given data: its log density, gradient, names and transforms, computed in the calling thread, with
   * additional `threads` if given. Rejects with `RunError` if the data do not match their declarations, and with
   * `RequestError` if they are neither values by name nor a text.
   */
  async on(
    data: Data = {},
    { secondDerivatives = false, seed = 0, threads, print }: PosteriorOptions = {},
  ): Promise<Posterior> {
    if (!isData(data)) throw new RequestError([NO_DATA]);
    const fault = threads === undefined ? undefined : readArguments([EVALUATION_THREADS], { threads });
    if (fault !== undefined && 'problems' in fault) throw new RequestError(fault.problems);
    const host = await this.threads.modelHost();
    const options = { ...(secondDerivatives && { secondDerivatives }), ...(threads !== undefined && { slices: true }) };
    const compiled = await this.program.module(Object.keys(options).length === 0 ? undefined : options, undefined);
    return Posterior.open(host, compiled, data, {
      seed,
      limits: LIMITS,
      ...(threads !== undefined && { threads }),
      ...(print !== undefined && { print }),
    });
  }

  /**
   * Checks whether the program accepts the data, in a thread, which also computes transformed data. Resolves to whether
   * the check finished within `limit`. Rejects with `RunError` if the data are invalid, and with `RequestError` if they
   * are neither values by name nor a text.
   */
  async check(data: Data, { limit, signal }: CheckOptions = {}): Promise<boolean> {
    if (!isData(data)) throw new RequestError([NO_DATA]);
    const stop = new AbortController();
    const abort = () => stop.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const receive = () => {
      if (limit !== undefined) timer = setTimeout(() => stop.abort(LATE), limit);
    };
    try {
      const job = { kind: 'check data', model: this.program.model, data: textOf(data) } as const;
      await this.threads.perform(job, 'inputs', { signal: stop.signal, receive });
      return true;
    } catch (error) {
      if (error === LATE) return false;
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** The functions that the program declares: `await model.functions.f(1, [2, 3])`. */
  get functions(): ProgramFunctions {
    return programFunctions((name, args) => this.call(name, args));
  }

  /**
   * Calls a function that the program declares, with values in Stan's JSON format, or with the text of an array of
   * values, in which 2.0 is a real and 2 an int. Rejects with `RunError` if no overload accepts the values or if the
   * function fails.
   */
  async call(
    name: string,
    args: readonly StanValue[] | string = [],
    { seed = randomSeed(), signal, signature }: CallOptions = {},
  ): Promise<FunctionValue> {
    const { source } = this.program;
    const common = { source, name, arguments: typeof args === 'string' ? args : valuesText(args), seed };
    const call = signature === undefined ? common : { ...common, signature };
    return (await this.threads.perform({ kind: 'call', call }, 'called', { signal })).value;
  }

  /**
   * Measures the time that each statement takes in a gradient. Takes about a second, or longer for a slow or long
   * program. The program is compiled again with the gradients of its first 1, 2, … statements. The time of a statement
   * is a difference of their times.
   */
  async profile({
    data = {},
    evaluations,
    point,
    random_seed: seed = 1,
    signal,
  }: ProfileFields = {}): Promise<ProgramProfile> {
    if (!isData(data)) throw new RequestError([NO_DATA]);
    if (evaluations !== undefined && !(Number.isInteger(evaluations) && evaluations > 0)) {
      throw new RequestError([{ field: 'evaluations', message: 'must be an integer of at least 1' }]);
    }
    const request = {
      source: this.program.source,
      data: textOf(data),
      seed,
      ...(evaluations !== undefined && { evaluations }),
      ...(point !== undefined && { position: [...point] }),
    };
    return (await this.threads.perform({ kind: 'profile', request }, 'profiled', { signal })).profile;
  }

  /** Starts a function of the services namespace, given by its full name `stan::services::…`. */
  run(request: RunRequest, options: RunOptions = {}): Run {
    return this.start(() => request, options);
  }

  /**
   * The same for functions and fields without static types, such as the fields of a form. They are validated at run
   * time.
   */
  runFunction(name: string, fields: Readonly<Record<string, unknown>> = {}, options: RunOptions = {}): Run {
    return this.start(() => ({ ...fields, function: name }), options);
  }

  /** The same for the function that the fields of a method select, such as `algorithm` and `metric` of `sample`. */
  runMethod(name: MethodName, fields: Readonly<Record<string, unknown>> = {}, options: RunOptions = {}): Run {
    return this.start(() => methodRequest(name, fields), options);
  }

  /**
   * Draws from the posterior by Markov chain Monte Carlo, by default with the No-U-Turn sampler and an adapted diagonal
   * metric.
   */
  sample(fields: SampleFields<Fit, Data> & UntilFields = {}, options: RunOptions = {}): Run {
    return this.start(() => methodRequest('sample', fields), options);
  }

  /** Finds a mode of the posterior, by default with L-BFGS. */
  optimize(fields: OptimizeFields<Fit, Data> = {}, options: RunOptions = {}): Run {
    return this.start(() => methodRequest('optimize', fields), options);
  }

  /** Draws from the Laplace approximation at a mode. */
  laplace(fields: LaplaceFields<Fit, Data>, options: RunOptions = {}): Run {
    return this.start(() => methodRequest('laplace', fields), options);
  }

  /**
   * Fits a normal approximation by automatic differentiation variational inference, by default a mean-field
   * approximation.
   */
  variational(fields: VariationalFields<Fit, Data> = {}, options: RunOptions = {}): Run {
    return this.start(() => methodRequest('variational', fields), options);
  }

  /** Draws from normal approximations found along the paths of an optimizer. */
  pathfinder(fields: PathfinderFields<Fit, Data> = {}, options: RunOptions = {}): Run {
    return this.start(() => methodRequest('pathfinder', fields), options);
  }

  /** Computes generated quantities for draws. */
  generate(fields: GenerateFields<Fit, Data>, options: RunOptions = {}): Run {
    return this.start(() => methodRequest('generate', fields), options);
  }

  /**
   * Computes the log likelihood of each observation for existing draws, derived from the program. `log_lik__y[3]` is
   * the log likelihood of `y[3]`. `Fit.loo` of the result cross-validates these observations. Rejects with
   * `CompileError` if observations are ambiguous.
   */
  logLikelihood(fields: GenerateFields<Fit, Data>, options: RunOptions = {}): Run {
    return this.runDerived('log_lik', { ...fields }, options);
  }

  /**
   * Draws replicated data for existing draws, `y_rep` for an outcome `y`, derived from the program. Elements that are
   * not outcomes are copied from the data. Rejects with `CompileError` if replicated data cannot be derived.
   */
  predict(fields: GenerateFields<Fit, Data>, options: RunOptions = {}): Run {
    return this.runDerived('replicated', { ...fields }, options);
  }

  /**
   * `Fit.loo` of a fit of this model, from its `log_lik` or, if the program does not compute it, from a log likelihood
   * that is derived from the program. `momentMatch` uses moment matching for observations with a high Pareto k. `exact`
   * uses refits without the observation, by `sample` with the given fields, if k is still high; log likelihoods are
   * then always derived. The result contains the outcomes in `data`, with which `compare` checks that observations are
   * the same.
   */
  async loo(
    fit: Fit,
    data: Data = {},
    { exact = false, momentMatch = false, signal, variable }: ModelLooOptions = {},
  ): Promise<LeaveOneOut> {
    if (variable !== undefined && (momentMatch || exact !== false)) {
      throw new RequestError([{ field: 'variable', message: 'cannot be combined with momentMatch or exact' }]);
    }
    const weighed = await (variable === undefined
      ? this.looByWeights(fit, data, momentMatch, exact !== false, signal)
      : fit.loo({ variable }));
    const request = { source: this.program.source, data: textOf(data), count: weighed.observations.length };
    const { observed } = await this.threads.perform({ kind: 'observe', request }, 'observed', { signal });
    const found = { ...weighed, observed };
    const observations = unreliableNames(found);
    if (exact === false || observations.length === 0) return found;
    const chains = fit.chains.length;
    const sampler = { num_chains: chains, ...(exact === true ? {} : exact) };
    const options = signal === undefined ? {} : { signal };
    const refits = await this.kfold({ ...sampler, data, warm_start: fit, observations }, options);
    return withRefits(found, refits, fit.draws * chains);
  }

  private async looByWeights(
    fit: Fit,
    data: Data,
    momentMatch: boolean,
    derives: boolean,
    signal: AbortSignal | undefined,
  ): Promise<LeaveOneOut> {
    if (momentMatch) {
      const { source } = this.program;
      const request = { source, data: textOf(data), ...fit.rows(), derives };
      const { loo } = await this.threads.perform({ kind: 'match moments', request }, 'matched', { signal });
      return withDisplayNames(loo);
    }
    const terms = derives ? [] : [...placesOf(LOG_LIKELIHOOD, fit.columns), ...derivedPlaces(fit.columns)];
    if (terms.length > 0) return fit.loo();
    const fields = { fitted_params: fit, data, refresh: 0 };
    return (await this.logLikelihood(fields, signal === undefined ? {} : { signal }).result()).loo();
  }

  /**
   * The log evidence of the model (marginal likelihood) from a fit by a sampler, by warp-III bridge sampling (X.-L. Meng
   * and S. Schilling, 2002). All constants of the density are kept. Rejects with `RunError` if the draws are not from the
   * posterior for these data, or if they do not determine an estimate.
   */
  async logEvidence(
    fit: Fit,
    data: Data = {},
    { random_seed: seed = 1, signal }: EvidenceOptions = {},
  ): Promise<LogEvidence> {
    const request = { source: this.program.source, data: textOf(data), ...fit.rows(), seed };
    const job = { kind: 'estimate evidence', request } as const;
    return (await this.threads.perform(job, 'estimated evidence', { signal })).evidence;
  }

  /**
   * Draws from the prior distribution, with the fields of `sample`. The program runs without the statements that
   * condition on data.
   */
  prior(fields: SampleFields<Fit, Data> & UntilFields = {}, options: RunOptions = {}): Run {
    return this.start(() => methodRequest('sample', fields), options, 'prior');
  }

  /**
   * Simulation-based calibration (S. Talts, M. Betancourt, D. Simpson, A. Vehtari and A. Gelman, "Validating Bayesian
   * inference algorithms with simulation-based calibration", 2018): draws parameters from the prior and data from the
   * likelihood, and fits each data set by `sample`. If program and sampler are correct, the ranks of the parameters in
   * the draws of their fits are uniform. `data` contains the sizes and the predictors; only the sizes of outcomes are
   * used.
   */
  async sbc(fields: CalibrationFields, options: RunOptions = {}): Promise<Calibration> {
    return calibrationIn(await this.startSbc(fields, options).result());
  }

  /**
   * `sbc` as a run whose events report progress (`calibrationProgress`). Its draws are the ranks, from which
   * `calibrationIn` computes the result.
   */
  startSbc({ simulations = USUAL_SIMULATIONS, ...fields }: CalibrationFields, options: RunOptions = {}): Run {
    const prepare = async () => {
      const read = readRequest(methodRequest('sample', calibrationRequest(fields, simulations)));
      const { signal } = options;
      const [prior, replicated] = await Promise.all([
        this.program.derived('prior', signal),
        this.program.derived('replicated', signal),
      ]);
      const prepared = await this.program.prepare(read, options, true);
      const calibration = {
        simulations,
        chains: prepared.chains.length,
        prior: await prior.module(priorModule(), signal),
        replicated: replicated.model,
      };
      return { ...prepared, chains: prepared.chains.map((chain) => ({ ...chain, calibration })) };
    };
    return new Run(this.threads, prepare, options.signal);
  }

  /**
   * Cross-validation with refits: samples from the posterior without each group of observations, and predicts the
   * group. Groups are `folds` random ones, those in a variable of the data (`groups`), or single observations. Other
   * fields are those of `sample`; with `warm_start`, refits start from the final state of a fit of this model. Rejects
   * with `CompileError` if observations are ambiguous.
   */
  async kfold(fields: RefitFields, options: RunOptions = {}): Promise<Refits> {
    return refitsIn(await this.startKfold(fields, options).result());
  }

  /**
   * `kfold` as a run whose events report progress (`calibrationProgress`). Its draws are estimates, from which
   * `refitsIn` computes the result.
   */
  startKfold(fields: RefitFields, options: RunOptions = {}): Run {
    const prepare = async () => {
      const { plan, request } = refitRequest(fields);
      const read = readRequest(methodRequest('sample', request));
      const { data } = read;
      const program = await this.program.derived('held_out', options.signal);
      const checked = { ...read, data: dataHoldingNone(data, program.outputs) };
      const prepared = await program.prepare(checked, options, true);
      const refits = { held: plan.held, chains: prepared.chains.length, chainsOfRefit: plan.chains };
      return { ...prepared, chains: prepared.chains.map((chain) => ({ ...chain, data, refits })) };
    };
    return new Run(this.threads, prepare, options.signal);
  }

  /** `logLikelihood`, `predict` or `prior` for fields without static types. */
  runDerived(kind: DerivedKind, fields: Readonly<Record<string, unknown>>, options: RunOptions = {}): Run {
    return this.start(() => methodRequest(kind === 'prior' ? 'sample' : 'generate', fields), options, kind);
  }

  /** Compares the gradient with finite differences. */
  diagnoseGradient(fields: DiagnoseGradientFields<Fit, Data> = {}, options: RunOptions = {}): Run {
    return this.start(() => methodRequest('diagnose_gradient', fields), options);
  }

  /**
   * Starts a run of this model or of one that is derived from its program. The request is parsed when the run is
   * prepared.
   */
  private start(request: () => object, options: RunOptions, derived?: DerivedKind): Run {
    const prepare = async () => {
      const read = readRequest(request());
      const program = derived === undefined ? this.program : await this.program.derived(derived, options.signal);
      return program.prepare(read, options, false);
    };
    return new Run(this.threads, prepare, options.signal);
  }
}
