import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { LOG_LIKELIHOOD } from '../../../derive/derived-names.js';
import { simulatedVariables } from '../../../fits/predictions.js';
import { placesOf } from '../../../formats/columns.js';
import { problems } from '../../errors.js';
import { crossValidated } from '../../fits/cross-validation.js';
import { evidenceOf, evidenceResource } from '../../fits/evidence.js';
import { withFit } from '../../fits/open-fit.js';
import {
  checkPredictions,
  leaveOneOut,
  looResource,
  simulationsIn,
  simulationsOfData,
} from '../../fits/predictions.js';
import type { Services } from '../../fits/services.js';
import { withDerived } from '../../fits/with-derived.js';
import { LooBody, PredictiveBody } from '../../schemas/evaluations.js';
import { EvidenceBody, EvidenceSchema } from '../../schemas/evidence.js';
import { FitParameters, ReportQuery } from '../../schemas/fits.js';
import { LooSchema, PredictiveSchema } from '../../schemas/predictions.js';
import { failures } from '../../schemas/shared.js';
import type { Reported } from '../../threads/reports.js';
import { type FitQuery, selectFrom } from '../../threads/selection.js';
import { COMPRESSION } from '../compression.js';
import { dataText } from '../data-text.js';
import { goneFrom } from '../silence.js';

/** Assessments of a model's predictions, from the draws of a fit after warmup. */
export function fitPredictionRoutes(server: FastifyInstance, services: Services): void {
  const { requests } = services;
  const api = server.withTypeProvider<TypeBoxTypeProvider>();
  const common = { tags: ['fits'], params: FitParameters, querystring: ReportQuery };

  /** Runs an action on draws of a fit, which `query` selects. */
  const look = <Result>(
    ids: { readonly model_id: string; readonly fit_id: string },
    query: (columns: readonly string[]) => FitQuery,
    action: (reported: Reported) => Promise<Result>,
  ): Promise<Result> =>
    withFit(services, ids, ({ contents, name, record }) => {
      const selection = selectFrom(contents, query(contents.columns), false);
      return action({ name, contents, selection, stopped: record.stopped });
    });

  api.get(
    '/models/:model_id/fits/:fit_id/loo',
    {
      compress: COMPRESSION,
      schema: {
        ...common,
        operationId: 'crossValidateFit',
        summary: 'Leave-one-out cross-validation from log likelihoods (log_lik)',
        response: { 200: LooSchema, ...failures(400, 404, 503) },
      },
    },
    (request) =>
      look(
        request.params,
        (columns) => {
          const { variables = LOG_LIKELIHOOD } = request.query;
          if (request.query.variables === undefined && placesOf(LOG_LIKELIHOOD, columns).length === 0) {
            throw problems.invalidRequest([{ field: '/variables', message: NO_LOG_LIKELIHOOD }]);
          }
          return { ...request.query, variables };
        },
        async (reported) => looResource(reported, await leaveOneOut(requests, reported, '/variables')),
      ),
  );

  api.post(
    '/models/:model_id/fits/:fit_id/loo',
    {
      compress: COMPRESSION,
      schema: {
        ...common,
        operationId: 'crossValidateFitOnData',
        summary: 'Leave-one-out cross-validation without log_lik: log likelihoods are derived from the program',
        description:
          'If the draws contain log_lik, it is used instead. With `moment_match`, log likelihoods are recomputed, within --request-timeout. With `refits`, they are derived, and the estimates of the refits replace those of the observations that the refits left out.',
        body: LooBody,
        response: { 200: LooSchema, ...failures(400, 404, 503) },
      },
    },
    (request, reply) =>
      look(
        request.params,
        () => request.query,
        async (reported) => {
          const { data, ...options } = request.body ?? {};
          const { params, query } = request;
          const asked = { ...options, data: dataText(data), query, signal: goneFrom(reply) };
          return looResource(reported, await crossValidated(services, params.model_id, reported, asked));
        },
      ),
  );

  api.post(
    '/models/:model_id/fits/:fit_id/evidence',
    {
      compress: COMPRESSION,
      schema: {
        ...common,
        operationId: 'estimateEvidence',
        summary: 'Log evidence (marginal likelihood) by bridge sampling',
        description:
          'Requires draws of a sampler with all parameters. All constants of the density are kept. The density is evaluated four times per draw, within --request-timeout.',
        body: EvidenceBody,
        response: { 200: EvidenceSchema, ...failures(400, 404, 503) },
      },
    },
    (request, reply) =>
      look(
        request.params,
        () => request.query,
        async (reported) => {
          const { data, random_seed: seed = 1 } = request.body ?? {};
          const asked = { data: dataText(data), seed, signal: goneFrom(reply) };
          return evidenceResource(reported.name, await evidenceOf(services, request.params.model_id, reported, asked));
        },
      ),
  );

  api.get(
    '/models/:model_id/fits/:fit_id/predictive',
    {
      compress: COMPRESSION,
      schema: {
        ...common,
        operationId: 'describePredictions',
        summary: 'Simulated data: intervals of observations and statistics of data sets',
        description: 'For the named variables, or for all whose names end in _rep, _sim, _pred, _tilde or _new.',
        response: { 200: PredictiveSchema, ...failures(400, 404, 503) },
      },
    },
    (request) =>
      look(
        request.params,
        (columns) => ({ variables: simulatedVariables(columns).join(','), ...request.query }),
        (reported) => checkPredictions(requests, reported, simulationsIn(reported)),
      ),
  );

  api.post(
    '/models/:model_id/fits/:fit_id/predictive',
    {
      compress: COMPRESSION,
      schema: {
        ...common,
        operationId: 'checkPredictions',
        summary: 'Posterior predictive checks: simulated data compared with the data',
        description:
          'A variable y of the data is compared with y_rep, y_sim, y_pred, y_tilde or y_new of the same shape. If the draws contain none, ' +
          'replicated data are derived from the program and drawn with random_seed.',
        body: PredictiveBody,
        response: { 200: PredictiveSchema, ...failures(400, 404, 503) },
      },
    },
    (request) =>
      look(
        request.params,
        () => request.query,
        async (reported) => {
          const data = dataText(request.body?.data);
          const simulations = await simulationsOfData(requests, reported, data);
          if (simulations.length > 0) return checkPredictions(requests, reported, simulations);
          const isSimulated = simulatedVariables(reported.contents.columns).length > 0;
          if (isSimulated) throw problems.invalidRequest([{ field: '/data', message: NOT_SIMULATED }]);
          const seed = request.body?.random_seed ?? 1;
          const derived = { data, kind: 'replicated', query: request.query, seed } as const;
          return withDerived(services, request.params.model_id, reported, derived, async (each) => {
            const replicated = await simulationsOfData(requests, each, data);
            if (replicated.length === 0) throw problems.invalidRequest([{ field: '/data', message: NOT_SIMULATED }]);
            return checkPredictions(requests, each, replicated);
          });
        },
      ),
  );
}

const NO_LOG_LIKELIHOOD =
  'is required because the fit has no log_lik: name the variable with the log likelihood of each observation, or POST the data to this path to derive it from the program';
const NOT_SIMULATED =
  'has no variable that the fit simulates: a variable y is compared with a variable y_rep of the same shape in the draws';
