import { leapfrogModels } from '../run/leapfrog-models.js';
import type { CompiledModel } from '../run/model-host.js';
import type { RunRequest } from '../run/request.js';
import { type Variables, variablesText } from '../run/variables.js';
import { RequestError, RunError } from './errors.js';
import { LIMITS } from './limits.js';
import { Posterior } from './posterior.js';
import { type ReadRequest, type RunFields, type RunFunctionFields, readRequest } from './requests.js';
import { type Prepared, Run } from './run.js';
import type { Threads } from './threads.js';

export interface RunOptions {
  /** Ends the run when it is aborted. */
  readonly signal?: AbortSignal;
}

/** A compiled program. */
export class Model {
  /** What the compiler warned of, as text; '' where it did not. */
  readonly warnings: string;
  private readonly threads: Threads;
  private readonly compiled: CompiledModel;

  constructor(threads: Threads, compiled: CompiledModel, warnings: string) {
    this.threads = threads;
    this.compiled = compiled;
    this.warnings = warnings;
  }

  /**
   * The model on data: its log density, gradient, names and transforms, computed by the thread that calls. Rejects with `RunError`
   * where the data do not fit their declarations. `seed` is that of random numbers in transformed data.
   */
  async on(data: Variables | string = {}, { seed = 0 }: { readonly seed?: number } = {}): Promise<Posterior> {
    const host = leapfrogModels(await this.threads.linearKernel());
    const text = typeof data === 'string' ? data : variablesText(data);
    return Posterior.open(host, this.compiled, text, seed, LIMITS);
  }

  /** Runs a function of the services namespace, named in full or in short. */
  run(request: RunFunctionFields, { signal }: RunOptions = {}): Run {
    return new Run(this.threads, () => this.prepare(request, signal), signal);
  }

  /** Draws from the posterior by Hamiltonian Monte Carlo with the No-U-Turn sampler and an adapted diagonal metric. */
  sample(fields: RunFields = {}, options: RunOptions = {}): Run {
    return this.run({ ...fields, function: 'hmc_nuts_diag_e_adapt' }, options);
  }

  /** Finds a mode of the posterior with L-BFGS. */
  optimize(fields: RunFields = {}, options: RunOptions = {}): Run {
    return this.run({ ...fields, function: 'lbfgs' }, options);
  }

  private async prepare(fields: RunFunctionFields, signal: AbortSignal | undefined): Promise<Prepared> {
    const request = readRequest(fields);
    const count = (await this.checkInputs(request, signal)) ?? request.chains;
    const { arguments: settings, data, firstChain, functionName, inputs, save, seed } = request;
    const chains = Array.from({ length: count }, (_, index) => {
      const chain = firstChain + index;
      const common = { model: this.compiled, data, inputs, arguments: { ...settings, chain }, seed, chain, index };
      return save === undefined ? common : { ...common, save };
    });
    return { asked: { function: functionName, arguments: settings, random_seed: seed }, chains };
  }

  /** Throws for inputs that do not belong to the model; gives how many chains there are of draws that are given. */
  private async checkInputs(request: ReadRequest, signal: AbortSignal | undefined): Promise<number | undefined> {
    const { data, functionName, inputs, save } = request;
    const checked: Pick<RunRequest, 'save'> = save === undefined ? {} : { save };
    const result = await this.threads.perform(
      'runner',
      { kind: 'check inputs', functionName, model: this.compiled, data, inputs, checksData: true, ...checked },
      { signal },
    );
    if (result.kind !== 'checked') throw new Error(`a thread answered ${result.kind}`);
    const { check } = result;
    if (check.kind === 'refused') throw new RunError(check.message);
    if (check.kind === 'shortage') throw new Error('a model was refused memory');
    if (check.problems.length > 0) {
      throw new RequestError(check.problems.map(({ field, message }) => ({ field: field.slice(1), message })));
    }
    return inputs.fitted_params === undefined ? undefined : check.chains;
  }
}
