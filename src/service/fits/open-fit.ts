import type { Services } from '../app.js';
import { problems } from '../errors.js';
import { type OperationRecord, readRecord } from '../jobs/operation-record.js';
import { type Listed, listed } from '../listing.js';
import type { FitResource } from '../schemas.js';
import { DamagedFile, ifDamaged } from '../store/checksums.js';
import { forEachFile } from '../store/files.js';
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
  const fit = store.openFit(modelId, fitId);
  try {
    const text = await store.readFitRecord(modelId, fitId);
    const record = text === undefined ? undefined : readRecord(text);
    if (fit === undefined || record === undefined) {
      throw operations.isMaking(modelId, fitId)
        ? problems.fitNotFinished(modelId, fitId)
        : problems.fitNotFound(modelId, fitId);
    }
    const { path, release } = fit;
    const { contents } = await requests.perform('Reading the fit', { kind: 'contents', path }, 'contents');
    return { name: fitNameIn(modelId, fitId), contents, record, release };
  } catch (error) {
    fit?.release();
    throw error;
  }
}

/** The finished fits of a model, the latest first. Throws when there is no such model. */
export async function listFits(store: Store, modelId: string): Promise<Listed<FitResource>> {
  if (!store.hasModel(modelId)) throw problems.modelNotFound(modelId);
  const found = await forEachFile(store.ledger.fitsOf(modelId), async ({ bytes, fit }) => {
    const text = await ifDamaged(store.readFitRecord(modelId, fit?.id ?? ''), (damage) => damage);
    if (text === undefined || text instanceof DamagedFile) return text;
    const record = readRecord(text);
    return record && fitResource(record, bytes);
  });
  const { resources, damaged } = listed(found);
  return { resources: resources.sort((a, b) => (a.created < b.created ? 1 : -1)), damaged };
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
