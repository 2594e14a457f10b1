import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { NotCompiled, problems } from '../../errors.js';
import type { Services } from '../../fits/services.js';
import { CompileBody, DescribedModelSchema, ModelParameters, ModelSchema } from '../../schemas/models.js';
import { DamagedField, EmptySchema, failures } from '../../schemas/shared.js';
import { describeDamage } from '../../store/damage.js';
import { NextPage, PageQuery, pageOf } from '../paging.js';
import { isHttpstanClient, withPythonException } from '../python-exception.js';

export function modelRoutes(server: FastifyInstance, { models, operations, store }: Services): void {
  const api = server.withTypeProvider<TypeBoxTypeProvider>();
  const tags = ['models'];

  api.post(
    '/models',
    {
      schema: {
        operationId: 'compileModel',
        summary: 'Compile a model',
        tags,
        body: CompileBody,
        response: { 201: ModelSchema, ...failures(400, 503) },
      },
    },
    async (request, reply) => {
      const { program_code: program, includes = {} } = request.body;
      const compiled = models.compile({ program, includes });
      const model = isHttpstanClient(request.headers['user-agent'])
        ? await compiled.catch((error: unknown) => {
            throw error instanceof NotCompiled
              ? problems.notCompiled(withPythonException(error.message), error.details)
              : error;
          })
        : await compiled;
      return reply.code(201).send(model);
    },
  );

  api.get(
    '/models',
    {
      schema: {
        operationId: 'listModels',
        summary: 'List cached models',
        tags,
        querystring: PageQuery,
        response: {
          200: Type.Object(
            { models: Type.Array(ModelSchema), damaged: DamagedField, next_page_token: NextPage },
            { title: 'ModelList' },
          ),
          ...failures(400),
        },
      },
    },
    async (request) => {
      const { items, next } = pageOf(await store.models.ids(), request.query, (id) => id);
      const { damaged, resources } = await models.list(items);
      return {
        models: resources,
        ...(damaged.length > 0 && {
          damaged: damaged.map((damage) => problems.damaged(describeDamage(damage)).message),
        }),
        ...(next !== undefined && { next_page_token: next }),
      };
    },
  );

  api.get(
    '/models/:model_id',
    {
      schema: {
        operationId: 'getModel',
        summary: 'Get a model with its program and declarations',
        tags,
        params: ModelParameters,
        response: { 200: DescribedModelSchema, ...failures(404, 503) },
      },
    },
    async (request) => models.find(request.params.model_id),
  );

  api.delete(
    '/models/:model_id',
    {
      schema: {
        operationId: 'deleteModel',
        summary: 'Delete a model and its fits',
        tags,
        params: ModelParameters,
        response: { 200: EmptySchema, ...failures(404) },
      },
    },
    async (request) => {
      await operations.deleteModel(request.params.model_id);
      return {};
    },
  );
}
