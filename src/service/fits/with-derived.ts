import { randomUUID } from 'node:crypto';
import type { DerivedKind } from '../../derive/derived-names.js';
import { problems } from '../errors.js';
import { asErrorDetail } from '../operations/models.js';
import type { Reported } from '../threads/reports.js';
import { type FitQuery, selectFrom } from '../threads/selection.js';
import { deriveDraws } from './derived-draws.js';
import type { Services } from './services.js';

interface Derived {
  readonly kind: DerivedKind;
  /** JSON text. */
  readonly data: string;
  readonly seed: number;
  /** Selects draws. */
  readonly query: FitQuery;
}

/**
 * Runs an action on quantities that are derived from a model's program for the draws of a fit. They exist until the
 * action ends.
 */
export async function withDerived<Result>(
  { models, requests, store }: Pick<Services, 'models' | 'requests' | 'store'>,
  modelId: string,
  { contents, name, stopped }: Reported,
  { data, kind, query, seed }: Derived,
  action: (reported: Reported) => Promise<Result>,
): Promise<Result> {
  const source = await models.source(modelId);
  if (source === undefined) throw problems.modelNotFound(modelId);
  const folder = store.fits.choose(modelId, randomUUID());
  try {
    await store.fits.create(
      folder,
      contents.chains.map(({ id }) => id),
    );
    const perform = requests.perform.bind(requests);
    const derived = await deriveDraws(perform, { kind, source, data, name, contents, seed, folder });
    if ('kind' in derived) throw problems.notCompiled(derived.text, derived.diagnostics.map(asErrorDetail));
    const selection = selectFrom(derived, query, false);
    return await action({ name, contents: derived, selection, stopped });
  } finally {
    await store.fits.discard(folder);
  }
}
