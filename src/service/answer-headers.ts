import type { FastifyInstance } from 'fastify';

/**
 * Headers of every answer: browsers neither guess another type for it (Fetch Standard, "X-Content-Type-Options") nor show it inside a
 * page of another origin, which could lead a user's clicks (Content Security Policy Level 3, `frame-ancestors`). Pages replace the policy
 * by one that lets them load their own files.
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
