import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { chainFile } from '../../src/fit-files/layout.js';
import { putFiles } from '../../src/service/cluster/files.js';
import { Leftovers } from '../../src/service/cluster/leftovers.js';
import { Values } from '../../src/service/cluster/values.js';
import { randomIdentifier } from '../../src/service/store/identifiers.js';
import { withoutNats } from '../support/nats.js';
import { type JoinedCluster, joinNewCluster } from '../support/nats-cluster.js';

/** A text that is too long for a message. */
const LONG = 'x'.repeat(600_000);
const HOUR = 3_600_000;

describe('unreferenced objects in a cluster', { skip: withoutNats }, () => {
  let joined: JoinedCluster;
  let cluster: JoinedCluster['cluster'];
  let pair: JoinedCluster['pair'];
  let leftovers: Leftovers;

  before(async () => {
    joined = await joinNewCluster();
    ({ cluster, pair } = joined);
    leftovers = new Leftovers(cluster, pair.store);
  });
  after(() => joined.close());

  /** Ages the leftovers, so that they count as abandoned. */
  const remove = () => leftovers.remove(Date.now() + HOUR);
  const objects = async () => (await cluster.files.list()).map(({ name }) => name);
  const newModel = async () => {
    const id = randomIdentifier();
    const model = { resource: '{}', artifact: '{}', wasm: Uint8Array.of(1), source: { program: LONG, includes: {} } };
    await pair.store.models.save(id, randomIdentifier(), model);
    return id;
  };
  const keepChain = async (modelId: string, id: string) => {
    const making = pair.store.fits.choose(modelId, id);
    await pair.store.fits.create(making, [1]);
    await writeFile(chainFile(making, 1, 'messages'), 'messages of the chain');
    await pair.store.fits.keepChain(making, 1);
    return making;
  };
  const messagesOf = async (modelId: string, id: string) => {
    const held = await pair.store.fits.open(modelId, id);
    assert.ok(held);
    return readFile(chainFile(held.path, 1, 'messages'), 'utf8').finally(held.release);
  };
  const newFit = async () => {
    const [modelId, id] = [await newModel(), randomIdentifier()];
    await pair.store.fits.publish(await keepChain(modelId, id), [1], LONG);
    return { modelId, id };
  };

  it('are removed if they are files of a chain that was never stored', async () => {
    const path = join(joined.folder, 'messages');
    await writeFile(path, 'messages of the chain');
    const name = `fit.${randomIdentifier()}.${randomIdentifier()}.${randomIdentifier()}.chain-1.messages`;
    await putFiles(cluster.files, name, [path]);
    await leftovers.remove(Date.now() - HOUR);
    assert.ok((await objects()).includes(name), 'it may still be in the making');
    await remove();
    assert.ok(!(await objects()).includes(name));
  });

  it('are removed if they are chains that were stored after their operation had ended, but not before', async () => {
    const [modelId, id] = [await newModel(), randomIdentifier()];
    await pair.store.operations.save('running', id, JSON.stringify({ modelId }));
    await keepChain(modelId, id);
    const ofFit = async () => (await objects()).filter((name) => name.includes(id));
    await remove();
    assert.equal((await ofFit()).length, 1);
    await pair.store.operations.remove('running', id);
    await remove();
    assert.deepEqual(await ofFit(), []);
    assert.equal(await cluster.buckets.kept.get(`${modelId}.${id}.1`), null);
  });

  it('are removed if they belong to a fit that does not exist', async () => {
    const { modelId, id } = await newFit();
    const key = `${modelId}.${id}.${randomIdentifier()}`;
    await new Values(cluster, 'contents').put(key, LONG);
    await remove();
    assert.equal(await cluster.buckets.contents.get(key), null);
    assert.ok(!(await objects()).some((name) => name.includes(key)));
    assert.equal(await pair.store.fits.readRecord(modelId, id), LONG);
  });

  it('are removed if they are programs without a model, or compiled by an unknown engine', async () => {
    const id = randomIdentifier();
    await new Values(cluster, 'programs').put(id, LONG);
    const compiled = `model.${await newModel()}.${randomIdentifier()}.module`;
    await cluster.files.putBlob({ name: compiled }, Uint8Array.of(1));
    await remove();
    assert.equal(await cluster.buckets.programs.get(id), null);
    assert.ok(!(await objects()).some((name) => name.includes(id) || name === compiled));
  });

  it('are removed if they are texts that have been replaced', async () => {
    const [id, values] = [randomIdentifier(), new Values(cluster, 'operations')];
    for (const text of ['first', 'second', 'third']) await values.put(`running.${id}`, text + LONG);
    await remove();
    assert.equal((await objects()).filter((name) => name.includes(id)).length, 1);
    assert.equal(await values.get(`running.${id}`), `third${LONG}`);
    await values.remove(`running.${id}`);
  });

  it('do not include anything of an existing model or fit', async () => {
    const { modelId, id } = await newFit();
    const before = await objects();
    await remove();
    assert.deepEqual(await objects(), before);
    assert.equal(await messagesOf(modelId, id), 'messages of the chain');
    assert.equal((await pair.store.models.readSource(modelId))?.program, LONG);
  });

  it('are removed by one process every few hours', async () => {
    const other = new Leftovers(cluster, pair.store);
    const now = Date.now();
    assert.deepEqual((await Promise.all([leftovers.removeInTurn(now), other.removeInTurn(now)])).sort(), [false, true]);
    assert.equal(await other.removeInTurn(now + HOUR), false);
    assert.equal(await other.removeInTurn(now + 7 * HOUR), true);
    assert.equal(await leftovers.removeInTurn(now + 8 * HOUR), true, 'by the clock of NATS the last one was just now');
  });

  it('do not include work in progress, even if the clock has jumped ahead', async () => {
    const path = join(joined.folder, 'messages');
    await writeFile(path, 'messages of the chain');
    const name = `fit.${randomIdentifier()}.${randomIdentifier()}.${randomIdentifier()}.chain-1.messages`;
    await putFiles(cluster.files, name, [path]);
    const chain = await keepChain(await newModel(), randomIdentifier());
    const before = await objects();
    for (const ahead of [30, 365 * 24]) {
      assert.equal(await leftovers.removeInTurn(Date.now() + ahead * HOUR), true);
      assert.deepEqual(await objects(), before);
    }
    assert.equal(await readFile(chainFile(chain, 1, 'messages'), 'utf8'), 'messages of the chain');
    await remove();
    assert.ok(!(await objects()).includes(name), 'by the right clock it is removed when it is old');
  });

  it('are removed by the clock of NATS if the local clock was set back', async (context) => {
    const removal = context.mock.method(leftovers, 'remove');
    assert.equal(await leftovers.removeInTurn(Date.now() - 365 * 24 * HOUR), true);
    const last = await cluster.buckets.kept.get('leftovers');
    assert.deepEqual(removal.mock.calls[0].arguments, [Number(last?.created) - HOUR]);
  });

  it('do not include an equal text under another key', async () => {
    const [id, values] = [randomIdentifier(), new Values(cluster, 'operations')];
    await values.put(`running.${id}`, LONG);
    await values.put(`ended.${id}`, LONG);
    await values.remove(`running.${id}`);
    assert.equal(await values.get(`ended.${id}`), LONG);
  });

  it('do not delay an operation whose record is missing', async () => {
    const id = randomIdentifier();
    await cluster.buckets.operations.put(`running.${id}`, '@value.nowhere');
    await pair.store.operations.giveUp(id);
    assert.ok(!(await pair.store.operations.runningIds()).includes(id));
  });
});
