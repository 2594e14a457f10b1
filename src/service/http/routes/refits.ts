import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { withDots } from '../../../formats/columns.js';
import { refitsOfFit } from '../../fits/refits.js';
import type { Services } from '../../fits/services.js';
import { readRefitRequest, refitBodySchema } from '../../operations/derived-requests.js';
import { FitParameters } from '../../schemas/fits.js';
import { type RefitsResource, RefitsSchema } from '../../schemas/refits.js';
import { failures } from '../../schemas/shared.js';
import { COMPRESSION } from '../compression.js';
import { addStartRoute } from './starting-fits.js';

/** Cross-validation with refits: an operation whose result is a fit. */
export function refitRoutes(server: FastifyInstance, services: Services): void {
  addStartRoute(
    server,
    services,
    'kfold',
    {
      operationId: 'startRefits',
      summary: 'K-fold cross-validation: fit the program without each group of observations, and predict that group',
      description:
        'The result is a fit whose draws are the estimates. GET /v1/models/{model_id}/fits/{fit_id}/kfold returns the result.',
      body: refitBodySchema(),
    },
    readRefitRequest,
  );

  const api = server.withTypeProvider<TypeBoxTypeProvider>();
  api.get(
    '/models/:model_id/fits/:fit_id/kfold',
    {
      compress: COMPRESSION,
      schema: {
        tags: ['fits'],
        params: FitParameters,
        operationId: 'getRefits',
        summary: 'The result of cross-validation with refits: estimates for each observation, and the verdict',
        response: { 200: RefitsSchema, ...failures(400, 404, 503) },
      },
    },
    async (request): Promise<RefitsResource> => {
      const { name, refits: found } = await refitsOfFit(services, request.params);
      const { elpd, kfoldic, mcse, message, observations, ok, refits, statements } = found;
      return {
        name,
        elpd_kfold: elpd.estimate,
        se_elpd_kfold: elpd.standardError,
        mcse_elpd_kfold: mcse,
        kfoldic: kfoldic.estimate,
        se_kfoldic: kfoldic.standardError,
        ok,
        text: message,
        statements: [...statements],
        observations: observations.map((each) => ({
          name: withDots(each.name),
          fold: each.fold,
          elpd_kfold: each.elpd,
          mcse_elpd_kfold: each.mcse,
        })),
        refits: [...refits],
      };
    },
  );
}
