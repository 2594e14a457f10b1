/** Clients that send or read nothing, slowly, byte by byte or too much at once, and a server with a low limit of file descriptors. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { ofOneProcess } from '../support/cluster.js';
import { type ServerProcess, servingCommand, startCommand } from '../support/serving.js';
import { NUTS } from './every-function.js';

const FIXED = 'stan::services::sample::fixed_param';
const PROGRAM = 'parameters { vector[20] x; } model { x ~ std_normal(); }';

/** The peak memory of a process in bytes. */
function largestMemory(processId: number): number {
  const [, kibibytes] = /VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${processId}/status`, 'utf8')) ?? [];
  return Number(kibibytes) * 1024;
}

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

  /** Opens a connection and sends a text; resolves to the response until the server closes the connection, if it is read. */
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

  it('that send their headers or their body slowly are closed, and do not delay others', async () => {
    await start('', { LEAPFROG_RECEIVE_TIMEOUT: '2' });
    const heads = Array.from({ length: 50 }, () => open('GET /v1/health HTTP/1.1\r\nHost: localhost\r\nX-Slow: '));
    const body =
      'POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{';
    const bodies = Array.from({ length: 50 }, () => open(body));
    await goesOn();
    for (const ended of await Promise.all([...heads, ...bodies])) assert.match(ended, /^HTTP\/1\.1 408 /);
    await goesOn();
  });

  it('that send a body byte by byte are closed after the time for a whole request', async () => {
    await start('', { LEAPFROG_RECEIVE_TIMEOUT: '2' });
    const head = 'POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    const answers = [
      open(`${head}Content-Length: 10000000\r\n\r\n{`),
      open(`${head}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`),
    ];
    let isOpen = true;
    const ended = Promise.all(answers).finally(() => {
      isOpen = false;
    });
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    // Other requests are served between any two bytes.
    while (isOpen) {
      sockets[0].write(' ');
      sockets[1].write('1\r\n \r\n');
      assert.equal((await fetch(`${address}/v1/health`)).status, 200);
    }
    for (const answer of await ended) assert.match(answer, /^HTTP\/1\.1 408 /);
    await goesOn();
  });

  it('that do not read a large fit take little memory', { skip: !existsSync('/proc/self/status') }, async () => {
    await start('', {});
    const model = await post('models', { program_code: 'parameters { vector[500] x; } model { x ~ std_normal(); }' });
    const settings = { function: FIXED, random_seed: 1, num_samples: 5000 };
    const fit = await post(`${model.name}/fits`, settings);
    let done = false;
    // Polling, not waiting: the fit ends by itself.
    while (!done) done = (await get(fit.name)).done === true;
    const path = `/v1/${fit.metadata.fit.name}`;
    const download = async () => (await (await fetch(address + path)).arrayBuffer()).byteLength;
    const bytes = await download();
    const before = largestMemory(server.processId);
    const count = 40;
    const begun = Array.from({ length: count }, () => {
      void open(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`, false);
      const socket = sockets[sockets.length - 1];
      socket.pause();
      return once(socket, 'connect');
    });
    await Promise.all(begun);
    // Pieces of all downloads are rendered in turn: without backpressure, the others would end at about the same time as these.
    for (let k = 0; k < 3; k++) assert.equal(await download(), bytes);
    const taken = largestMemory(server.processId) - before;
    assert.ok(taken < (count / 4) * bytes, `${taken} bytes for ${count} times ${bytes}`);
    await goesOn();
  });

  it('that follow a fit without reading delay neither the fit nor other clients', async () => {
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

  it('that use all file descriptors are refused, and the server continues when they are closed', async () => {
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
    const model = await post('models', { program_code: `${PROGRAM} // again` });
    const fit = await post(`${model.name}/fits`, { function: NUTS, random_seed: 2 });
    assert.notEqual(fit.name, undefined, JSON.stringify(fit));
  });
});
