import type { Refits } from '../../studies/refit-results.js';
import { problems } from '../errors.js';
import { withFit } from './open-fit.js';
import type { Services } from './services.js';

/** The result of cross-validation with refits. Throws for any other fit. */
export function refitsOfFit(
  services: Services,
  ids: { readonly model_id: string; readonly fit_id: string },
): Promise<{ readonly name: string; readonly refits: Refits }> {
  return withFit(services, ids, async ({ contents, name, record }) => {
    if (record.refits === undefined)
      throw problems.refused('This fit is not a result of cross-validation with refits.');
    const job = { kind: 'refits', path: contents.path } as const;
    const { refits } = await services.requests.perform('Concluding the refits', job, 'refitted');
    return { name, refits };
  });
}
