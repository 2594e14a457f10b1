import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import type { Services } from '../../fits/services.js';
import { DescribeBody, DescriptionSchema } from '../../schemas/models.js';
import { failures } from '../../schemas/shared.js';

/** Requests of editors while the user writes a program. */
export function stancRoutes(server: FastifyInstance, { models }: Services): void {
  server.withTypeProvider<TypeBoxTypeProvider>().post(
    '/stanc',
    {
      schema: {
        operationId: 'describeProgram',
        summary: 'Check, describe and format a program without compiling it',
        tags: ['models'],
        body: DescribeBody,
        response: { 200: DescriptionSchema, ...failures(400, 503) },
      },
    },
    async (request) => {
      const { program_code: program, explain = false, includes = {}, pedantic = false } = request.body;
      return models.describe({ program, includes }, pedantic, explain);
    },
  );
}
