import { Readable } from 'node:stream';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { problems } from '../../errors.js';
import { FIT_TYPES, formatOf, openingOf } from '../../fits/formats.js';
import { openFit } from '../../fits/open-fit.js';
import type { Services } from '../../fits/services.js';
import { fitBodySchema, readFitRequest } from '../../operations/fit-request.js';
import type { FitInTheMaking } from '../../queue/watched-journals.js';
import { FitParameters, FitQuery, FitSchema } from '../../schemas/fits.js';
import { ModelParameters } from '../../schemas/models.js';
import { DamagedField, EmptySchema, failures } from '../../schemas/shared.js';
import { selectFrom } from '../../threads/selection.js';
import { COMPRESSION } from '../compression.js';
import { sendFit } from '../fit-stream.js';
import { listBody, readEntries } from '../listing.js';
import { nonFiniteStyle } from '../non-finite.js';
import { streamOf } from '../openapi.js';
import { NextPage, PageQuery, pageOf } from '../paging.js';
import { allowSilence, goneFrom } from '../silence.js';
import { addStartRoute } from './starting-fits.js';

export function fitRoutes(server: FastifyInstance, services: Services): void {
  const { live, store, operations, requests, nonFinite } = services;
  const api = server.withTypeProvider<TypeBoxTypeProvider>();
  const tags = ['fits'];

  addStartRoute(
    server,
    services,
    'fits',
    {
      operationId: 'startFit',
      summary: 'Start a function of the services namespace, such as the sampler',
      body: fitBodySchema(),
    },
    readFitRequest,
  );

  api.get(
    '/models/:model_id/fits',
    {
      schema: {
        operationId: 'listFits',
        summary: 'List finished fits of a model with their requests',
        tags,
        params: ModelParameters,
        querystring: PageQuery,
        response: {
          200: Type.Unsafe<Buffer>(
            Type.Object(
              { fits: Type.Array(FitSchema), damaged: DamagedField, next_page_token: NextPage },
              { title: 'FitList' },
            ),
          ),
          ...failures(400, 404, 503),
        },
      },
    },
    async (request, reply) => {
      const { model_id: modelId } = request.params;
      if (!(await store.models.has(modelId))) throw problems.modelNotFound(modelId);
      const page = pageOf(
        await store.fits.list(modelId),
        request.query,
        ({ id, mark }) => `${mark}.${id}`,
        'descending',
      );
      const sources = await store.fits.records(modelId, page.items);
      const records = page.items.flatMap(({ bytes }, k) => {
        const source = sources[k];
        return source === undefined ? [] : [{ source, bytes }];
      });
      const parts = await readEntries(requests, 'fits', records);
      const entries = parts.filter((part) => part instanceof Uint8Array);
      const damaged = parts.flatMap((part) => (part instanceof Uint8Array ? [] : [part.path]));
      for (const path of damaged) store.fits.noteDamage(path);
      return reply.send(listBody('fits', entries, { damaged, next: page.next }));
    },
  );

  api.get(
    '/models/:model_id/fits/:fit_id',
    {
      compress: COMPRESSION,
      schema: {
        operationId: 'getFit',
        summary: "Messages of a fit, one JSON object per line; its draws as CmdStan's CSV or as an Arrow IPC stream",
        tags,
        params: FitParameters,
        querystring: FitQuery,
        response: { 200: streamOf('The fit', FIT_TYPES), ...failures(400, 404, 503) },
      },
    },
    async (request, reply) => {
      const { model_id: modelId, fit_id: fitId } = request.params;
      const { query } = request;
      const style = nonFiniteStyle(query, nonFinite);
      const { format, type } = formatOf(query.format, request.headers.accept);

      const making = query.follow === 'true' ? await operations.fitInTheMaking(fitId, modelId) : undefined;
      if (making !== undefined) {
        refuseWhenFollowed(query, format, making);
        const { chain, variables } = query;
        const wanted = {
          ...(chain !== undefined && { chain: Number(chain) }),
          ...(variables !== undefined && { variables }),
        };
        const messages = await live.follow(making, { text: 'messages', style, ...wanted }, goneFrom(reply));
        if (messages !== undefined) {
          allowSilence(reply);
          return reply
            .type(type)
            .code(200)
            .send(Readable.from(messages, { objectMode: false, highWaterMark: 1 }));
        }
      }
      const { contents, record, release } = await openFit(services, modelId, fitId);
      try {
        const selection = selectFrom(contents, query);
        const opening = openingOf(format, { contents, record, selection });
        const stream = sendFit(requests, { contents, selection, format, style, opening }, release);
        return reply.type(type).header('vary', 'accept').code(200).send(stream);
      } catch (error) {
        release();
        throw error;
      }
    },
  );

  api.delete(
    '/models/:model_id/fits/:fit_id',
    {
      schema: {
        operationId: 'deleteFit',
        summary: 'Delete a fit, or cancel the operation that computes it',
        tags,
        params: FitParameters,
        response: { 200: EmptySchema, ...failures(404) },
      },
    },
    async (request) => {
      const { model_id: modelId, fit_id: fitId } = request.params;
      const cancelled = await operations.cancelFit(modelId, fitId);
      const removed = await store.fits.remove(modelId, fitId);
      if (!cancelled && !removed) throw problems.fitNotFound(modelId, fitId);
      return {};
    },
  );
}

/** Rejects parameters that select draws, because the number of draws of an unfinished fit is unknown. */
function refuseWhenFollowed(
  query: { readonly [field: string]: unknown },
  format: string,
  { release }: FitInTheMaking,
): void {
  const unknown = ['warmup', 'first', 'last'].filter((field) => query[field] !== undefined);
  const fields = format === 'ndjson' ? unknown : ['format', ...unknown];
  if (fields.length === 0) return;
  release?.();
  const message = 'cannot be selected while an unfinished fit is followed';
  throw problems.invalidRequest(fields.map((field) => ({ field: `/${field}`, message })));
}
