import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { problems } from '../errors.js';
import { isDocumentation } from './documentation.js';
import { isPageRoute } from './page.js';

/** Routes for load balancers, which have no token. */
export const OPEN_ROUTES: ReadonlySet<string | undefined> = new Set(['/v1/health', '/v1/ready']);

/** RFC 9110, section 11.4: the case-insensitive scheme, followed by one or more spaces. */
const BEARER = /^bearer +(.*)$/i;

/** Rejects requests without the token, except on open routes. */
export function requireToken(app: FastifyInstance, token: string): void {
  const expected = digest(token);
  app.addHook('onRequest', async (request) => {
    const { url, config } = request.routeOptions;
    if (OPEN_ROUTES.has(url) || isDocumentation(url) || isPageRoute(config)) return;
    const [, given = ''] = BEARER.exec(request.headers.authorization ?? '') ?? [];
    if (!timingSafeEqual(digest(given), expected)) throw problems.unauthorized();
  });
}

/** Makes lengths equal, so that the duration of the comparison reveals nothing. */
function digest(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}
