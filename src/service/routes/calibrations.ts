import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifySchema } from 'fastify';
import type { Static } from 'typebox';
import type { Services } from '../app.js';
import { type CalibrationResource, CalibrationSchema } from '../calibration-schemas.js';
import { COMPRESSION } from '../compression.js';
import { problems } from '../errors.js';
import { openFit } from '../fits/open-fit.js';
import {
  calibrationBodySchema,
  priorBodySchema,
  readCalibrationRequest,
  readPriorRequest,
} from '../jobs/derived-requests.js';
import type { ReadFitRequest } from '../jobs/fit-request.js';
import { FitParameters, failures, ModelParameters, OperationSchema } from '../schemas.js';
import { validatorCompiler } from '../validation.js';

/** Draws from the prior, and simulation-based calibration. Both are operations that make fits. */
export function calibrationRoutes(server: FastifyInstance, services: Services): void {
  const { operations, requests } = services;
  const api = server.withTypeProvider<TypeBoxTypeProvider>();
  const common = {
    tags: ['fits'],
    params: ModelParameters,
    response: { 201: OperationSchema, ...failures(400, 404, 429, 503) },
  };

  /** Adds a route that starts an operation. The argument tables of samplers define its fields. */
  const addStart = (path: string, schema: FastifySchema, read: (body: unknown) => ReadFitRequest) =>
    api.post<{ Params: Static<typeof ModelParameters> }>(
      `/models/:model_id/${path}`,
      {
        schema: { ...common, ...schema },
        validatorCompiler: (route) =>
          route.httpPart === 'body' ? (value: unknown) => ({ value }) : validatorCompiler(route),
      },
      async (request, reply) => {
        const found = read(request.body);
        if ('details' in found) throw problems.invalidRequest([...found.details]);
        return reply.code(201).send(await operations.start(request.params.model_id, found.request));
      },
    );

  addStart(
    'prior',
    {
      operationId: 'startPrior',
      summary: 'Draw from the prior distribution: the program runs without the statements that condition on data',
      description:
        'Takes the fields of a sampler, by default hmc_nuts_diag_e_adapt. The operation makes a fit of the model.',
      body: priorBodySchema(),
    },
    readPriorRequest,
  );

  addStart(
    'sbc',
    {
      operationId: 'startCalibration',
      summary: 'Simulation-based calibration: fit data that are simulated from the prior, and rank the parameters',
      description: 'The operation makes a fit whose draws are the ranks; GET its sbc for the verdict.',
      body: calibrationBodySchema(),
    },
    readCalibrationRequest,
  );

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
    async (request): Promise<CalibrationResource> => {
      const { fit_id: fitId, model_id: modelId } = request.params;
      const { contents, name, record, release } = await openFit(services, modelId, fitId);
      try {
        if (record.simulations === undefined)
          throw problems.refused('This fit is not one of simulation-based calibration.');
        const job = { kind: 'calibration', path: contents.path } as const;
        const { calibration } = await requests.perform('Testing the ranks', job, 'calibrated');
        const { band, divergentFits, greatestRank, message, ok, places, quantities, simulations } = calibration;
        return {
          ...{ name, ok, text: message, simulations },
          ...{ greatest_rank: greatestRank, divergent_fits: divergentFits, places: [...places], band: [...band] },
          quantities: quantities.map(({ differences, ranks, ...rest }) => ({
            ...rest,
            ranks: [...ranks],
            differences: [...differences],
          })),
        };
      } finally {
        release();
      }
    },
  );
}
