import type { FastifyInstance } from 'fastify';

/**
 * Headers of every response. Browsers must not guess its type (Fetch Standard, "X-Content-Type-Options"), and must not
 * show it inside a page of another origin, to prevent clickjacking (Content Security Policy Level 3,
 * `frame-ancestors`). Leapfrog's own pages replace the policy with one that allows them to load their files.
 */
export const SAFE_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
} as const;

export function addSafeHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(SAFE_HEADERS);
  });
}
