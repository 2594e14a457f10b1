import type { FastifyReply } from 'fastify';

/** Sends a response that a worker thread has written. */
export function sendJson(reply: FastifyReply, json: string | Uint8Array): FastifyReply {
  return reply.serializer((text: string) => text).send(json);
}
