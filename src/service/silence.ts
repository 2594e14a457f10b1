import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';

/** Keeps the connection of an answer that may send nothing for a long time; a client that does not read is still cut off. */
export function allowSilence({ raw }: FastifyReply): void {
  raw.on('timeout', (socket: Socket) => {
    if (socket.writableLength > 0) socket.destroy();
  });
}

/** Aborted when the answer is complete or its client is gone. */
export function goneFrom({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  return gone.signal;
}
