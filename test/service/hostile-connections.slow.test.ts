/** Clients that send or read nothing, slowly or too much at once, and a server with few file descriptors. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { ofOneProcess } from '../support/cluster.js';
import { type ServerProcess, servingCommand, startCommand } from '../support/serving.js';
import { NUTS } from './every-function.js';

const PROGRAM = 'parameters { vector[20] x; } model { x ~ std_normal(); }';

describe('hostile connections', { skip: ofOneProcess.folder }, () => {
  let store: string;
  let server: ServerProcess;
  let address: string;
  const sockets: Socket[] = [];

  const start = async (limit: string, settings: Readonly<Record<string, string>>) => {
    server = startCommand(['sh', '-c', `${limit} exec "$@"`, 'sh', ...servingCommand(store)], settings);
    address = await server.address;
  };
  beforeEach(async () => {
    store = await mkdtemp(join(tmpdir(), 'leapfrog-connections-'));
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await server.end('SIGTERM');
    await rm(store, { recursive: true, force: true });
  });

  /** Opens a connection and sends a text; what comes back until the server closes it, where that is read. */
  const open = (text: string, reads = true): Promise<string> => {
    const { hostname, port } = new URL(address);
    const socket = connect(Number(port), hostname, () => socket.write(text));
    sockets.push(socket);
    let received = '';
    if (reads) {
      socket.on('data', (bytes) => {
        received += bytes;
      });
    }
    return new Promise((resolve) => {
      socket.on('close', () => resolve(received)).on('error', () => undefined);
    });
  };

  // biome-ignore lint/suspicious/noExplicitAny: the assertions check what the server answers
  const post = async (path: string, body: object): Promise<any> => {
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${address}/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  };
  // biome-ignore lint/suspicious/noExplicitAny: the assertions check what the server answers
  const get = async (path: string): Promise<any> => (await fetch(`${address}/v1/${path}`)).json();
  const goesOn = async () => {
    assert.equal((await fetch(`${address}/v1/health`)).status, 200);
    const { name } = await post('models', { program_code: PROGRAM });
    const evaluated = await post(`${name}/log_prob`, Array(20).fill(0));
    assert.equal(evaluated.log_prob, 0, JSON.stringify(evaluated));
  };

  it('that send their head or their body slowly are closed, and do not delay others', async () => {
    await start('', { LEAPFROG_RECEIVE_TIMEOUT: '2' });
    const heads = Array.from({ length: 50 }, () => open('GET /v1/health HTTP/1.1\r\nHost: localhost\r\nX-Slow: '));
    const body =
      'POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{';
    const bodies = Array.from({ length: 50 }, () => open(body));
    await goesOn();
    for (const ended of await Promise.all([...heads, ...bodies])) assert.match(ended, /^HTTP\/1\.1 408 /);
    await goesOn();
  });

  it('that follow a fit and read nothing hold up neither the fit nor others', async () => {
    await start('', {});
    const model = await post('models', { program_code: PROGRAM });
    const fit = await post(`${model.name}/fits`, { function: NUTS, random_seed: 1, num_samples: 20_000 });
    const { name } = fit.metadata.fit;
    for (let k = 0; k < 40; k++) void open(`GET /v1/${name}?follow=true HTTP/1.1\r\nHost: localhost\r\n\r\n`, false);
    await goesOn();
    let done = false;
    // Polling, not waiting: the fit ends by itself.
    while (!done) done = (await get(fit.name)).done === true;
    assert.equal((await fetch(`${address}/v1/${name}`)).status, 200);
    await goesOn();
  });

  it('that take all file descriptors are refused, and the server continues when they are closed', async () => {
    await start('ulimit -n 400;', {});
    await goesOn();
    const taken = Array.from({ length: 600 }, () => open('GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n'));
    await Promise.race(
      taken
        .map((each) => each.then(() => undefined))
        .concat(
          fetch(`${address}/v1/health`).then(
            () => undefined,
            () => undefined,
          ),
        ),
    );
    for (const socket of sockets.splice(0)) socket.destroy();
    await Promise.all(taken);
    await goesOn();
    const model = await post('models', { program_code: `${PROGRAM} // anew` });
    const fit = await post(`${model.name}/fits`, { function: NUTS, random_seed: 2 });
    assert.notEqual(fit.name, undefined, JSON.stringify(fit));
  });
});
