import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { problems } from './errors.js';

/** Refuses every request that does not carry the token; only the health endpoint is open. */
export function requireToken(app: FastifyInstance, token: string): void {
  const expected = digest(`Bearer ${token}`);
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.url === '/v1/health') return;
    const given = digest(request.headers.authorization ?? '');
    if (!timingSafeEqual(given, expected)) throw problems.unauthorized();
  });
}

/** Equal lengths, so that the comparison tells nothing by its time. */
function digest(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}
