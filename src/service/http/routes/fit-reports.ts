import type { Readable } from 'node:stream';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { openFit, withFit } from '../../fits/open-fit.js';
import type { Services } from '../../fits/services.js';
import { DiagnosisSchema, FitParameters, ReportQuery, SummarySchema } from '../../schemas/fits.js';
import { failures } from '../../schemas/shared.js';
import { FitReports } from '../../threads/reports.js';
import { selectFrom } from '../../threads/selection.js';
import { COMPRESSION } from '../compression.js';
import { nonFiniteStyle } from '../non-finite.js';

/** Reports on the draws of a fit, without warmup. */
export function fitReportRoutes(server: FastifyInstance, services: Services): void {
  const api = server.withTypeProvider<TypeBoxTypeProvider>();
  const reports = new FitReports(services.requests);
  const common = { tags: ['fits'], params: FitParameters, querystring: ReportQuery };

  api.get(
    '/models/:model_id/fits/:fit_id/summary',
    {
      compress: COMPRESSION,
      schema: {
        ...common,
        operationId: 'summarizeFit',
        summary: 'Means, quantiles, Monte Carlo errors, effective sample sizes and R-hat',
        response: { 200: Type.Unsafe<Readable>(SummarySchema), ...failures(400, 404, 503) },
      },
    },
    async (request, reply) => {
      const { model_id: modelId, fit_id: fitId } = request.params;
      const { contents, name, record, release } = await openFit(services, modelId, fitId);
      try {
        const selection = selectFrom(contents, request.query, false);
        const style = nonFiniteStyle(request.query, services.nonFinite);
        return reply
          .code(200)
          .send(reports.summary({ name, contents, selection, stopped: record.stopped }, style, release));
      } catch (error) {
        release();
        throw error;
      }
    },
  );

  api.get(
    '/models/:model_id/fits/:fit_id/diagnose',
    {
      schema: {
        ...common,
        operationId: 'diagnoseFit',
        summary: 'Whether the draws are reliable, and what to do if not',
        response: { 200: DiagnosisSchema, ...failures(400, 404, 503) },
      },
    },
    (request) =>
      withFit(services, request.params, ({ contents, name, record }) => {
        const selection = selectFrom(contents, request.query, false);
        const depth = record.arguments.max_depth;
        const run = { function: record.function, maximumDepth: typeof depth === 'number' ? depth : undefined };
        return reports.diagnose({ name, contents, selection, stopped: record.stopped }, run);
      }),
  );
}
