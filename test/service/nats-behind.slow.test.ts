import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { chainFile } from '../../src/fit-files/layout.js';
import { type BucketName, type Cluster, joinCluster } from '../../src/service/cluster/cluster.js';
import { openIn } from '../../src/service/cluster/nats-pair.js';
import { randomIdentifier } from '../../src/service/store/identifiers.js';
import { LostStore } from '../../src/service/store/store.js';
import { NatsServer, withoutNats } from '../support/nats.js';
import { instead } from '../support/nats-cluster.js';

describe('a NATS server that has not caught up', { skip: withoutNats }, () => {
  let nats: NatsServer;
  let folder: string;
  let pair: Awaited<ReturnType<typeof openIn>>;
  /** Buckets and keys, as `bucket/key`, that the server does not return, as if it had not received their values. */
  const unknown = new Set<string>();
  /** Called when such a key is requested from the server. */
  let onAsked: () => Promise<void> = async () => undefined;

  before(async () => {
    nats = await NatsServer.start();
    folder = await mkdtemp(join(tmpdir(), 'leapfrog-behind-'));
    const options = { servers: [nats.address], prefix: randomUUID(), credentials: undefined, leaseTime: 1000 };
    const cluster = await joinCluster(options);
    const behind = (name: BucketName): Cluster['buckets'][BucketName] => {
      const bucket = cluster.buckets[name];
      const get: typeof bucket.get = async (key) => {
        if (!unknown.has(`${name}/${key}`)) return bucket.get(key);
        await onAsked();
        return null;
      };
      return instead(bucket, { get });
    };
    const buckets = {
      ...cluster.buckets,
      models: behind('models'),
      fits: behind('fits'),
      operations: behind('operations'),
      programs: behind('programs'),
      contents: behind('contents'),
    };
    pair = await openIn({ ...cluster, buckets }, folder, 2 ** 30);
  });
  after(async () => {
    await pair.queue.close();
    await pair.close();
    await nats.stop();
    await rm(folder, { recursive: true });
  });

  const newModel = async () => {
    const modelId = randomIdentifier();
    const model = { resource: '{}', artifact: '{}', wasm: Uint8Array.of(1), source: { program: '', includes: {} } };
    await pair.store.models.save(modelId, randomIdentifier(), model);
    return modelId;
  };
  const newFit = async (modelId: string) => {
    const { fits } = pair.store;
    const id = randomIdentifier();
    const making = fits.choose(modelId, id);
    await fits.create(making, [1]);
    await writeFile(chainFile(making, 1, 'messages'), 'whole');
    await fits.keepChain(making, 1);
    return { id, publish: () => fits.publish(making, [1], '{"seed":1}') };
  };
  const whileUnknown = async (key: string, action: () => Promise<void>) => {
    unknown.add(key);
    await action().finally(() => unknown.delete(key));
  };

  it('does not make models, fits and operations count as missing', async () => {
    const { models, fits, operations } = pair.store;
    const modelId = await newModel();
    const { id, publish } = await newFit(modelId);
    assert.ok(await publish());
    await operations.save('ended', id, '{}');
    await whileUnknown(`models/${modelId}`, () => assert.rejects(models.has(modelId), LostStore));
    await whileUnknown(`fits/${modelId}.${id}`, () => assert.rejects(fits.has(modelId, id), LostStore));
    await whileUnknown(`operations/ended.${id}`, () => assert.rejects(operations.read('ended', id), LostStore));
    assert.ok((await models.has(modelId)) && (await fits.has(modelId, id)));
    assert.equal(await operations.read('ended', id), '{}');
  });

  it('does not cause the removal of a fit that is being published', async () => {
    const modelId = await newModel();
    const { id, publish } = await newFit(modelId);
    await whileUnknown(`models/${modelId}`, async () => void (await assert.rejects(publish(), LostStore)));
    assert.ok(await publish());
    assert.equal(await pair.store.fits.readRecord(modelId, id), '{"seed":1}');
  });

  it('is asked again for the program of a model and the contents of a fit', async () => {
    const { models, fits } = pair.store;
    const modelId = await newModel();
    const { id, publish } = await newFit(modelId);
    assert.ok(await publish());
    const mark = await fits.markOf(modelId, id);
    const catchUpLater = () => {
      let asked = 0;
      onAsked = async () => void (++asked === 3 && unknown.clear());
    };
    catchUpLater();
    await whileUnknown(`programs/${modelId}`, async () => assert.ok(await models.readSource(modelId)));
    catchUpLater();
    await whileUnknown(`contents/${modelId}.${id}.${mark}`, async () =>
      assert.equal(await fits.readRecord(modelId, id), '{"seed":1}'),
    );
    onAsked = async () => undefined;
  });

  it('does not hinder the removal of a fit whose contents are lost', async () => {
    const { fits } = pair.store;
    const modelId = await newModel();
    const { id, publish } = await newFit(modelId);
    assert.ok(await publish());
    const key = `contents/${modelId}.${id}.${await fits.markOf(modelId, id)}`;
    await whileUnknown(key, async () => assert.ok(await fits.remove(modelId, id)));
    assert.equal(await fits.has(modelId, id), false);
  });

  it('is not suspected when another process removes the key at the same time', async () => {
    const modelId = await newModel();
    let asked = 0;
    onAsked = async () => {
      // The second request follows the write that makes the response reliable.
      if (++asked !== 2) return;
      unknown.delete(`models/${modelId}`);
      await pair.store.models.remove(modelId);
      unknown.add(`models/${modelId}`);
    };
    await whileUnknown(`models/${modelId}`, async () => assert.equal(await pair.store.models.has(modelId), false));
    onAsked = async () => undefined;
  });
});
