import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { jetstream } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { randomIdentifier } from '../../src/service/store/identifiers.js';
import { NatsServer, withoutNats } from '../support/nats.js';
import { type ServerProcess, startServing } from '../support/serving.js';
import { Speaker } from './crashing/speaker.js';

const PREFIX = 'attacked';
const BUCKETS = ['models', 'programs', 'fits', 'contents', 'kept', 'operations', 'makers', 'chains'] as const;
const PROGRAM = 'parameters { vector[5] x; } model { x ~ normal(0, 1); }';
const FUNCTION = 'stan::services::sample::hmc_nuts_diag_e_adapt';

/** Values that no process of the service writes. */
const GARBAGE: readonly (string | Uint8Array)[] = [
  '',
  '=',
  '@',
  '@value.nowhere',
  '={"kind":"ended"}',
  '={"__proto__":{"kind":"waiting"}}',
  `=${'['.repeat(100_000)}`,
  `={"kind":"ended","result":{"kind":"finished"},"progress":{"draws":1e308}}`,
  Uint8Array.from({ length: 1000 }, (_, k) => (k * 37) % 256),
  new Uint8Array(900_000).fill(0x7b),
];

describe('a hostile client within the prefix of a service', { skip: withoutNats }, () => {
  let nats: NatsServer;
  let store: string;
  let server: ServerProcess;
  let speaker: Speaker;
  let attacker: NatsConnection;
  let model: string;
  let undisturbed: ReadonlyMap<number, readonly string[]>;
  const received: { readonly subject: string; readonly data: Uint8Array }[] = [];

  before(async () => {
    nats = await NatsServer.start();
    store = await mkdtemp(join(tmpdir(), 'leapfrog-hostile-'));
    server = startServing(store, { LEAPFROG_NATS: nats.address, LEAPFROG_NATS_PREFIX: PREFIX });
    speaker = new Speaker(await server.address);
    attacker = await connect({ servers: nats.address });
    attacker.subscribe(`${PREFIX}.>`, {
      callback: (error, { data, subject }) => {
        if (error === null && received.length < 2000) received.push({ subject, data });
      },
    });
    model = (await speaker.demand('POST', '/v1/models', { program_code: PROGRAM })).name;
    undisturbed = new Map(
      await Promise.all([1, 2].map(async (seed) => [seed, await draws(await start(seed))] as const)),
    );
    for (const seed of [1, 2]) {
      const { result } = await speaker.finished(await start(seed));
      await speaker.demand('DELETE', `/v1/${result.name}`);
    }
  });
  after(async () => {
    await attacker.close();
    await server.end('SIGTERM');
    await nats.stop();
    await rm(store, { recursive: true, force: true });
  });

  async function start(random_seed: number): Promise<string> {
    const body = { function: FUNCTION, random_seed, num_chains: 2, num_samples: 4000 };
    return (await speaker.demand('POST', `/v1/${model}/fits`, body)).name;
  }

  /** The lines of a fit's draws, by chain, without times, which differ between runs. */
  async function draws(operation: string): Promise<readonly string[]> {
    const { result } = await speaker.finished(operation);
    assert.ok(result.name, JSON.stringify(result));
    const { status, text } = await speaker.ask('GET', `/v1/${result.name}`);
    assert.equal(status, 200);
    return text.split('\n').filter((line) => line.includes('"values":{'));
  }

  async function isAlive(): Promise<void> {
    assert.equal((await speaker.ask('GET', '/v1/health')).status, 200);
    for (const path of ['models', 'operations', `${model}/fits`]) {
      assert.equal((await speaker.ask('GET', `/v1/${path}`)).status, 200, path);
    }
  }

  test('invalid and replayed messages on its subjects change no draw', async () => {
    const operations = await Promise.all([1, 2].map(start));
    assert.ok(received.length > 0, 'the service sends messages');
    for (const [index, { subject, data }] of received.slice(0, 300).entries()) {
      attacker.publish(subject, data);
      attacker.publish(subject, GARBAGE[index % GARBAGE.length], { reply: subject });
      attacker.publish(`${subject}.more`, GARBAGE[(index + 1) % GARBAGE.length]);
    }
    for (const word of ['progress', 'cancelled', 'presence', 'journal', 'unknown', 'progress.a.b.c']) {
      for (const garbage of GARBAGE) attacker.publish(`${PREFIX}.${word}.${randomIdentifier()}`, garbage);
    }
    await attacker.flush();
    for (const [k, operation] of operations.entries()) {
      assert.deepEqual(await draws(operation), undisturbed.get(k + 1));
    }
    await isAlive();
  });

  test('invalid values under new keys of its buckets create no model, fit, operation or chain', async () => {
    const kvs = new Kvm(jetstream(attacker));
    for (const bucket of BUCKETS) {
      const kv = await kvs.open(`${PREFIX}_${bucket}`);
      const id = randomIdentifier();
      const keys = [
        id,
        `${id}.${id}`,
        `running.${id}`,
        `ended.${id}`,
        `${id}.1.0`,
        `${id}.x.y`,
        `..`.replace('..', 'a'),
      ];
      for (const [k, key] of keys.entries()) {
        await kv.put(key, GARBAGE[k % GARBAGE.length]);
        await kv.put(key, GARBAGE[(k + 3) % GARBAGE.length]);
      }
    }
    await isAlive();
    const seed = 11;
    assert.equal((await draws(await start(seed))).length, 2 * 2 * 4000);
    await isAlive();
  });

  test('invalid values in place of running chains end with the same draws or a clear error', async () => {
    const operations = await Promise.all([21, 22, 23].map(start));
    const kv = await new Kvm(jetstream(attacker)).open(`${PREFIX}_chains`);
    const keys: string[] = [];
    for await (const key of await kv.keys()) keys.push(key);
    for (const [k, key] of keys.entries()) await kv.put(key, GARBAGE[k % GARBAGE.length]);
    for (const operation of operations) {
      const { metadata, result } = await speaker.finished(operation);
      const { status, text } = await speaker.ask('GET', `/v1/${metadata.fit.name}`);
      if (result.name === undefined) {
        assert.ok(result.code >= 400 && result.message.length > 10, JSON.stringify(result));
        assert.equal(status, 404);
      } else {
        assert.equal(status, 200);
        assert.equal(text.match(/"topic":"sample","values":\{/g)?.length, 2 * 4000);
      }
    }
    await isAlive();
  });

  test('finished fits survive, and no process has been replaced', async () => {
    const id = server.processId;
    assert.doesNotThrow(() => process.kill(id, 0));
    assert.equal((await draws(await start(31))).length, 2 * 2 * 4000);
    await server.end('SIGTERM');
    server = startServing(store, { LEAPFROG_NATS: nats.address, LEAPFROG_NATS_PREFIX: PREFIX });
    speaker = new Speaker(await server.address);
    assert.equal((await draws(await start(31))).length, 2 * 2 * 4000);
    await isAlive();
  });
});
