import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { problems } from '../../errors.js';
import type { Services } from '../../fits/services.js';
import type { ReadFitRequest } from '../../operations/fit-request.js';
import { ModelParameters } from '../../schemas/models.js';
import { OperationSchema } from '../../schemas/operations.js';
import { failures } from '../../schemas/shared.js';
import { validatorCompiler } from '../validation.js';

/** The description of a route in OpenAPI. */
interface Description {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly body: TSchema;
}

/**
 * Adds a route of a model that starts an operation whose result is a fit. The body's schema is generated from argument
 * tables, and `read` validates the body.
 */
export function addStartRoute(
  server: FastifyInstance,
  { operations }: Services,
  path: string,
  description: Description,
  read: (body: unknown) => ReadFitRequest,
): void {
  server.withTypeProvider<TypeBoxTypeProvider>().post<{ Params: Static<typeof ModelParameters> }>(
    `/models/:model_id/${path}`,
    {
      schema: {
        ...description,
        tags: ['fits'],
        params: ModelParameters,
        response: { 201: OperationSchema, ...failures(400, 404, 429, 503) },
      },
      validatorCompiler: (route) =>
        route.httpPart === 'body' ? (value: unknown) => ({ value }) : validatorCompiler(route),
    },
    async (request, reply) => {
      const found = read(request.body);
      if ('details' in found) throw problems.invalidRequest(found.details);
      return reply.code(201).send(await operations.start(request.params.model_id, found.request));
    },
  );
}
