import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { compareFinished } from '../../fits/comparisons.js';
import { compareEvidences } from '../../fits/evidence.js';
import type { Services } from '../../fits/services.js';
import { ComparisonBody, ComparisonSchema } from '../../schemas/comparisons.js';
import { EvidenceComparisonBody, EvidenceComparisonSchema } from '../../schemas/evidence.js';
import { failures } from '../../schemas/shared.js';
import { COMPRESSION } from '../compression.js';
import { dataText } from '../data-text.js';
import { goneFrom } from '../silence.js';

/** Comparison of fits, of one model or of several. */
export function comparisonRoutes(server: FastifyInstance, services: Services): void {
  const api = server.withTypeProvider<TypeBoxTypeProvider>();
  api.post(
    '/compare',
    {
      compress: COMPRESSION,
      schema: {
        tags: ['fits'],
        operationId: 'compareFits',
        summary: 'Compare how well fits predict the same observations, by leave-one-out cross-validation',
        description:
          'Each fit is cross-validated as by POST /v1/models/{model_id}/fits/{fit_id}/loo, from log_lik or from log likelihoods that are derived from its program. Fits of different observations are rejected.',
        body: ComparisonBody,
        response: { 200: ComparisonSchema, ...failures(400, 404, 503) },
      },
    },
    async (request, reply) => {
      const { data: shared, fits } = request.body;
      const signal = goneFrom(reply);
      return compareFinished(
        services,
        fits.map(({ data = shared, ...fit }, index) => ({ ...fit, data: dataText(data, `/fits/${index}/data`) })),
        signal,
      );
    },
  );

  api.post(
    '/compare/evidence',
    {
      compress: COMPRESSION,
      schema: {
        tags: ['fits'],
        operationId: 'compareEvidences',
        summary: 'Bayes factors and probabilities of models, from the log evidences of fits',
        description:
          'The log evidence of each fit is estimated as by POST /v1/models/{model_id}/fits/{fit_id}/evidence. Fits of different outcomes are rejected.',
        body: EvidenceComparisonBody,
        response: { 200: EvidenceComparisonSchema, ...failures(400, 404, 503) },
      },
    },
    async (request, reply) => {
      const { data: shared, fits, random_seed: seed = 1 } = request.body;
      const named = fits.map(({ data = shared, ...fit }, index) => ({
        ...fit,
        data: dataText(data, `/fits/${index}/data`),
      }));
      return compareEvidences(services, named, seed, goneFrom(reply));
    },
  );
}
