import type { Readable } from 'node:stream';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { NonFinite } from '../../messages/numbers.js';
import { nonFiniteStyle, type Services } from '../app.js';
import { problems } from '../errors.js';
import { followFit, streamFit } from '../fit-stream.js';
import { fitBodySchema, readFitRequest } from '../jobs/fit-request.js';
import { FitParameters, FitQuery, failures, ModelParameters, OperationSchema } from '../schemas.js';
import { validatorCompiler } from '../validation.js';

export function fitRoutes(server: FastifyInstance, { store, operations, nonFinite }: Services): void {
  const api = server.withTypeProvider<TypeBoxTypeProvider>();
  const tags = ['fits'];

  async function open(
    modelId: string,
    fitId: string,
    style: NonFinite,
    follow: boolean,
  ): Promise<Readable | undefined> {
    if (follow && operations.isMaking(modelId, fitId)) {
      const isMade = () => !operations.isMaking(modelId, fitId);
      const growing = await followFit(store.partialFitPath(fitId), style, isMade);
      if (growing !== undefined) return growing;
    }
    const path = await store.findFit(modelId, fitId);
    return path === undefined ? undefined : streamFit(path, style);
  }

  api.post(
    '/models/:model_id/fits',
    {
      schema: {
        summary: 'Start a function of the services namespace, such as the sampler',
        tags,
        params: ModelParameters,
        body: fitBodySchema(),
        response: { 201: OperationSchema, ...failures(400, 404) },
      },
      // What a function takes depends on the function: its own argument table says it, and made the schema above.
      validatorCompiler: (route) =>
        route.httpPart === 'body' ? (value: unknown) => ({ value }) : validatorCompiler(route),
    },
    async (request, reply) => {
      const read = readFitRequest(request.body);
      if ('details' in read) throw problems.invalidRequest(read.details);
      return reply.code(201).send(await operations.start(request.params.model_id, read.request));
    },
  );

  api.get(
    '/models/:model_id/fits/:fit_id',
    {
      schema: {
        summary: 'Messages of a fit, one JSON object a line',
        tags,
        params: FitParameters,
        querystring: FitQuery,
        produces: ['text/plain', 'application/x-ndjson'],
        response: { 200: Type.Unsafe<Readable>(Type.String()), ...failures(404) },
      },
    },
    async (request, reply) => {
      const { model_id: modelId, fit_id: fitId } = request.params;
      const style = nonFiniteStyle(request.query, nonFinite);
      const messages = await open(modelId, fitId, style, request.query.follow === 'true');
      if (messages === undefined) {
        throw operations.isMaking(modelId, fitId)
          ? problems.fitNotFinished(modelId, fitId)
          : problems.fitNotFound(modelId, fitId);
      }
      const wanted = request.headers.accept?.includes('application/x-ndjson') ?? false;
      reply.type(wanted ? 'application/x-ndjson' : 'text/plain; charset=utf-8');
      return reply.code(200).send(messages);
    },
  );

  api.delete(
    '/models/:model_id/fits/:fit_id',
    {
      schema: {
        summary: 'Delete a fit, or cancel the operation that makes it',
        tags,
        params: FitParameters,
        response: { 200: Type.Object({}), ...failures(404) },
      },
    },
    async (request) => {
      const { model_id: modelId, fit_id: fitId } = request.params;
      const cancelled = await operations.cancelFit(modelId, fitId);
      const removed = await store.removeFit(modelId, fitId);
      if (!cancelled && !removed) throw problems.fitNotFound(modelId, fitId);
      return {};
    },
  );
}
