import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { joinCluster } from '../../../src/service/cluster/cluster.js';
import { openIn } from '../../../src/service/cluster/nats-pair.js';
import { randomIdentifier } from '../../../src/service/store/identifiers.js';
import type { OperationRecord } from '../../../src/service/store/operation-record.js';
import { NatsServer, withoutNats } from '../../support/nats.js';
import { queueContract } from './queue-contract.js';
import { storeContract } from './store-contract.js';

/** Milliseconds. */
const LEASE_TIME = 2000;

describe('with NATS', { skip: withoutNats }, () => {
  let nats: NatsServer;
  before(async () => {
    nats = await NatsServer.start();
  });
  after(() => nats.stop());

  const join = async (prefix: string) =>
    joinCluster({ servers: [nats.address], prefix, credentials: undefined, leaseTime: LEASE_TIME });

  storeContract('in NATS', withoutNats, async () => {
    const prefix = randomUUID();
    const folder = await mkdtemp(path.join(tmpdir(), 'leapfrog-cache-'));
    const open = async (name: string) => openIn(await join(prefix), path.join(folder, name), 2 ** 30);
    const [one, other] = [await open('one'), await open('other')];
    const close = async () => {
      for (const pair of [one, other]) await pair.close();
      await rm(folder, { recursive: true });
    };
    return { one: one.store, other: other.store, close };
  });

  it('two processes that store a model concurrently receive one resource', async () => {
    const prefix = randomUUID();
    const folder = await mkdtemp(path.join(tmpdir(), 'leapfrog-cache-'));
    const open = async (name: string) => openIn(await join(prefix), path.join(folder, name), 2 ** 30);
    const pairs = [await open('one'), await open('other')];
    const [id, engine] = [randomIdentifier(), randomIdentifier()];
    const rest = { source: { program: '', includes: {} }, artifact: '{}', wasm: Uint8Array.of(1) };
    const told = await Promise.all(
      pairs.map(({ store }, k) => store.models.save(id, engine, { ...rest, resource: `{"by":${k}}` })),
    );
    const kept = await pairs[0].store.models.readResource(id);
    assert.deepEqual(told, [kept, kept]);
    for (const pair of pairs) {
      await pair.queue.close();
      await pair.close();
    }
    await rm(folder, { recursive: true });
  });

  queueContract('in NATS', withoutNats, async () => {
    const prefix = randomUUID();
    const folder = await mkdtemp(path.join(tmpdir(), 'leapfrog-cache-'));
    const open = async (name: string) => openIn(await join(prefix), path.join(folder, name), 2 ** 30);
    const pairs = [await open('asking'), await open('working')] as const;
    const [asking, working] = pairs.map(({ queue }) => queue);
    const record = (given: OperationRecord) =>
      pairs[0].store.operations.save('running', given.id, JSON.stringify(given));
    const close = async () => {
      for (const pair of pairs) {
        await pair.queue.close();
        await pair.close();
      }
      await rm(folder, { recursive: true });
    };
    return { leaseTime: LEASE_TIME, pass: (time) => pause(time), asking, working, record, close };
  });
});
