import type { FitContents } from '../../fit-files/contents.js';
import { problems } from '../errors.js';
import { fitNameIn } from '../store/ledger.js';
import { type OperationRecord, readRecord } from '../store/operation-record.js';
import type { HeldFit } from '../store/store.js';
import type { Services } from './services.js';

/** A finished fit that exists until it is released. */
export interface OpenFit {
  readonly name: string;
  readonly contents: FitContents;
  /** The request. */
  readonly record: OperationRecord;
  readonly release: () => void;
}

/** Throws if the fit does not exist for the client or is not finished. */
export async function openFit(
  { store, operations, owners, requests }: Pick<Services, 'store' | 'operations' | 'owners' | 'requests'>,
  modelId: string,
  fitId: string,
): Promise<OpenFit> {
  if (!owners.sees(fitId)) throw problems.fitNotFound(modelId, fitId);
  const name = fitNameIn(modelId, fitId);
  const free = store.hold(name);
  let fit: HeldFit | undefined;
  const release = () => {
    fit?.release();
    free();
  };
  try {
    fit = await store.fits.open(modelId, fitId);
    const text = await store.fits.readRecord(modelId, fitId);
    const record = text === undefined ? undefined : readRecord(text);
    if (fit === undefined || record === undefined) {
      throw (await operations.isMaking(modelId, fitId))
        ? problems.fitNotFinished(modelId, fitId)
        : problems.fitNotFound(modelId, fitId);
    }
    const { path } = fit;
    const { contents } = await requests.perform('Reading the fit', { kind: 'contents', path }, 'contents');
    return { name, contents, record, release };
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * Runs an action on a finished fit and protects the fit from eviction until the action ends. Throws if the fit does not
 * exist or is not finished.
 */
export async function withFit<Result>(
  services: Pick<Services, 'store' | 'operations' | 'owners' | 'requests'>,
  { fit_id: fitId, model_id: modelId }: { readonly model_id: string; readonly fit_id: string },
  action: (fit: Omit<OpenFit, 'release'>) => Promise<Result>,
): Promise<Result> {
  const { release, ...fit } = await openFit(services, modelId, fitId);
  try {
    return await action(fit);
  } finally {
    release();
  }
}
