import type { Refits } from '../../run/refit-results.js';
import type { Services } from '../app.js';
import { problems } from '../errors.js';
import { openFit } from './open-fit.js';

/** The result of cross-validation with refits. Throws for other fits. */
export async function refitsOfFit(
  services: Services,
  modelId: string,
  fitId: string,
): Promise<{ readonly name: string; readonly refits: Refits }> {
  const { contents, name, record, release } = await openFit(services, modelId, fitId);
  try {
    if (record.refits === undefined) throw problems.refused('This fit is not one of cross-validation with refits.');
    const job = { kind: 'refits', path: contents.path } as const;
    const { refits } = await services.requests.perform('Concluding the refits', job, 'refitted');
    return { name, refits };
  } finally {
    release();
  }
}
