import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import type { Services } from '../app.js';
import { type CacheResource, CacheSchema } from '../schemas.js';
import type { Entry } from '../store/ledger.js';
import type { Store } from '../store/store.js';

export function cacheRoutes(server: FastifyInstance, { store }: Services): void {
  const api = server.withTypeProvider<TypeBoxTypeProvider>();
  const common = { tags: ['cache'], response: { 200: CacheSchema } };

  api.get(
    '/cache',
    { schema: { ...common, operationId: 'getCache', summary: 'What models and fits take on disk' } },
    async () => describe(store),
  );

  api.delete(
    '/cache',
    {
      schema: {
        ...common,
        operationId: 'clearCache',
        summary: 'Delete every model and every fit that is not in use; answers with what is left',
      },
    },
    async () => {
      await store.clear();
      return describe(store);
    },
  );
}

function describe({ ledger, limit }: Store): CacheResource {
  const entries = ledger.all();
  const models = entries.filter(({ fit }) => fit === undefined);
  const fits = entries.filter(({ fit }) => fit !== undefined);
  return { bytes: ledger.bytes(), limit, models: sizeOf(models), fits: sizeOf(fits) };
}

function sizeOf(entries: readonly Entry[]): CacheResource['fits'] {
  return { count: entries.length, bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0) };
}
