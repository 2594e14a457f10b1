/** Log entries of answers that end early. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startServing } from '../support/serving.js';
import { NUTS } from './every-function.js';

const LEVELS = { info: 30, warn: 40 };

describe('the log', () => {
  it('has one line for each follower of a cancelled fit, without a stack and below the level of warnings', async () => {
    const store = await mkdtemp(join(tmpdir(), 'leapfrog-log-'));
    const server = startServing(store, { LEAPFROG_LOG_LEVEL: 'info' });
    try {
      const base = `${await server.address}/v1`;
      // biome-ignore lint/suspicious/noExplicitAny: the assertions check what the server answers
      const post = async (path: string, body: object): Promise<any> => {
        const headers = { 'content-type': 'application/json' };
        return (await fetch(`${base}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
      };
      const model = await post('models', { program_code: 'parameters { real x; } model { x ~ std_normal(); }' });
      const samples = { num_warmup: 100, num_samples: 1e8, save_warmup: true };
      const fit = await post(`${model.name}/fits`, { function: NUTS, random_seed: 1, ...samples });
      const name: string = fit.metadata.fit.name;
      const followers = [`${name}?follow=true`, `${name}?follow=true`, `${fit.name}/events?draws=true`].map(
        async (path) => {
          const response = await fetch(`${base}/${path}`);
          assert.equal(response.status, 200);
          const reader = response.body?.getReader();
          await reader?.read();
          return reader;
        },
      );
      const readers = await Promise.all(followers);
      // A client that goes away.
      const gone = new AbortController();
      const leaving = await fetch(`${base}/${name}?follow=true`, { signal: gone.signal });
      await leaving.body?.getReader().read();
      gone.abort();
      await fetch(`${base}/${fit.name}`, { method: 'DELETE' });
      for (const reader of readers) {
        for (;;) {
          const ended = await reader?.read().then(
            ({ done }) => done,
            () => true,
          );
          if (ended !== false) break;
        }
      }
    } finally {
      await server.end('SIGTERM');
      await rm(store, { recursive: true, force: true });
    }
    const { output } = await server.ended;
    const lines = output.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
    assert.ok(
      lines.some(({ reason }) => reason === 'the followed fit was abandoned'),
      output,
    );
    for (const line of lines) {
      assert.ok(line.level <= LEVELS.info, JSON.stringify(line));
      assert.doesNotMatch(JSON.stringify(line), /\\n +at /);
    }
  });
});
