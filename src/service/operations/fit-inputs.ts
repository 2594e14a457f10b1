import { type CompiledModel, declaredOutputs } from '../../chain/model-host.js';
import { dataHoldingNone } from '../../studies/held-out.js';
import { type ErrorDetail, problems } from '../errors.js';
import { fitNameOf } from '../store/operation-resource.js';
import type { HeldFit, Store } from '../store/store.js';
import type { InputSource, InputSources } from '../threads/protocol.js';
import type { Requests } from '../threads/requests.js';
import { type FitRequest, type InputTexts, parseFitName } from './fit-request.js';

/** Inputs whose fits are protected until they are released. */
export interface OpenSources {
  readonly sources: InputSources;
  readonly release: () => void;
}

/** Inputs of fits, in the main thread. Resolves names to files, whose contents a worker checks. */
export class FitInputs {
  private readonly store: Store;
  private readonly requests: Requests;

  constructor(store: Store, requests: Requests) {
    this.store = store;
    this.requests = requests;
  }

  /**
   * Opens the inputs. Throws an error that lists all fits that do not exist or are not finished. Fits that `sees` rejects
   * count as missing.
   */
  async open(
    texts: InputTexts,
    isMaking: (modelId: string, fitId: string) => Promise<boolean> = async () => false,
    sees: (fitId: string) => boolean = () => true,
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
        const isSeen = sees(fitId);
        const fit = name === undefined || !isSeen ? undefined : await this.store.fits.open(modelId, fitId);
        if (name === undefined) {
          sources.push([input, { kind: 'values', text }]);
        } else if (fit === undefined) {
          const reason = isSeen && (await isMaking(modelId, fitId)) ? 'is not finished' : 'does not exist';
          details.push({ field: `/${input}`, message: `names the fit ${name}, which ${reason}` });
        } else {
          fits.push(fit);
          // Throws if the record is damaged.
          await this.store.fits.readRecord(modelId, fitId);
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
   * Checks the inputs of a request, and the names of variables in it, if any, with its model in a worker. Returns the ids of the chains to run: for
   * generated quantities, those of the draws. Throws if the inputs do not match the model.
   */
  async check(model: CompiledModel, request: FitRequest, sources: InputSources): Promise<readonly number[]> {
    const { chains, data, function: algorithm, save, until: { quantities } = {} } = request;
    const values = Object.entries(sources).filter(([input, { kind }]) => input === 'init' && kind === 'values');
    const hasNames = save !== undefined || quantities !== undefined;
    if (!hasNames && Object.keys(sources).length === values.length) return chains;
    const job = {
      kind: 'inputs',
      model,
      data: request.refits === undefined ? data : dataHoldingNone(data, declaredOutputs(model.artifact)),
      algorithm,
      inputs: sources,
      checksData: false,
      ...(save && { save }),
      ...(quantities && { quantities }),
    } as const;
    const result = await this.requests.perform('Reading the inputs', job, 'inputs');
    if (result.problems.length > 0) throw problems.invalidRequest(result.problems);
    if (sources.fitted_params === undefined && sources.continue === undefined) return chains;
    return Array.from({ length: result.chains }, (_, index) => chains[0] + index);
  }
}
