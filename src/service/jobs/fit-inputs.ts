import type { CompiledModel } from '../../run/model-host.js';
import { type ErrorDetail, problems } from '../errors.js';
import type { HeldFit, Store } from '../store/store.js';
import { type FitRequest, fitNameOf, type InputTexts, parseFitName } from './fit-request.js';
import type { InputSource, InputSources } from './protocol.js';
import type { Requests } from './requests.js';

/** Inputs whose fits stay until they are released. */
export interface OpenSources {
  readonly sources: InputSources;
  readonly release: () => void;
}

/** Inputs of fits as the main thread handles them: names become files, and a worker looks at what is inside. */
export class FitInputs {
  private readonly store: Store;
  private readonly requests: Requests;

  constructor(store: Store, requests: Requests) {
    this.store = store;
    this.requests = requests;
  }

  /** Where the inputs come from. Throws for names of fits that are not finished or not there, all of them. */
  async open(
    texts: InputTexts,
    isMaking: (modelId: string, fitId: string) => Promise<boolean> = async () => false,
  ): Promise<OpenSources> {
    const details: ErrorDetail[] = [];
    const sources: [string, InputSource][] = [];
    const fits: HeldFit[] = [];
    const release = () => {
      for (const fit of fits) fit.release();
    };
    try {
      for (const [input, text] of Object.entries(texts)) {
        const name = fitNameOf(text);
        const { modelId, fitId } = parseFitName(name ?? '') ?? { modelId: '', fitId: '' };
        const fit = name === undefined ? undefined : await this.store.fits.open(modelId, fitId);
        if (name === undefined) {
          sources.push([input, { kind: 'values', text }]);
        } else if (fit === undefined) {
          const reason = (await isMaking(modelId, fitId)) ? 'is not finished' : 'is not there';
          details.push({ field: `/${input}`, message: `names the fit ${name}, which ${reason}` });
        } else {
          fits.push(fit);
          sources.push([input, { kind: 'fit', name, path: fit.path }]);
        }
      }
      if (details.length > 0) throw problems.invalidRequest(details);
      return { sources: Object.fromEntries(sources), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /**
   * Has a worker compare what a request gives with what its model has, if there is anything to compare. Returns the ids of
   * the chains to run: generated quantities have the chains of the draws. Throws for inputs that do not fit the model.
   */
  async check(model: CompiledModel, request: FitRequest, sources: InputSources): Promise<readonly number[]> {
    const { chains, data, function: algorithm, save } = request;
    const values = Object.entries(sources).filter(([input, { kind }]) => input === 'init' && kind === 'values');
    if (save === undefined && Object.keys(sources).length === values.length) return chains;
    const job = {
      kind: 'inputs',
      model,
      data,
      algorithm,
      inputs: sources,
      checksData: false,
      ...(save !== undefined && { save }),
    } as const;
    const result = await this.requests.perform('Reading the inputs', job, 'inputs');
    if (result.problems.length > 0) throw problems.invalidRequest(result.problems);
    if (sources.fitted_params === undefined && sources.continue === undefined) return chains;
    return Array.from({ length: result.chains }, (_, index) => chains[0] + index);
  }
}
