import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Services } from '../app.js';

export function healthRoutes(api: FastifyInstance, { version }: Services): void {
  const response = { 200: Type.Object({ status: Type.Literal('ok'), version: Type.String() }) };
  api.get('/health', { schema: { summary: 'Whether the server answers', tags: ['health'], response } }, async () => ({
    status: 'ok',
    version,
  }));
}
