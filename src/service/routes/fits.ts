import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { type NonFinite, restyleNonFinite } from '../../messages/numbers.js';
import { nonFiniteStyle, type Services } from '../app.js';
import { problems } from '../errors.js';
import { fitBodySchema, readFitRequest } from '../jobs/fit-request.js';
import { FitParameters, failures, ModelParameters, NumbersQuery, OperationSchema } from '../schemas.js';
import { validatorCompiler } from '../validation.js';

export function fitRoutes(server: FastifyInstance, { store, operations, nonFinite }: Services): void {
  const api = server.withTypeProvider<TypeBoxTypeProvider>();
  const tags = ['fits'];

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
        querystring: NumbersQuery,
        produces: ['text/plain', 'application/x-ndjson'],
        response: { 200: Type.Unsafe<Readable>(Type.String()), ...failures(404) },
      },
    },
    async (request, reply) => {
      const { model_id: modelId, fit_id: fitId } = request.params;
      const path = await store.findFit(modelId, fitId);
      if (path === undefined) {
        throw operations.isMaking(modelId, fitId)
          ? problems.fitNotFinished(modelId, fitId)
          : problems.fitNotFound(modelId, fitId);
      }
      const wanted = request.headers.accept?.includes('application/x-ndjson') ?? false;
      reply.type(wanted ? 'application/x-ndjson' : 'text/plain; charset=utf-8');
      return reply.code(200).send(streamFit(path, nonFiniteStyle(request.query, nonFinite)));
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

/** A fit from disk, a piece at a time; on disk non-finite numbers are strings. */
function streamFit(path: string, style: NonFinite): Readable {
  const bytes = createReadStream(path, { highWaterMark: 1 << 18 });
  return style === 'string' ? bytes : Readable.from(restyled(bytes, style));
}

async function* restyled(bytes: Readable, style: NonFinite): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of bytes.setEncoding('utf8')) {
    const text = rest + piece;
    const end = text.lastIndexOf('\n') + 1;
    rest = text.slice(end);
    yield restyleNonFinite(text.slice(0, end), style);
  }
  yield restyleNonFinite(rest, style);
}
