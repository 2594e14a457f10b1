import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { blockFolder, chainFile } from '../../src/fit-files/layout.js';
import { type Cluster, joinCluster } from '../../src/service/cluster/cluster.js';
import { openIn } from '../../src/service/cluster/nats-pair.js';
import { WatchedBucket } from '../../src/service/cluster/watched-bucket.js';
import { randomIdentifier } from '../../src/service/store/identifiers.js';
import type { Store } from '../../src/service/store/store.js';
import { LostStore } from '../../src/service/store/store.js';
import { NatsServer, withoutNats } from '../support/nats.js';
import { instead } from '../support/nats-cluster.js';

type Files = Cluster['files'];
type Contents = Cluster['buckets']['contents'];

describe('fits of a cluster', { skip: withoutNats }, () => {
  let nats: NatsServer;
  let folder: string;
  let cluster: Cluster;
  let maker: Awaited<ReturnType<typeof openIn>>;
  let reader: Awaited<ReturnType<typeof openIn>>;
  /** Called before the reader reads a file; if it returns undefined, the reader reads the existing file. */
  let beforeFile: (() => Promise<null | undefined>) | undefined;
  /** Called before the reader writes the contents of a fit. */
  let beforeContents: (() => Promise<void>) | undefined;

  /** Called before the reader removes a fit. */
  let beforeRemoval: (() => Promise<void>) | undefined;

  const joinIt = (prefix: string) =>
    joinCluster({ servers: [nats.address], prefix, credentials: undefined, leaseTime: 1000 });

  before(async () => {
    nats = await NatsServer.start();
    folder = await mkdtemp(join(tmpdir(), 'leapfrog-cache-'));
    const prefix = randomUUID();
    maker = await openIn(await joinIt(prefix), join(folder, 'maker'), 2 ** 30);
    cluster = await joinIt(prefix);
    const get: Files['get'] = async (name) => {
      const answer = await beforeFile?.();
      return answer === undefined ? cluster.files.get(name) : answer;
    };
    const put: Contents['put'] = async (...value) => {
      await beforeContents?.();
      return cluster.buckets.contents.put(...value);
    };
    const files = instead(cluster.files, { get });
    const remove: Contents['delete'] = async (...key) => {
      await beforeRemoval?.();
      return cluster.buckets.fits.delete(...key);
    };
    const buckets = {
      ...cluster.buckets,
      contents: instead(cluster.buckets.contents, { put }),
      fits: instead(cluster.buckets.fits, { delete: remove }),
    };
    reader = await openIn({ ...cluster, files, buckets }, join(folder, 'reader'), 2 ** 30);
  });
  after(async () => {
    for (const { queue, close } of [maker, reader]) {
      await queue.close();
      await close();
    }
    await nats.stop();
    await rm(folder, { recursive: true });
  });

  const keep = async (fits: Store['fits'], making: string, messages: string) => {
    await fits.create(making, [1]);
    await writeFile(chainFile(making, 1, 'messages'), messages);
    await fits.keepChain(making, 1);
  };
  const make = async (fits: Store['fits'], modelId: string, id: string, messages: string) => {
    const making = fits.choose(modelId, id);
    await keep(fits, making, messages);
    assert.ok(await fits.publish(making, [1], '{"seed":1}'));
    return making;
  };
  const newModel = async () => {
    const modelId = randomIdentifier();
    const model = { resource: '{}', artifact: '{}', wasm: Uint8Array.of(1), source: { program: '', includes: {} } };
    await maker.store.models.save(modelId, randomIdentifier(), model);
    return modelId;
  };
  const newFit = async () => {
    const modelId = await newModel();
    const id = randomIdentifier();
    const making = await make(maker.store.fits, modelId, id, 'first');
    return { modelId, id, making };
  };
  const messagesOf = async (modelId: string, id: string) => {
    const held = await reader.store.fits.open(modelId, id);
    if (held === undefined) return undefined;
    return readFile(chainFile(held.path, 1, 'messages'), 'utf8').finally(held.release);
  };

  it('have the files of the latest two blocks of a chain until the chain is stored', async () => {
    const [modelId, id] = [await newModel(), randomIdentifier()];
    const making = maker.store.fits.choose(modelId, id);
    await maker.store.fits.create(making, [1]);
    for (const block of [0, 1, 2]) {
      await mkdir(blockFolder(making, block));
      await writeFile(chainFile(blockFolder(making, block), 1, 'messages'), `block ${block}`);
      await maker.store.fits.keepChain(making, 1, block);
    }
    const other = reader.store.fits.choose(modelId, id);
    await reader.store.fits.create(other, [1]);
    for (const block of [1, 2]) {
      await reader.store.fits.fetchBlock(other, [1], block);
      assert.equal(await readFile(chainFile(blockFolder(other, block), 1, 'messages'), 'utf8'), `block ${block}`);
    }
    assert.equal(await reader.store.fits.lastBlock(other, [1]), 2);
    assert.equal(await reader.store.fits.lastBlock(other, [1, 2]), undefined);
    await assert.rejects(reader.store.fits.fetchBlock(other, [1], 0), /block 0 of chain 1 of .* has not been stored/);
    const filesOf = async () => {
      const names: string[] = [];
      for await (const { name, deleted } of await cluster.files.list().then((list) => list.values()))
        if (!deleted && name.includes(`.${id}.`)) names.push(name);
      return names.length;
    };
    assert.equal(await filesOf(), 2);
    await writeFile(chainFile(other, 1, 'messages'), 'whole');
    await reader.store.fits.keepChain(other, 1);
    assert.ok(await maker.store.fits.publish(making, [1], '{"seed":1}'));
    assert.equal(await messagesOf(modelId, id), 'whole');
    assert.equal(await filesOf(), 1);
  });

  it('do not exist if they are removed while they are read', async () => {
    const { modelId, id } = await newFit();
    beforeFile = async () => {
      beforeFile = undefined;
      await maker.store.fits.remove(modelId, id);
      return undefined;
    };
    assert.equal(await messagesOf(modelId, id), undefined);
  });

  it('do not exist if they are removed while they are used', async () => {
    const { modelId, id } = await newFit();
    beforeRemoval = async () => {
      beforeRemoval = undefined;
      await maker.store.fits.touch(modelId, id);
    };
    assert.equal(await reader.store.fits.remove(modelId, id), true);
    assert.equal(await messagesOf(modelId, id), undefined);
  });

  it('store their time of use once a minute, even if the clock was set back', (context) => {
    const { store } = maker;
    let elapsed = Math.ceil(performance.now());
    context.mock.method(performance, 'now', () => elapsed);
    context.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const stored = context.mock.method(store.models, 'touch', async () => undefined);
    const name = `models/${randomIdentifier()}`;
    store.touch(name);
    context.mock.timers.setTime(1000);
    store.touch(name);
    assert.equal(stored.mock.callCount(), 1);
    elapsed += 60_000;
    store.touch(name);
    assert.equal(stored.mock.callCount(), 2);
  });

  it('are read in their new version if they are created again while they are read', async () => {
    const { modelId, id } = await newFit();
    beforeFile = async () => {
      beforeFile = undefined;
      await maker.store.fits.remove(modelId, id);
      await make(maker.store.fits, modelId, id, 'second');
      return undefined;
    };
    assert.equal(await messagesOf(modelId, id), 'second');
  });

  it('are read when their files have reached every NATS server', async () => {
    const { modelId, id } = await newFit();
    let missing = 5;
    beforeFile = async () => (missing-- > 0 ? null : undefined);
    assert.equal(await messagesOf(modelId, id), 'first');
  });

  it('stay complete when their chains, which a late worker has stored once more, are removed', async () => {
    const { modelId, id, making } = await newFit();
    await keep(maker.store.fits, making, 'first');
    await reader.store.fits.forgetChains(making, [1]);
    assert.equal(await messagesOf(modelId, id), 'first');
  });

  it('do not exist if their chains are removed while they are created', async () => {
    const [modelId, id] = [await newModel(), randomIdentifier()];
    const fits = reader.store.fits;
    const making = fits.choose(modelId, id);
    await keep(fits, making, 'first');
    beforeContents = async () => {
      beforeContents = undefined;
      await maker.store.fits.forgetChains(making, [1]);
    };
    assert.equal(await fits.publish(making, [1], '{"seed":1}'), false);
    assert.equal(await messagesOf(modelId, id), undefined);
  });

  it('are known to a process that starts while the NATS servers elect a leader', async () => {
    const { modelId, id } = await newFit();
    let isLost = true;
    const write = async (bucket: Parameters<Cluster['markers']['write']>[0]) => {
      const wasLost = isLost;
      isLost = false;
      if (wasLost) throw new LostStore('NATS cannot be reached (timeout)');
      return cluster.markers.write(bucket);
    };
    const watched = await WatchedBucket.open({ ...cluster, markers: instead(cluster.markers, { write }) }, 'fits');
    assert.notEqual(watched.get(`${modelId}.${id}`), undefined);
    watched.close();
  });
});
