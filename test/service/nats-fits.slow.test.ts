import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { DamagedFile } from '../../src/fit-files/checksums.js';
import { blockFolder, chainFile, fetchedFolder } from '../../src/fit-files/layout.js';
import { type Cluster, joinCluster } from '../../src/service/cluster/cluster.js';
import { openIn } from '../../src/service/cluster/nats-pair.js';
import { WatchedBucket } from '../../src/service/cluster/watched-bucket.js';
import { deferred } from '../../src/service/queue/deferred.js';
import { randomIdentifier } from '../../src/service/store/identifiers.js';
import type { Store } from '../../src/service/store/store.js';
import { LostStore, PastBlock } from '../../src/service/store/store.js';
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
  /** Called before the reader finds an object; if it returns undefined, the reader finds the existing one. */
  let beforeFile: ((name: string) => Promise<Awaited<ReturnType<Files['info']>> | undefined>) | undefined;
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
    const info: Files['info'] = async (name) => {
      const answer = await beforeFile?.(name);
      return answer === undefined ? cluster.files.info(name) : answer;
    };
    const put: Contents['put'] = async (...value) => {
      await beforeContents?.();
      return cluster.buckets.contents.put(...value);
    };
    const files = instead(cluster.files, { info });
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
      const fetched = await reader.store.fits.fetchBlock(other, [1], block);
      assert.equal(await readFile(chainFile(fetched, 1, 'messages'), 'utf8'), `block ${block}`);
      await reader.store.fits.discardBlock(other, block);
      assert.equal((await readdir(other)).includes(basename(fetched)), false);
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

  const BLOCK_FILES = ['messages', 'draws.arrow', 'json'] as const;

  /** Stores the files of a block of chain 1. */
  const keepBlock = async (making: string, block: number) => {
    await mkdir(blockFolder(making, block));
    for (const file of BLOCK_FILES) await writeFile(chainFile(blockFolder(making, block), 1, file), `${file} ${block}`);
    await maker.store.fits.keepChain(making, 1, block);
  };
  /** A stored block of the maker, and a folder of the reader for the same fit. */
  const newBlock = async () => {
    const [modelId, id] = [await newModel(), randomIdentifier()];
    const making = maker.store.fits.choose(modelId, id);
    const other = reader.store.fits.choose(modelId, id);
    await maker.store.fits.create(making, [1]);
    await reader.store.fits.create(other, [1]);
    await keepBlock(making, 0);
    return { making, other };
  };
  const assertComplete = async (block: string) => {
    const names = BLOCK_FILES.map((file) => basename(chainFile(block, 1, file)));
    assert.deepEqual((await readdir(block)).sort(), names.sort());
    for (const file of BLOCK_FILES) assert.equal(await readFile(chainFile(block, 1, file), 'utf8'), `${file} 0`);
  };

  it('have the files of a block in one object that is fetched once', async () => {
    const { other } = await newBlock();
    const gate = deferred<void>();
    const names: string[] = [];
    beforeFile = async (name) => {
      names.push(name);
      await gate.promise;
      return undefined;
    };
    const { fits } = reader.store;
    const fetching = Promise.all([fits.fetchBlock(other, [1], 0), fits.fetchBlock(other, [1], 0)]);
    while (names.length === 0) await turn();
    gate.resolve();
    const [block] = await fetching;
    beforeFile = undefined;
    assert.equal(names.length, 1);
    await assertComplete(block);
    await fits.discard(other);
    assert.equal((await readdir(dirname(other))).includes(basename(other)), false);
  });

  it('have the record of a chain only if its other files are complete', async () => {
    const { other } = await newBlock();
    const { fits } = reader.store;
    const obstacle = join(fetchedFolder(other, 0), 'chain-1.messages', 'obstacle');
    await mkdir(obstacle, { recursive: true });
    await assert.rejects(fits.fetchBlock(other, [1], 0));
    assert.equal((await readdir(fetchedFolder(other, 0))).includes('chain-1.json'), false);
    await rm(dirname(obstacle), { recursive: true });
    await assertComplete(await fits.fetchBlock(other, [1], 0));
  });

  it('are fetched as a whole after a fetch that was interrupted', async () => {
    const { other } = await newBlock();
    const { fits } = reader.store;
    beforeFile = async () => {
      throw new LostStore('NATS cannot be reached');
    };
    await assert.rejects(fits.fetchBlock(other, [1], 0), LostStore);
    assert.deepEqual(await readdir(fetchedFolder(other, 0)), []);
    beforeFile = undefined;
    await assertComplete(await fits.fetchBlock(other, [1], 0));
  });

  it('have files of any size, which are divided into messages', async () => {
    const [modelId, id] = [await newModel(), randomIdentifier()];
    const making = maker.store.fits.choose(modelId, id);
    await maker.store.fits.create(making, [1]);
    const sizes = { messages: 0, state: 3, 'draws.arrow': 1_300_000, 'diagnostics.arrow': 524_288, json: 700_000 };
    const files = Object.entries(sizes).map(([file, bytes]) => ({
      name: `chain-1.${file}`,
      content: randomBytes(bytes),
    }));
    for (const { name, content } of files) await writeFile(join(making, name), content);
    await maker.store.fits.keepChain(making, 1);
    assert.ok(await maker.store.fits.publish(making, [1], '{"seed":1}'));
    const held = await reader.store.fits.open(modelId, id);
    assert.ok(held);
    for (const { name, content } of files) assert.ok(content.equals(await readFile(join(held.path, name))), name);
    held.release();
  });

  it('are damaged if an object has other bytes than its checksum', async () => {
    const { modelId, id } = await newFit();
    const other = await newFit();
    const infoOf = async (fit: string) => {
      const found = (await cluster.files.list()).find(({ name }) => name.includes(`.${fit}.`));
      assert.ok(found);
      return found;
    };
    const [wrong, right] = [await infoOf(other.id), await infoOf(id)];
    beforeFile = async () => instead(right, { nuid: wrong.nuid, digest: `${right.digest.slice(0, -4)}AAA=` });
    await assert.rejects(messagesOf(modelId, id), DamagedFile);
    beforeFile = undefined;
    assert.equal(await messagesOf(modelId, id), 'first');
  });

  it('are read if an earlier version has stored each file as an object', async () => {
    const [modelId, id, mark] = [await newModel(), randomIdentifier(), randomIdentifier()];
    const files = [];
    for (const file of BLOCK_FILES) {
      const name = `chain-1.${file}`;
      const content = Buffer.from(`${file} 0`);
      await cluster.files.putBlob({ name: `fit.${modelId}.${id}.${mark}.${name}` }, content);
      files.push({ name, mark, bytes: content.length });
    }
    await cluster.buckets.contents.put(`${modelId}.${id}.${mark}`, `=${JSON.stringify({ record: '{}', files })}`);
    await cluster.buckets.fits.put(`${modelId}.${id}`, `=${JSON.stringify({ mark, bytes: 30 })}`);
    const held = await reader.store.fits.open(modelId, id);
    assert.ok(held);
    for (const file of BLOCK_FILES) assert.equal(await readFile(chainFile(held.path, 1, file), 'utf8'), `${file} 0`);
    held.release();
    assert.equal(await reader.store.fits.remove(modelId, id), true);
    assert.deepEqual(
      (await cluster.files.list()).filter(({ name }) => name.includes(id)),
      [],
    );
  });

  it('report a block as past if its files are removed while they are fetched', async () => {
    const { making, other } = await newBlock();
    beforeFile = async () => {
      beforeFile = undefined;
      for (const block of [1, 2]) await keepBlock(making, block);
      return undefined;
    };
    await assert.rejects(reader.store.fits.fetchBlock(other, [1], 0), PastBlock);
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
