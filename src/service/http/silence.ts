import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';

/** Keeps the connection of a response that may be silent for a long time. A client that does not read is still disconnected. */
export function allowSilence({ raw }: FastifyReply): void {
  raw.on('timeout', (socket: Socket) => {
    if (socket.writableLength > 0) socket.destroy();
  });
}

/** Aborted when the response is complete or the client has disconnected. */
export function goneFrom({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  return gone.signal;
}
