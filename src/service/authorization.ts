import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { isDocumentation } from './documentation.js';
import { problems } from './errors.js';
import { isPageRoute } from './page.js';

/** What load balancers ask, who have no token. */
export const OPEN_ROUTES: ReadonlySet<string | undefined> = new Set(['/v1/health', '/v1/ready']);

/** RFC 9110, section 11.4: the scheme in letters of any case, then one or more blanks. */
const BEARER = /^bearer +(.*)$/i;

/** Refuses every request that does not carry the token, the open ones excepted. */
export function requireToken(app: FastifyInstance, token: string): void {
  const expected = digest(token);
  app.addHook('onRequest', async (request) => {
    const { url, config } = request.routeOptions;
    if (OPEN_ROUTES.has(url) || isDocumentation(url) || isPageRoute(config)) return;
    const [, given = ''] = BEARER.exec(request.headers.authorization ?? '') ?? [];
    if (!timingSafeEqual(digest(given), expected)) throw problems.unauthorized();
  });
}

/** Equal lengths, so that the time of the comparison reveals nothing. */
function digest(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}
