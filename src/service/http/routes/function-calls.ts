import { randomInt } from 'node:crypto';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { JsonText } from '../../../formats/stan-json.js';
import { problems } from '../../errors.js';
import type { Services } from '../../fits/services.js';
import { CallBody, FunctionParameters, FunctionValueSchema } from '../../schemas/evaluations.js';
import { failures, NumbersQuery } from '../../schemas/shared.js';
import { nonFiniteStyle } from '../non-finite.js';
import { sendJson } from '../send-json.js';
import { goneFrom } from '../silence.js';

/** Calls of the functions that a model's program declares. A worker thread compiles, calls and writes the response. */
export function functionCallRoutes(server: FastifyInstance, { models, requests, nonFinite }: Services): void {
  server.withTypeProvider<TypeBoxTypeProvider>().post(
    '/models/:model_id/functions/:function_name',
    {
      schema: {
        operationId: 'callFunction',
        summary: 'Call a function that the program declares',
        description:
          "Arguments and the result are in Stan's JSON format. Functions that end in `_lp` or `_jacobian` cannot be called, because they change the log density.",
        tags: ['evaluation'],
        params: FunctionParameters,
        querystring: NumbersQuery,
        body: CallBody,
        response: { 200: Type.Unsafe<Uint8Array>(FunctionValueSchema), ...failures(400, 404, 503) },
      },
    },
    async (request, reply) => {
      const { function_name, model_id } = request.params;
      const { arguments: args, random_seed: seed = randomInt(1, 2 ** 32), signature } = request.body ?? {};
      const source = await models.source(model_id);
      if (source === undefined) throw problems.modelNotFound(model_id);
      const call = {
        source,
        name: function_name,
        arguments: argumentsText(args),
        seed,
        ...(signature !== undefined && { signature }),
      };
      const job = {
        kind: 'call',
        model: { id: model_id },
        call,
        style: nonFiniteStyle(request.query, nonFinite),
      } as const;
      const { json } = await requests.until(goneFrom(reply)).perform('Calling the function', job, 'answer');
      return sendJson(reply, json);
    },
  );
}

/** The arguments as text for a worker; an empty list if they are absent. */
function argumentsText(value: unknown): string {
  if (value === undefined) return '[]';
  if (value instanceof JsonText && value.text.startsWith('[')) return value.text;
  throw problems.invalidRequest([{ field: '/arguments', message: 'must be an array with one value per parameter' }]);
}
