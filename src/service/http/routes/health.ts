import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { STAN_VERSION_TEXT } from '../../../formats/stan-version.js';
import { problems } from '../../errors.js';
import type { Services } from '../../fits/services.js';
import { failures } from '../../schemas/shared.js';

export function healthRoutes(api: FastifyInstance, { version, engineVersion, operations, store }: Services): void {
  const tags = ['health'];
  const state = {
    status: Type.Literal('ok'),
    version: Type.String(),
    stan: Type.String({ description: 'The version of Stan whose language and functions the server supports.' }),
  };

  api.get(
    '/health',
    {
      schema: {
        operationId: 'getHealth',
        summary: 'Whether the server responds',
        tags,
        response: { 200: Type.Object(state, { title: 'Health' }) },
      },
    },
    async () => ({ status: 'ok', version, stan: STAN_VERSION_TEXT }),
  );

  api.get(
    '/ready',
    {
      schema: {
        operationId: 'getReadiness',
        summary:
          'Whether the server accepts new operations; 503 with the reason if not, for example while it shuts down or if its store cannot be written',
        tags,
        response: { 200: Type.Object({ status: Type.Literal('ok') }, { title: 'Readiness' }), ...failures(503) },
      },
    },
    async () => {
      if (operations.isDraining) throw problems.closing();
      const loss = await store.tend();
      if (loss !== undefined) throw problems.storeLost(loss);
      await store.probe();
      return { status: 'ok' };
    },
  );

  api.get(
    '/version',
    {
      schema: {
        operationId: 'getVersion',
        summary: 'Get the versions of the server and its engine',
        tags,
        response: {
          200: Type.Object(
            {
              name: Type.Literal('leapfrog'),
              version: Type.String(),
              engine: Type.String({
                description: 'Version of the compiler and its kernels; model identifiers depend on it.',
              }),
              node: Type.String(),
              platform: Type.String(),
            },
            { title: 'Version' },
          ),
        },
      },
    },
    async () => ({
      name: 'leapfrog',
      version,
      engine: engineVersion,
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
    }),
  );
}
