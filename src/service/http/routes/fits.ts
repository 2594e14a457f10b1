import { basename, dirname } from 'node:path';
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
import { FitParameters, FitQuery, FitSchema, RangeHeaders } from '../../schemas/fits.js';
import { ModelParameters } from '../../schemas/models.js';
import { DamagedField, EmptySchema, failures } from '../../schemas/shared.js';
import { fitNameIn } from '../../store/ledger.js';
import { parseFitFolder } from '../../store/own-files.js';
import type { DamagedRecord } from '../../threads/list-job.js';
import { selectFrom } from '../../threads/selection.js';
import { COMPRESSION, doNotCompress } from '../compression.js';
import { FitStreams, tagOfFit } from '../fit-stream.js';
import { listBody, readEntries } from '../listing.js';
import { nonFiniteStyle } from '../non-finite.js';
import { streamOf } from '../openapi.js';
import { NextPage, PageQuery, pageOf } from '../paging.js';
import { isCached, rangeWithin, requestedRange, responseTag } from '../ranges.js';
import { allowSilence, goneFrom } from '../silence.js';
import { addStartRoute } from './starting-fits.js';

export function fitRoutes(server: FastifyInstance, services: Services): void {
  const { live, store, operations, owners, requests, nonFinite } = services;
  const api = server.withTypeProvider<TypeBoxTypeProvider>();
  const tags = ['fits'];
  const streams = new FitStreams(requests);

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
      const sees = owners.sight();
      const fits = await store.fits.list(modelId);
      const page = pageOf(
        fits.filter(({ id }) => sees(id)),
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
      const damaged: DamagedRecord[] = [];
      for (const part of parts) {
        if (part instanceof Uint8Array) continue;
        // A fit may have been removed since.
        const name = parseFitFolder(basename(dirname(part.path)));
        if (part.flaw === 'missing' && name !== undefined && !(await store.fits.has(modelId, name.id))) continue;
        store.fits.noteDamage(part.path);
        damaged.push(part);
      }
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
        description:
          'The bytes of a finished fit do not change, so a broken download can be resumed: with `Range`, and `If-Range` with the `ETag` of the first response. Send `Accept-Encoding: identity`: the `ETag` of a response that may be compressed is weak and does not resume. `If-None-Match` returns 304 for a fit that the client has. Responses to `follow=true` have no `ETag`.',
        querystring: FitQuery,
        headers: RangeHeaders,
        response: {
          200: streamOf('The fit', FIT_TYPES),
          206: streamOf('The bytes that `Range` names', FIT_TYPES),
          304: { description: 'The fit has the tag in `If-None-Match`.' },
          ...failures(400, 404, 416, 503),
        },
      },
    },
    async (request, reply) => {
      const { model_id: modelId, fit_id: fitId } = request.params;
      const { query } = request;
      const style = nonFiniteStyle(query, nonFinite);
      const { format, type } = formatOf(query.format, request.headers.accept);

      // The fit of a followed operation must not be evicted as soon as the operation has ended.
      reply.raw.once('close', store.hold(fitNameIn(modelId, fitId)));
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
        const sending = { contents, selection, format, style, opening };
        const tag = tagOfFit(sending, record, services.engineVersion);
        reply.header('vary', 'accept, accept-encoding').header('accept-ranges', 'bytes');
        const requested = requestedRange(request, tag);
        reply.header('etag', requested === undefined ? responseTag(request, tag) : tag);
        if (isCached(request, tag)) {
          release();
          return reply.code(304).send();
        }
        reply.type(type);
        if (requested === undefined) return reply.code(200).send(streams.send(sending, release));
        const starts = await streams.startsOf(sending, tag, goneFrom(reply));
        const length = starts[starts.length - 1];
        const range = rangeWithin(requested, length);
        if (range === undefined) throw problems.rangeNotSatisfiable(`${length}`);
        doNotCompress(request);
        return reply
          .code(206)
          .header('content-range', `bytes ${range.from}-${range.to - 1}/${length}`)
          .header('content-length', range.to - range.from)
          .send(streams.send(sending, release, range, starts));
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
