import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { JsonText, nonFiniteNumber } from '../../model/json.js';
import type { Services } from '../app.js';
import { problems } from '../errors.js';
import {
  DataBody,
  failures,
  ModelParameters,
  type NumberArray,
  NumbersQuery,
  NumberValue,
  PointBody,
  TransformInitsBody,
  WriteArrayBody,
} from '../schemas.js';

const tags = ['evaluation'];
const wrong = failures(400, 404, 503);
const at = { params: ModelParameters, querystring: NumbersQuery };
const Numbers = Type.Array(NumberValue);

type WriteArrayOptions = Omit<Exclude<Static<typeof WriteArrayBody>, unknown[]>, 'unconstrained_parameters'>;

/** The methods of a model, each evaluated by a worker thread. */
export function evaluationRoutes(server: FastifyInstance, { models, requests }: Services): void {
  const api = server.withTypeProvider<TypeBoxTypeProvider>();

  api.post(
    '/models/:model_id/params',
    {
      schema: {
        summary: 'Names and sizes of parameters, transformed parameters and generated quantities',
        tags,
        ...at,
        body: DataBody,
        response: {
          200: Type.Object({
            id: Type.Optional(Type.String()),
            name: Type.String(),
            params: Type.Array(
              Type.Object({
                name: Type.String(),
                dims: Type.Array(Type.Integer()),
                constrained_names: Type.Array(Type.String()),
              }),
            ),
          }),
          ...wrong,
        },
      },
    },
    async (request) => {
      const model = await models.load(request.params.model_id);
      const job = { kind: 'parameters', model, data: dataText(request.body?.data) } as const;
      const { parameters } = await requests.perform('Reading the parameters', job, 'parameters');
      const name = `models/${model.id}`;
      return { id: name, name, params: parameters };
    },
  );

  api.post(
    '/models/:model_id/log_prob',
    {
      schema: {
        summary: 'Log density at unconstrained parameters, constants dropped',
        tags,
        ...at,
        body: PointBody,
        response: { 200: Type.Object({ log_prob: NumberValue }), ...wrong },
      },
    },
    async (request) => {
      const model = await models.load(request.params.model_id);
      const { data, position, jacobian } = readPoint(request.body);
      const job = { kind: 'density', model, data, position, jacobian, gradient: false } as const;
      const { value } = await requests.perform('Evaluating the log density', job, 'density');
      return { log_prob: value };
    },
  );

  api.post(
    '/models/:model_id/log_prob_grad',
    {
      schema: {
        summary: 'Gradient of the log density at unconstrained parameters, constants dropped',
        tags,
        ...at,
        body: PointBody,
        response: {
          200: Type.Object({ log_prob: NumberValue, grad_log_prob: Numbers, log_prob_grad: Numbers }),
          ...wrong,
        },
      },
    },
    async (request) => {
      const model = await models.load(request.params.model_id);
      const { data, position, jacobian } = readPoint(request.body);
      const job = { kind: 'density', model, data, position, jacobian, gradient: true } as const;
      const { value, gradient } = await requests.perform('Evaluating the gradient', job, 'density');
      const elements = Array.from(gradient);
      return { log_prob: value, grad_log_prob: elements, log_prob_grad: elements };
    },
  );

  api.post(
    '/models/:model_id/write_array',
    {
      schema: {
        summary: 'Constrained values at unconstrained parameters',
        tags,
        ...at,
        body: WriteArrayBody,
        response: { 200: Type.Object({ params_r_constrained: Numbers }), ...wrong },
      },
    },
    async (request) => {
      const model = await models.load(request.params.model_id);
      const { body } = request;
      const options: WriteArrayOptions = Array.isArray(body) ? {} : body;
      const { data, position } = readPoint(body);
      const job = {
        kind: 'write array',
        model,
        data,
        position,
        transformedParameters: options.include_tparams ?? true,
        generatedQuantities: options.include_gqs ?? true,
        seed: options.random_seed ?? 0,
      } as const;
      const { values } = await requests.perform('Computing the constrained values', job, 'numbers');
      return { params_r_constrained: Array.from(values) };
    },
  );

  api.post(
    '/models/:model_id/transform_inits',
    {
      schema: {
        summary: 'Unconstrained parameters of constrained values',
        tags,
        ...at,
        body: TransformInitsBody,
        response: { 200: Type.Object({ params_r_unconstrained: Numbers }), ...wrong },
      },
    },
    async (request) => {
      const model = await models.load(request.params.model_id);
      const { data, constrained_parameters: values } = request.body;
      const job = { kind: 'unconstrain', model, data: dataText(data), values: objectText(values) } as const;
      const answer = await requests.perform('Unconstraining the values', job, 'numbers');
      return { params_r_unconstrained: Array.from(answer.values) };
    },
  );
}

/** Data as text for a worker; a model without data gets an empty object. */
function dataText(value: unknown): string {
  return value instanceof JsonText ? mustBeObject(value.text, '/data') : '{}';
}

function objectText(value: unknown): string {
  return value instanceof JsonText ? mustBeObject(value.text, '/constrained_parameters') : '{}';
}

function mustBeObject(text: string, field: string): string {
  if (text.startsWith('{')) return text;
  throw problems.invalidRequest([{ field, message: 'must be an object with one member a variable' }]);
}

function readPoint(body: Static<typeof PointBody>): { data: string; position: number[]; jacobian: boolean } {
  if (Array.isArray(body)) return { data: '{}', position: readNumbers(body), jacobian: true };
  const { data, unconstrained_parameters, adjust_transform } = body;
  return {
    data: dataText(data),
    position: readNumbers(unconstrained_parameters),
    jacobian: adjust_transform ?? true,
  };
}

function readNumbers(values: Static<typeof NumberArray>): number[] {
  return values.map((value) => (typeof value === 'number' ? value : (nonFiniteNumber(value) ?? Number.NaN)));
}
