import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { problems } from '../../errors.js';
import { withFit } from '../../fits/open-fit.js';
import type { Services } from '../../fits/services.js';
import {
  calibrationBodySchema,
  priorBodySchema,
  readCalibrationRequest,
  readPriorRequest,
} from '../../operations/derived-requests.js';
import { type CalibrationResource, CalibrationSchema } from '../../schemas/calibrations.js';
import { FitParameters } from '../../schemas/fits.js';
import { failures } from '../../schemas/shared.js';
import { COMPRESSION } from '../compression.js';
import { addStartRoute } from './starting-fits.js';

/** Draws from the prior, and simulation-based calibration. Both are operations whose results are fits. */
export function calibrationRoutes(server: FastifyInstance, services: Services): void {
  addStartRoute(
    server,
    services,
    'prior',
    {
      operationId: 'startPrior',
      summary: 'Draw from the prior distribution: the program runs without the statements that condition on data',
      description: 'Takes the fields of a sampler, by default hmc_nuts_diag_e_adapt. The result is a fit of the model.',
      body: priorBodySchema(),
    },
    readPriorRequest,
  );

  addStartRoute(
    server,
    services,
    'sbc',
    {
      operationId: 'startCalibration',
      summary: 'Simulation-based calibration: fit data that are simulated from the prior, and rank the parameters',
      description:
        'The result is a fit whose draws are the ranks. GET /v1/models/{model_id}/fits/{fit_id}/sbc returns the verdict.',
      body: calibrationBodySchema(),
    },
    readCalibrationRequest,
  );

  const { requests } = services;
  const api = server.withTypeProvider<TypeBoxTypeProvider>();
  api.get(
    '/models/:model_id/fits/:fit_id/sbc',
    {
      compress: COMPRESSION,
      schema: {
        tags: ['fits'],
        params: FitParameters,
        operationId: 'getCalibration',
        summary: 'The result of simulation-based calibration: ranks, their test of uniformity, and the verdict',
        response: { 200: CalibrationSchema, ...failures(400, 404, 503) },
      },
    },
    (request): Promise<CalibrationResource> =>
      withFit(services, request.params, async ({ contents, name, record }) => {
        if (record.simulations === undefined)
          throw problems.refused('This fit is not a result of simulation-based calibration.');
        const job = { kind: 'calibration', path: contents.path } as const;
        const { calibration } = await requests.perform('Testing the ranks', job, 'calibrated');
        const { band, divergentFits, greatestRank, message, ok, places, quantities, simulations, statements } =
          calibration;
        return {
          name,
          ok,
          text: message,
          statements: [...statements],
          simulations,
          greatest_rank: greatestRank,
          divergent_fits: divergentFits,
          places: [...places],
          band: [...band],
          quantities: quantities.map(({ differences, ranks, ...rest }) => ({
            ...rest,
            ranks: [...ranks],
            differences: [...differences],
          })),
        };
      }),
  );
}
