/** The maximum number of connections, its reserve, and silent clients. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { connectionsWithin } from '../../src/service/http/connections.js';
import { ofOneProcess } from '../support/cluster.js';
import { TestServer } from './harness.js';

const MOST = 20;

describe('connections', { skip: ofOneProcess.folder }, () => {
  let server: TestServer;
  const sockets: Socket[] = [];
  before(async () => {
    server = await TestServer.start({ maxConnections: MOST });
  });
  afterEach(async () => {
    const closed = sockets.filter((socket) => !socket.closed).map((socket) => once(socket, 'close'));
    for (const socket of sockets.splice(0)) socket.destroy();
    await Promise.all(closed);
  });
  after(() => server.remove());

  async function open(to = server): Promise<Socket> {
    const { hostname, port } = new URL(to.address);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  }

  /** The text that a connection receives until the server closes it. */
  async function rest(socket: Socket): Promise<string> {
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes;
    });
    if (!socket.closed) await once(socket, 'close');
    return text;
  }

  /** The response to a request on a new connection. */
  async function get(path: string): Promise<string> {
    const socket = await open();
    const answer = rest(socket);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    return answer;
  }

  /** Waits until a new connection is not above the maximum. */
  async function untilFree(): Promise<void> {
    for (let attempt = 0; attempt < 500; attempt++) {
      if (/^HTTP\/1\.1 200 /.test(await get('/v1/version'))) return;
      await pause(10);
    }
    assert.fail('the server still rejects connections');
  }

  it('above the maximum receive 503 with the reason, except for health and metrics', async () => {
    await untilFree();
    const held: Socket[] = [];
    for (let k = 0; k < MOST; k++) held.push(await open());
    const refused = await get('/v1/version');
    assert.match(refused, /^HTTP\/1\.1 503 /);
    assert.match(refused, /\r\nretry-after: 5\r\n/i);
    assert.match(refused, /"reason":"too_many_connections"/);
    for (const path of ['/v1/health', '/v1/ready', '/metrics']) assert.match(await get(path), /^HTTP\/1\.1 200 /, path);
    held[0].destroy();
    await untilFree();
  });

  it('that are silent do not keep health from being reached, however many there are', async () => {
    await untilFree();
    for (let k = 0; k < MOST + 100; k++) await open();
    assert.match(await get('/v1/health'), /^HTTP\/1\.1 200 /);
    assert.match(await get('/v1/models'), /^HTTP\/1\.1 503 /);
  });

  it('that stay open are used again after others have closed', async () => {
    await untilFree();
    const held: Socket[] = [];
    for (let k = 0; k < MOST; k++) held.push(await open());
    const late = await open();
    for (const socket of held) socket.destroy();
    await untilFree();
    const answer = rest(late);
    late.write('GET /v1/version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    assert.match(await answer, /^HTTP\/1\.1 200 /);
  });

  it('on which nothing arrives are closed after the time for headers', async () => {
    const impatient = await TestServer.start({ receiveTimeout: 300 });
    try {
      const silent = await open(impatient);
      assert.match(await rest(silent), /^HTTP\/1\.1 408 [\s\S]*"reason":"too_slow"/);
    } finally {
      await impatient.remove();
    }
  });
});

it('the maximum leaves descriptors for the server itself', () => {
  assert.equal(connectionsWithin(Number.POSITIVE_INFINITY, 20), 10_000);
  assert.equal(connectionsWithin(1024, 20), 1024 - 64 - 320 - 32);
  assert.equal(connectionsWithin(256, 20), 64);
});
