import { basename } from 'node:path';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Services } from '../../fits/services.js';
import { EventsQuery, OperationParameters, type OperationResource, OperationSchema } from '../../schemas/operations.js';
import { failures } from '../../schemas/shared.js';
import { readRecord } from '../../store/operation-record.js';
import type { RecordSource } from '../../store/store.js';
import type { ListedPart } from '../../threads/list-job.js';
import { entryOf, listBody, readEntries } from '../listing.js';
import { nonFiniteStyle } from '../non-finite.js';
import { streamOf } from '../openapi.js';
import { LAST_EVENT, operationEvents } from '../operation-events.js';
import { NextPage, PageQuery, pageOf } from '../paging.js';
import { allowSilence, goneFrom } from '../silence.js';

const NoContent = Type.Unsafe<undefined>(Type.Null({ description: 'The client has already received the last event.' }));

export function operationRoutes(
  server: FastifyInstance,
  { live, operations, requests, store, nonFinite }: Services,
): void {
  const api = server.withTypeProvider<TypeBoxTypeProvider>();
  const tags = ['operations'];
  const one = { params: OperationParameters, response: { 200: OperationSchema, ...failures(404) } };

  api.get(
    '/operations',
    {
      schema: {
        operationId: 'listOperations',
        summary: 'List operations, including finished ones',
        tags,
        querystring: PageQuery,
        response: {
          200: Type.Unsafe<Buffer>(
            Type.Object(
              { operations: Type.Array(OperationSchema), next_page_token: NextPage },
              { title: 'OperationList' },
            ),
          ),
          ...failures(400, 503),
        },
      },
    },
    async (request, reply) => {
      const { items, next } = pageOf(await operations.list(), request.query, ({ key }) => key);
      const recorded: string[] = [];
      const before: OperationResource[] = [];
      const after: OperationResource[] = [];
      for (const { id, resource } of items) {
        if (resource === undefined) recorded.push(id);
        else (recorded.length === 0 ? before : after).push(resource);
      }
      const sources = await store.operations.endedRecords(recorded);
      const records = sources.flatMap((source) => (isRecord(source) ? [{ source }] : []));
      const read = await readEntries(requests, 'operations', records);
      const describe = async (part: ListedPart) => {
        if (part instanceof Uint8Array) return [part];
        const found = await operations.findListed(basename(part.path, '.json'));
        return found === undefined ? [] : [entryOf(found)];
      };
      const ended = (await Promise.all(read.map(describe))).flat();
      const entries = [...before.map(entryOf), ...ended, ...after.map(entryOf)];
      return reply.send(listBody('operations', entries, { next }));
    },
  );

  api.get(
    '/operations/:operation_id',
    {
      schema: { operationId: 'getOperation', summary: 'Get the state and progress of an operation', tags, ...one },
    },
    async (request) => operations.get(request.params.operation_id),
  );

  api.get(
    '/operations/:operation_id/events',
    {
      schema: {
        operationId: 'followOperation',
        summary: 'Server-sent events of an operation: progress, draws on demand, done',
        tags,
        params: OperationParameters,
        querystring: EventsQuery,
        response: { 200: streamOf('The events', ['text/event-stream']), 204: NoContent, ...failures(404) },
      },
    },
    async (request, reply) => {
      const id = request.params.operation_id;
      const operation = await operations.get(id);
      if (operation.done && request.headers['last-event-id'] === LAST_EVENT) return reply.code(204).send(undefined);
      const style = nonFiniteStyle(request.query, nonFinite);
      const gone = goneFrom(reply);
      const making = request.query.draws === 'true' ? await operations.fitInTheMaking(id) : undefined;
      const draws = making && (await live.follow(making, { text: 'draw events', style }, gone));
      allowSilence(reply);
      reply.type('text/event-stream').header('cache-control', 'no-store').header('x-accel-buffering', 'no');
      return reply.code(200).send(operationEvents(operations, id, { style, draws, gone }));
    },
  );

  api.delete(
    '/operations/:operation_id',
    {
      schema: {
        operationId: 'deleteOperation',
        summary: 'Cancel an unfinished operation, or delete a finished one',
        tags,
        ...one,
      },
    },
    async (request) => operations.remove(request.params.operation_id),
  );
}

/**
 * Whether the value is a record. Another client with access to the prefix in NATS may have written a different value.
 */
function isRecord(source: RecordSource | undefined): source is RecordSource {
  return source !== undefined && (!('text' in source) || readRecord(source.text) !== undefined);
}
