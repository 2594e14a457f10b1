import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import type { Services } from '../../fits/services.js';
import type { Operations } from '../../operations/operations.js';
import { type CacheResource, CacheSchema } from '../../schemas/cache.js';
import type { Store } from '../../store/store.js';

export function cacheRoutes(server: FastifyInstance, { operations, owners, store }: Services): void {
  const api = server.withTypeProvider<TypeBoxTypeProvider>();
  const common = { tags: ['cache'], response: { 200: CacheSchema } };

  api.get(
    '/cache',
    { schema: { ...common, operationId: 'getCache', summary: 'Get the disk space of models and fits' } },
    () => describe(store, operations),
  );

  api.delete(
    '/cache',
    {
      schema: {
        ...common,
        operationId: 'clearCache',
        summary: 'Delete every model and fit that is not in use; returns the remaining disk space',
      },
    },
    async () => {
      const sees = owners.sight();
      await store.clear(owners.areNamed ? ({ fit }) => fit !== undefined && sees(fit.id) : undefined);
      return describe(store, operations);
    },
  );
}

async function describe(store: Store, operations: Pick<Operations, 'usage'>): Promise<CacheResource> {
  const { bytes, models, fits } = await store.usage();
  return { bytes, limit: store.limit, models, fits, running: operations.usage() };
}
