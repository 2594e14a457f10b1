import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { functions } from '../../../requests/functions.js';
import { FunctionSchema } from '../../schemas/functions.js';

export function functionRoutes(server: FastifyInstance): void {
  server.withTypeProvider<TypeBoxTypeProvider>().get(
    '/functions',
    {
      schema: {
        operationId: 'listFunctions',
        summary: 'List functions of the services namespace with their arguments',
        tags: ['fits'],
        response: { 200: Type.Object({ functions: Type.Array(FunctionSchema) }, { title: 'FunctionList' }) },
      },
    },
    async () => ({ functions: [...functions] }),
  );
}
