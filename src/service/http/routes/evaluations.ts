import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import type { EvaluationRequest } from '../../../chain/evaluation.js';
import type { Services } from '../../fits/services.js';
import {
  DataBody,
  GradientSchema,
  LogDensitySchema,
  ParametersSchema,
  PointBody,
  TransformInitsBody,
  UnconstrainedSchema,
  WriteArrayBody,
  WrittenArraySchema,
} from '../../schemas/evaluations.js';
import { ModelParameters } from '../../schemas/models.js';
import { failures, NumbersQuery } from '../../schemas/shared.js';
import { dataText, objectText } from '../data-text.js';
import { nonFiniteStyle } from '../non-finite.js';
import { sendJson } from '../send-json.js';
import { readNumbers } from '../wire-numbers.js';

type WriteArrayOptions = Omit<Exclude<Static<typeof WriteArrayBody>, unknown[]>, 'unconstrained_parameters'>;

/** The methods of a model. A worker thread evaluates the model and writes the body of the response. */
export function evaluationRoutes(server: FastifyInstance, { models, requests, nonFinite }: Services): void {
  const api = server.withTypeProvider<TypeBoxTypeProvider>();
  const schemas = <Body extends TSchema, Answer extends TSchema>(
    operationId: string,
    summary: string,
    body: Body,
    answer: Answer,
  ) => ({
    schema: {
      operationId,
      summary,
      tags: ['evaluation'],
      params: ModelParameters,
      querystring: NumbersQuery,
      body,
      response: { 200: Type.Unsafe<Uint8Array>(answer), ...failures(400, 404, 503) },
    },
  });
  const common = async (
    { params, query }: { params: { model_id: string }; query: unknown },
    data: string,
    threads?: number,
  ) => {
    const on =
      threads === undefined
        ? { model: await models.load(params.model_id), data }
        : { model: await models.loadSliced(params.model_id), data, threads };
    return { on, style: nonFiniteStyle(query, nonFinite) };
  };
  const answer = async (reply: FastifyReply, what: string, job: EvaluationRequest) => {
    const { json } = await requests.perform(what, job, 'answer');
    return sendJson(reply, json);
  };

  api.post(
    '/models/:model_id/params',
    schemas('describeParameters', 'Names and sizes of all outputs', DataBody, ParametersSchema),
    async (request, reply) => {
      const data = dataText(request.body?.data);
      return answer(reply, 'Reading the parameters', { kind: 'parameters', ...(await common(request, data)) });
    },
  );

  api.post(
    '/models/:model_id/log_prob',
    schemas('logDensity', 'Log density at unconstrained parameters, constants dropped', PointBody, LogDensitySchema),
    async (request, reply) => {
      const { data, threads, ...point } = readPoint(request.body);
      return answer(reply, 'Evaluating the log density', {
        kind: 'log density',
        ...(await common(request, data, threads)),
        ...point,
      });
    },
  );

  api.post(
    '/models/:model_id/log_prob_grad',
    schemas(
      'logDensityGradient',
      'Gradient of the log density at unconstrained parameters, constants dropped',
      PointBody,
      GradientSchema,
    ),
    async (request, reply) => {
      const { data, threads, ...point } = readPoint(request.body);
      return answer(reply, 'Evaluating the gradient', {
        kind: 'gradient',
        ...(await common(request, data, threads)),
        ...point,
      });
    },
  );

  api.post(
    '/models/:model_id/write_array',
    schemas('writeArray', 'Constrained values at unconstrained parameters', WriteArrayBody, WrittenArraySchema),
    async (request, reply) => {
      const { body } = request;
      const { data, position } = readPoint(body);
      const options: WriteArrayOptions = Array.isArray(body) ? {} : body;
      return answer(reply, 'Computing the constrained values', {
        kind: 'write array',
        ...(await common(request, data)),
        position,
        transformedParameters: options.include_tparams ?? true,
        generatedQuantities: options.include_gqs ?? true,
        seed: options.random_seed ?? 0,
      });
    },
  );

  api.post(
    '/models/:model_id/transform_inits',
    schemas(
      'transformInits',
      'Unconstrained parameters of constrained values',
      TransformInitsBody,
      UnconstrainedSchema,
    ),
    async (request, reply) => {
      const data = dataText(request.body.data);
      const values = objectText(request.body.constrained_parameters, '/constrained_parameters');
      return answer(reply, 'Unconstraining the values', {
        kind: 'unconstrain',
        ...(await common(request, data)),
        values,
      });
    },
  );
}

interface GivenPoint {
  readonly data: string;
  readonly position: number[];
  readonly jacobian: boolean;
  readonly threads?: number;
}

function readPoint(body: Static<typeof PointBody>): GivenPoint {
  if (Array.isArray(body)) return { data: '{}', position: readNumbers(body), jacobian: true };
  const { adjust_transform, data, threads, unconstrained_parameters } = body;
  return {
    ...(threads !== undefined && { threads }),
    data: dataText(data),
    position: readNumbers(unconstrained_parameters),
    jacobian: adjust_transform ?? true,
  };
}
