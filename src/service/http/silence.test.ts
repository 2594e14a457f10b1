import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import fastify, { type FastifyInstance } from 'fastify';
import { allowSilence } from './silence.js';

const TIMEOUT = 200;

describe('a response that may stall', () => {
  let app: FastifyInstance;
  let port: number;
  before(async () => {
    app = fastify({ connectionTimeout: TIMEOUT });
    app.get('/silent', async (_request, reply) => {
      const stream = new PassThrough();
      stream.write('first ');
      setTimeout(() => stream.end('last'), 5 * TIMEOUT);
      allowSilence(reply);
      return reply.send(stream);
    });
    app.get('/long', async (_request, reply) => {
      allowSilence(reply);
      return reply.send(Buffer.alloc(2 ** 26));
    });
    port = Number(new URL(await app.listen({ port: 0 })).port);
  });
  after(() => app.close());

  const ask = (path: string): Socket => {
    const socket = connect(port, 'localhost');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    return socket;
  };

  test('continues although it is silent for longer than a connection may be idle', async () => {
    const pieces = await ask('/silent').toArray();
    assert.match(Buffer.concat(pieces).toString(), /first [\s\S]*last/);
  });

  test('is cut off if the client does not read it', { timeout: 20 * TIMEOUT }, async () => {
    const [served]: Socket[] = await Promise.all([once(app.server, 'connection'), ask('/long').pause()]).then(
      ([connected]) => connected,
    );
    await once(served, 'close');
  });
});
