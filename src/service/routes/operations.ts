import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Services } from '../app.js';
import { failures, OperationParameters, OperationSchema } from '../schemas.js';

export function operationRoutes(server: FastifyInstance, { operations }: Services): void {
  const api = server.withTypeProvider<TypeBoxTypeProvider>();
  const tags = ['operations'];
  const one = { params: OperationParameters, response: { 200: OperationSchema, ...failures(404) } };

  api.get(
    '/operations',
    {
      schema: {
        summary: 'List operations, those that have ended included',
        tags,
        response: { 200: Type.Object({ operations: Type.Array(OperationSchema) }) },
      },
    },
    async () => ({ operations: await operations.list() }),
  );

  api.get(
    '/operations/:operation_id',
    { schema: { summary: 'Whether an operation is done, and how far it is', tags, ...one } },
    async (request) => operations.get(request.params.operation_id),
  );

  api.delete(
    '/operations/:operation_id',
    { schema: { summary: 'Cancel an operation that runs, forget one that has ended', tags, ...one } },
    async (request) => operations.remove(request.params.operation_id),
  );
}
