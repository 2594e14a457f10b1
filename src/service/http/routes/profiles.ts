import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { problems } from '../../errors.js';
import type { Services } from '../../fits/services.js';
import { ProfileBody, ProfileSchema } from '../../schemas/evaluations.js';
import { ModelParameters } from '../../schemas/models.js';
import { failures } from '../../schemas/shared.js';
import { dataText } from '../data-text.js';
import { sendJson } from '../send-json.js';
import { goneFrom } from '../silence.js';
import { readNumbers } from '../wire-numbers.js';

/**
 * Times of gradients by statement. A worker thread compiles the program again, measures the gradient and writes the
 * response.
 */
export function profileRoutes(server: FastifyInstance, { models, requests }: Services): void {
  server.withTypeProvider<TypeBoxTypeProvider>().post(
    '/models/:model_id/profile',
    {
      schema: {
        operationId: 'profileGradient',
        summary: 'Time of a gradient by statement of the program',
        description:
          'Takes about a second, or longer for a slow or long program, within `--request-timeout`. If the compiler computes a value where it is used, its time counts for the statement that uses it.',
        tags: ['evaluation'],
        params: ModelParameters,
        body: ProfileBody,
        response: { 200: Type.Unsafe<Uint8Array>(ProfileSchema), ...failures(400, 404, 503) },
      },
    },
    async (request, reply) => {
      const { model_id: id } = request.params;
      const { data, evaluations, random_seed: seed = 1, unconstrained_parameters: position } = request.body ?? {};
      const source = await models.source(id);
      if (source === undefined) throw problems.modelNotFound(id);
      const asked = {
        source,
        data: dataText(data),
        seed,
        ...(evaluations !== undefined && { evaluations }),
        ...(position !== undefined && { position: readNumbers(position) }),
      };
      const job = { kind: 'profile', model: { id }, request: asked } as const;
      const { json } = await requests.until(goneFrom(reply)).perform('Measuring the gradient', job, 'answer');
      return sendJson(reply, json);
    },
  );
}
