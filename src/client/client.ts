import { Fit, StartedFit } from './fit.js';
import { Model } from './model.js';
import { numbersOf, Transport, type TransportOptions, USUAL_PAGE } from './transport.js';
import type {
  ComparisonResource,
  DescriptionResource,
  EvidenceComparisonResource,
  FitToCompare,
  FunctionResource,
  ModelResource,
  OperationResource,
  Variables,
} from './types.js';

/** A server. Uses only `fetch`, so it runs in browsers and Node. */
export class Client {
  private readonly transport: Transport;

  /** `address`: the server's address, such as `http://127.0.0.1:8080`. */
  constructor(address: string, options: TransportOptions = {}) {
    this.transport = new Transport(address, options);
  }

  /** Compiles a program, unless the server has compiled it before. Throws `ServerError` with the compiler's text for an invalid program. */
  async compile(
    program_code: string,
    options: { readonly includes?: Readonly<Record<string, string>> } = {},
  ): Promise<Model> {
    const { name } = await this.transport.json<ModelResource>('POST', 'models', { program_code, ...options });
    return new Model(this.transport, name);
  }

  /** A model that was compiled earlier, by its name. */
  model(name: string): Model {
    return new Model(this.transport, name);
  }

  /** An existing fit, by its name. */
  fit(name: string): Fit {
    return new Fit(this.transport, name);
  }

  async models(): Promise<ModelResource[]> {
    return (await this.transport.json<{ models: ModelResource[] }>('GET', 'models')).models;
  }

  /** Errors, warnings, contents and formatted source of a program. Does not compile it. */
  stanc(
    program_code: string,
    options: {
      readonly includes?: Readonly<Record<string, string>>;
      readonly pedantic?: boolean;
      readonly explain?: boolean;
    } = {},
  ): Promise<DescriptionResource> {
    return this.transport.json('POST', 'stanc', { program_code, ...options });
  }

  /** The functions of the services namespace with their arguments. */
  async functions(): Promise<FunctionResource[]> {
    return (await this.transport.json<{ functions: FunctionResource[] }>('GET', 'functions')).functions;
  }

  /**
   * Compares the predictions of the same observations by several fits, the best first. `data` are the data of fits for
   * which no data are given. Throws `ServerError` for fits of different observations.
   */
  async compare(
    fits: readonly FitToCompare[],
    options: { readonly data?: Variables } = {},
  ): Promise<ComparisonResource> {
    const found = await this.transport.json<ComparisonResource>('POST', 'compare', { fits, ...options });
    return {
      ...found,
      models: found.models.map((model) => {
        const { mcse_elpd_loo, p_worse, se_diff, se_elpd_loo, se_looic, se_p_loo } = model;
        return { ...model, ...numbersOf({ mcse_elpd_loo, p_worse, se_diff, se_elpd_loo, se_looic, se_p_loo }) };
      }),
    };
  }

  /**
   * Bayes factors and probabilities of models, the one with the greatest evidence first. `data` are the data of fits
   * for which no data are given. Throws `ServerError` for fits of different outcomes.
   */
  compareEvidence(
    fits: readonly { readonly name: string; readonly data?: Variables; readonly prior?: number }[],
    options: { readonly data?: Variables; readonly random_seed?: number } = {},
  ): Promise<EvidenceComparisonResource> {
    return this.transport.json('POST', 'compare/evidence', { fits, ...options });
  }

  async operations(): Promise<OperationResource[]> {
    return (await this.transport.json<{ operations: OperationResource[] }>('GET', 'operations')).operations;
  }

  /** Like `models`, fetched one page at a time. */
  eachModel(pageSize = USUAL_PAGE): AsyncGenerator<ModelResource> {
    return this.transport.each('models', 'models', pageSize);
  }

  /** Like `operations`, fetched one page at a time. */
  eachOperation(pageSize = USUAL_PAGE): AsyncGenerator<OperationResource> {
    return this.transport.each('operations', 'operations', pageSize);
  }

  operation(name: string): Promise<OperationResource> {
    return this.transport.json('GET', name);
  }

  /** A fit that was started earlier, by the name of its operation. */
  async startedFit(operation: string): Promise<StartedFit> {
    return new StartedFit(this.transport, await this.operation(operation));
  }

  /** Cancels an unfinished operation, or deletes a finished one. Resolves to its last state. */
  cancel(name: string): Promise<OperationResource> {
    return this.transport.json('DELETE', name);
  }

  health(): Promise<{ readonly status: string; readonly version: string }> {
    return this.transport.json('GET', 'health');
  }
}
