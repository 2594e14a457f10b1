import { readDraws, readMessages } from './messages.js';
import { numberOf, numbersOf, ServerError, type Transport } from './transport.js';
import type {
  CalibrationResource,
  DiagnosisResource,
  Draw,
  EvidenceResource,
  FitResource,
  LooResource,
  Message,
  OperationResource,
  PredictiveResource,
  RefitsResource,
  SummaryResource,
  Variables,
} from './types.js';

export interface WaitOptions {
  /** Milliseconds between two requests for the operation's state. */
  readonly interval?: number;
  readonly onProgress?: (operation: OperationResource) => void;
}

/** Selection of draws and variables. */
export interface DrawOptions {
  /** Variables, or elements such as `theta[1]`; all by default. */
  readonly variables?: readonly string[];
  readonly warmup?: boolean;
  readonly chain?: number;
  /** Draws of each chain, counted from 1. */
  readonly first?: number;
  readonly last?: number;
}

/** A fit by its name, `models/<model_id>/fits/<fit_id>`. */
export class Fit {
  readonly name: string;
  protected readonly transport: Transport;

  constructor(transport: Transport, name: string) {
    this.transport = transport;
    this.name = name;
  }

  /**
   * The messages in order. `follow` streams the messages of an unfinished fit as they arrive, and throws `ServerError`
   * if the fit fails or is cancelled.
   */
  async *messages({
    follow = false,
    ...options
  }: DrawOptions & { readonly follow?: boolean } = {}): AsyncGenerator<Message> {
    const query = queryOf({ ...options, ...(follow && { follow }) });
    const { body } = await this.transport.send('GET', this.name + query);
    if (body === null) return;
    try {
      yield* readMessages(body);
    } catch (error) {
      // `fetch` rejects with this error if the connection breaks.
      throw error instanceof TypeError ? await this.brokenOff(error) : error;
    }
  }

  /**
   * The rows in order. Rows before the draws are marked: saved draws of warmup, the mean of a variational
   * approximation, or iterations of an optimizer before the last one. `warmup: false` omits them.
   */
  async *draws(options: DrawOptions & { readonly follow?: boolean } = {}): AsyncGenerator<Draw> {
    const { first = 1, last, warmup } = options;
    if (last !== undefined && first <= last && warmup !== false && OPTIMIZER.test(await this.functionName())) {
      // The last iteration is the optimum, so each is kept until the next one arrives.
      const rows = readDraws(this.messages({ ...options, last: last + 1 }), async () => 'iterations');
      let place = first;
      for await (const row of rows) if (place++ <= last) yield row;
      return;
    }
    yield* readDraws(this.messages(options), async () => {
      const name = await this.functionName();
      if (SAMPLER_WITH_WARMUP.test(name)) return 'warmup';
      if (OPTIMIZER.test(name)) return 'iterations';
      return APPROXIMATION_WITH_MEAN.test(name) && first === 1 && warmup !== false ? 'mean' : 'none';
    });
  }

  /** The draws as CmdStan's CSV or as an Arrow IPC stream. */
  async download(format: 'csv' | 'arrow', options: DrawOptions = {}): Promise<Uint8Array> {
    const response = await this.transport.send('GET', this.name + queryOf({ format, ...options }));
    return new Uint8Array(await response.arrayBuffer());
  }

  /** The same as a `Blob`, which a browser need not keep in memory. */
  async file(format: 'csv' | 'arrow', options: DrawOptions = {}): Promise<Blob> {
    return (await this.transport.send('GET', this.name + queryOf({ format, ...options }))).blob();
  }

  /** Means, quantiles, Monte Carlo errors, effective sample sizes and R-hat. */
  async summary(options: Pick<DrawOptions, 'variables' | 'chain'> = {}): Promise<SummaryResource> {
    const summary = await this.transport.json<SummaryResource>('GET', `${this.name}/summary${queryOf(options)}`);
    const variables = summary.variables.map(({ name, ...numbers }) => ({ name, ...numbers, ...numbersOf(numbers) }));
    return { ...summary, variables };
  }

  /** Whether the draws are reliable, with advice on problems. */
  async diagnose(options: Pick<DrawOptions, 'variables' | 'chain'> = {}): Promise<DiagnosisResource> {
    const diagnosis = await this.transport.json<DiagnosisResource>('GET', `${this.name}/diagnose${queryOf(options)}`);
    const findings = diagnosis.findings.map(({ concerns, ...finding }) => ({
      ...finding,
      concerns: concerns.map((concern) => ({ ...concern, value: numberOf(concern.value) })),
    }));
    return { ...diagnosis, findings };
  }

  /** The result of simulation-based calibration, for a fit of `Model.sbc`. */
  sbc(): Promise<CalibrationResource> {
    return this.transport.json('GET', `${this.name}/sbc`);
  }

  /** The result of cross-validation with refits, for a fit of `Model.kfold`. */
  async kfold(): Promise<RefitsResource> {
    const found = await this.transport.json<RefitsResource>('GET', `${this.name}/kfold`);
    const { elpd_kfold, kfoldic, mcse_elpd_kfold, se_elpd_kfold, se_kfoldic } = found;
    return {
      ...found,
      ...numbersOf({ elpd_kfold, kfoldic, mcse_elpd_kfold, se_elpd_kfold, se_kfoldic }),
      observations: found.observations.map((each) => ({
        ...each,
        ...numbersOf({ elpd_kfold: each.elpd_kfold, mcse_elpd_kfold: each.mcse_elpd_kfold }),
      })),
      refits: found.refits.map(({ rhat, ...refit }) => ({ ...refit, rhat: numberOf(rhat) })),
    };
  }

  /**
   * Leave-one-out cross-validation by Pareto-smoothed importance sampling: estimates the accuracy of predictions of
   * each observation from all others. `variables` contain the log likelihoods of the observations, by default
   * `log_lik`. With `data`, they are derived from the program if the draws have no `log_lik`.
   */
  async loo({
    data,
    moment_match = false,
    refits,
    ...options
  }: Pick<DrawOptions, 'variables' | 'chain'> & {
    readonly data?: Variables;
    /** Whether to use moment matching for observations with a high Pareto k; requires data. */
    readonly moment_match?: boolean;
    /**
     * The name of a fit of `Model.kfold`. Its estimates replace those of the observations that it has left out.
     * Requires data.
     */
    readonly refits?: string;
  } = {}): Promise<LooResource> {
    const path = `${this.name}/loo${queryOf(options)}`;
    const loo = await (data === undefined
      ? this.transport.json<LooResource>('GET', path)
      : this.transport.json<LooResource>('POST', path, {
          data,
          ...(moment_match && { moment_match }),
          ...(refits && { refits }),
        }));
    const { se_elpd_loo, mcse_elpd_loo, se_p_loo, se_looic } = loo;
    return {
      ...loo,
      ...numbersOf({ se_elpd_loo, mcse_elpd_loo, se_p_loo, se_looic }),
      observations: loo.observations.map(({ name, ...numbers }) => ({ name, ...numbers, ...numbersOf(numbers) })),
    };
  }

  /** The log evidence of the model (marginal likelihood) by bridge sampling, with all constants of the density. */
  evidence(options: { readonly data?: Variables; readonly random_seed?: number } = {}): Promise<EvidenceResource> {
    return this.transport.json('POST', `${this.name}/evidence`, options);
  }

  /**
   * Simulated data, compared with the observed data if given: a variable `y` with `y_rep`, which is derived from the
   * program if the draws do not contain it.
   */
  async predictive({
    data,
    ...options
  }: Pick<DrawOptions, 'variables' | 'chain'> & { readonly data?: Variables } = {}): Promise<PredictiveResource> {
    const path = `${this.name}/predictive${queryOf(options)}`;
    const checked = await (data === undefined
      ? this.transport.json<PredictiveResource>('GET', path)
      : this.transport.json<PredictiveResource>('POST', path, { data }));
    const variables = checked.variables.map((variable) => ({
      ...variable,
      statistics: variable.statistics.map(({ name, ...numbers }) => ({ name, ...numbers, ...numbersOf(numbers) })),
      observations: variable.observations.map(({ name, ...numbers }) => ({ name, ...numbers, ...numbersOf(numbers) })),
    }));
    return { ...checked, variables };
  }

  /** Deletes the fit, or cancels its operation. */
  async delete(): Promise<void> {
    await this.transport.send('DELETE', this.name);
  }

  /** The function of the fit's operation. */
  protected async functionName(): Promise<string> {
    const { fits } = await this.transport.json<{ fits: FitResource[] }>('GET', this.name.replace(/\/[^/]*$/, ''));
    const made = fits.find(({ name }) => name === this.name);
    return made?.function ?? (await this.requestOperation()).metadata?.function ?? '';
  }

  /** The current state of the fit's operation. */
  private requestOperation(): Promise<OperationResource> {
    return this.transport.json('GET', this.name.replace(/.*\//, 'operations/'));
  }

  /** Why a response was interrupted: the error of the operation, if any. */
  private async brokenOff(cause: TypeError): Promise<Error> {
    const failure = await this.requestOperation().then(failureOf, () => undefined);
    return failure ?? new Error(`the server closed the connection before the last message of ${this.name}`, { cause });
  }
}

/** Functions whose draws may be preceded by warmup draws. */
const SAMPLER_WITH_WARMUP = /::sample::hmc_/;
/** Functions whose last row is the result. */
const OPTIMIZER = /::optimize::/;
/** Functions whose first row is the mean of an approximation. */
const APPROXIMATION_WITH_MEAN = /::advi::/;

/** A fit whose operation has been started. */
export class StartedFit extends Fit {
  /** The state of the operation at the start. */
  readonly operation: OperationResource;

  constructor(transport: Transport, operation: OperationResource) {
    super(transport, operation.metadata?.fit.name ?? '');
    this.operation = operation;
  }

  /** Polls the state of the operation until it is done, and yields each state. */
  async *progress({ interval = 100 }: Pick<WaitOptions, 'interval'> = {}): AsyncGenerator<OperationResource> {
    for (;;) {
      const operation = await this.transport.json<OperationResource>('GET', this.operation.name);
      yield operation;
      if (operation.done) return;
      await new Promise((resolve) => setTimeout(resolve, interval));
    }
  }

  /** Resolves to the finished fit. Throws `ServerError` if the operation failed or was cancelled. */
  async wait({ interval, onProgress }: WaitOptions = {}): Promise<this> {
    for await (const operation of this.progress(interval === undefined ? {} : { interval })) {
      onProgress?.(operation);
      const failure = failureOf(operation);
      if (failure !== undefined) throw failure;
    }
    return this;
  }

  /** Cancels the operation and discards its results. */
  async cancel(): Promise<OperationResource> {
    return this.transport.json('DELETE', this.operation.name);
  }

  protected override async functionName(): Promise<string> {
    return this.operation.metadata?.function ?? super.functionName();
  }
}

/** The error with which an operation ended. */
function failureOf({ result = {} }: OperationResource): ServerError | undefined {
  const { code, details, message = '', reason, status = '' } = result;
  if (code === undefined) return undefined;
  return new ServerError({ code, status, message, ...(reason && { reason }), ...(details && { details }) });
}

/** Options as a query string; empty without options. */
function queryOf(options: object): string {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`;
}
