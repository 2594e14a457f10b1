import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';

/** Keeps the connection of an answer that may have nothing to say for long; a client that does not read is still cut off. */
export function allowSilence({ raw }: FastifyReply): void {
  raw.on('timeout', (socket: Socket) => {
    if (socket.writableLength > 0) socket.destroy();
  });
}
