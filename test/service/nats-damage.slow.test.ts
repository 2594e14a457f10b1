/** Damaged records of operations in a cluster. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import Fastify from 'fastify';
import { RecordedOperations } from '../../src/service/operations/recorded-operations.js';
import { randomIdentifier } from '../../src/service/store/identifiers.js';
import { withoutNats } from '../support/nats.js';
import { type JoinedCluster, joinNewCluster } from '../support/nats-cluster.js';

const POLLS = 5;
/** A text that is too long for a message. It is stored as an object, which can be lost. */
const LONG = 'x'.repeat(600_000);

describe('damaged records of operations in a cluster', { skip: withoutNats }, () => {
  let joined: JoinedCluster;
  let logged: string[];
  let recorded: RecordedOperations;

  before(async () => {
    joined = await joinNewCluster();
    logged = [];
    const stream = { write: (line: string) => logged.push(line) };
    const { log } = Fastify({ logger: { level: 'trace', stream } });
    recorded = new RecordedOperations(joined.pair.store, undefined, log);
  });
  after(() => joined.close());

  const look = async () => assert.deepEqual(await recorded.unfinished(() => false), []);
  const loseObjects = async (id: string) => {
    const { files } = joined.cluster;
    const names = (await files.list()).map(({ name }) => name).filter((name) => name.includes(id));
    assert.ok(names.length > 0);
    for (const name of names) await files.delete(name);
  };

  it('are given up if unfinished, and logged once, however often a process looks for work', async () => {
    const { operations } = joined.pair.store;
    const id = randomIdentifier();
    await operations.save('running', id, LONG);
    await loseObjects(id);
    for (let poll = 0; poll < POLLS; poll++) await look();
    assert.equal(logged.filter((line) => line.includes(id)).length, 1, logged.join(''));
    assert.deepEqual(await operations.runningIds(), []);
  });

  it('are left alone if another version has written them, and logged once', async () => {
    const { operations } = joined.pair.store;
    const id = randomIdentifier();
    await operations.save('running', id, 'a record of another version');
    for (let poll = 0; poll < POLLS; poll++) await look();
    assert.equal(logged.filter((line) => line.includes(id)).length, 1, logged.join(''));
    assert.ok((await operations.runningIds()).includes(id));
    assert.equal(await operations.isOwn(id), false);
  });
});
