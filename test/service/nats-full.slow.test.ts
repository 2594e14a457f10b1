/** NATS without space: writes are refused with the reason, stored fits are read, and work in progress waits until there is space. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { NatsServer, withoutNats } from '../support/nats.js';
import { type ServerProcess, startServing } from '../support/serving.js';
import { Speaker } from './crashing/speaker.js';
import { NUTS } from './every-function.js';

const NO_SPACE = /NATS has no space left/;

describe('a service whose NATS has no space left', { skip: withoutNats }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'leapfrog-full-nats-'));
  const configuration = join(folder, 'nats.conf');
  let nats: NatsServer;
  let server: ServerProcess;
  let speaker: Speaker;
  let model: string;
  let seed = 0;
  const finished: string[] = [];
  /** Operations that were accepted before there was no space left. */
  const waiting: string[] = [];

  const limitTo = (size: string) => writeFileSync(configuration, `jetstream { max_file_store: ${size} }\n`);
  const post = (path: string, body: object) => speaker.ask('POST', `/v1/${path}`, body);
  const newModel = (name: string) => post('models', { program_code: `parameters { real ${name}; } model { }` });
  const newFit = () =>
    post(`${model}/fits`, { function: NUTS, random_seed: ++seed, num_warmup: 100, num_samples: 2000 });

  before(async () => {
    limitTo('12MB');
    nats = await NatsServer.start(['-c', configuration]);
    server = startServing(join(folder, 'store'), { LEAPFROG_NATS: nats.address, LEAPFROG_NATS_PREFIX: 'full' });
    speaker = new Speaker(await server.address);
    const program = { program_code: 'parameters { vector[50] x; } model { x ~ normal(0, 1); }' };
    model = (await speaker.demand('POST', '/v1/models', program)).name;
  });
  after(async () => {
    await server.end('SIGTERM');
    await nats.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts one fit after another until a request is refused. */
  async function fill(): Promise<string> {
    for (let probes = 0; ; ) {
      const { status, text } = await newFit();
      if (status === 503) return text;
      const { name } = JSON.parse(text);
      for (;;) {
        const operation = await speaker.demand('GET', `/v1/${name}`);
        if (operation.done) {
          finished.push(operation.result.name);
          break;
        }
        const probe = await newModel(`p${++probes}`);
        if (probe.status === 503) {
          waiting.push(name);
          return probe.text;
        }
      }
    }
  }

  test('refuses requests that must be stored, with the reason', async () => {
    assert.match(await fill(), NO_SPACE);
    assert.ok(finished.length > 0);
    // Writes that are smaller than the refused one may still succeed.
    for (const ask of [newFit, () => newModel('q')]) {
      const { status, text } = await ask();
      if (status === 503) assert.match(text, NO_SPACE);
      else assert.equal(status, 201, text);
      if (status === 201 && ask === newFit) waiting.push(JSON.parse(text).name);
    }
  });

  test('reads fits and evaluates models as before', async () => {
    assert.equal((await speaker.ask('GET', '/v1/health')).status, 200);
    for (const name of finished) {
      const { status, text } = await speaker.ask('GET', `/v1/${name}`);
      assert.equal(status, 200);
      assert.equal(text.match(/"topic":"sample","values":\{/g)?.length, 2000);
    }
    assert.equal((await post(`${model}/log_prob`, Array(50).fill(0))).status, 200);
  });

  test('completes accepted operations when there is space', async () => {
    limitTo('1GB');
    await nats.kill();
    await nats.run();
    while ((await newModel('r')).status === 503) await pause(100);
    for (const name of waiting) assert.match((await speaker.finished(name)).result.name, /fits/);
    const { status, text } = await newFit();
    assert.ok(status < 300, text);
    assert.match((await speaker.finished(JSON.parse(text).name)).result.name, /fits/);
  });
});
