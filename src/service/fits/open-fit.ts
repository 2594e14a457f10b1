import type { Services } from '../app.js';
import { problems } from '../errors.js';
import { type OperationRecord, readRecord } from '../jobs/operation-record.js';
import type { FitResource } from '../schemas.js';
import { fitNameIn, modelName } from '../store/ledger.js';
import type { Store } from '../store/store.js';
import type { FitContents } from './reading.js';

/** A finished fit that stays until it is released. */
export interface OpenFit {
  readonly name: string;
  readonly contents: FitContents;
  /** What it was asked for. */
  readonly record: OperationRecord;
  readonly release: () => void;
}

/** Throws when there is no such fit, or it is not finished. */
export async function openFit(
  { store, operations, requests }: Pick<Services, 'store' | 'operations' | 'requests'>,
  modelId: string,
  fitId: string,
): Promise<OpenFit> {
  const name = fitNameIn(modelId, fitId);
  const release = store.ledger.hold(name);
  try {
    const path = await store.findFit(modelId, fitId);
    const text = await store.readFitRecord(modelId, fitId);
    const record = text === undefined ? undefined : readRecord(text);
    if (path === undefined || record === undefined) {
      throw operations.isMaking(modelId, fitId)
        ? problems.fitNotFinished(modelId, fitId)
        : problems.fitNotFound(modelId, fitId);
    }
    const { contents } = await requests.perform('Reading the fit', { kind: 'contents', path }, 'contents');
    return { name, contents, record, release };
  } catch (error) {
    release();
    throw error;
  }
}

/** The finished fits of a model, the latest first. Throws when there is no such model. */
export async function listFits(store: Store, modelId: string): Promise<FitResource[]> {
  if ((await store.readModelResource(modelId)) === undefined) throw problems.modelNotFound(modelId);
  const fits: FitResource[] = [];
  for (const fitId of await store.fitIds(modelId)) {
    const text = await store.readFitRecord(modelId, fitId);
    const record = text === undefined ? undefined : readRecord(text);
    if (record !== undefined) fits.push(fitResource(record, store.ledger.get(fitNameIn(modelId, fitId))?.bytes ?? 0));
  }
  return fits.sort((a, b) => (a.created < b.created ? 1 : -1));
}

function fitResource(record: OperationRecord, bytes: number): FitResource {
  const { created, ended, id, modelId, seed } = record;
  return {
    name: `${modelName(modelId)}/fits/${id}`,
    function: record.function,
    arguments: { ...record.arguments, ...(record.save && { save: record.save }) },
    random_seed: seed,
    chains: record.chains.map(({ chain }) => chain),
    created,
    ...(ended !== undefined && { ended }),
    bytes,
  };
}
