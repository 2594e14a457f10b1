import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { algorithms } from '../../inference/algorithms/registry.js';
import { describeFunction } from '../jobs/fit-request.js';
import { FunctionSchema } from '../schemas.js';

export function functionRoutes(server: FastifyInstance): void {
  const functions = algorithms.map(describeFunction);
  server.withTypeProvider<TypeBoxTypeProvider>().get(
    '/functions',
    {
      schema: {
        operationId: 'listFunctions',
        summary: 'Functions of the services namespace, with what each takes',
        tags: ['fits'],
        response: { 200: Type.Object({ functions: Type.Array(FunctionSchema) }, { title: 'FunctionList' }) },
      },
    },
    async () => ({ functions }),
  );
}
