/** Requirements on every implementation of a store. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { unsealed } from '../../../src/fit-files/checksums.js';
import { chainFile, ownerOf } from '../../../src/fit-files/layout.js';
import { randomIdentifier } from '../../../src/service/store/identifiers.js';
import type { RecordSource, Store, StoredModel } from '../../../src/service/store/store.js';

/** The store as seen by two processes, which may be the same one. */
export interface StorePair {
  readonly one: Store;
  readonly other: Store;
  close(): Promise<void>;
}

const MODEL: StoredModel = {
  resource: '{"name":"models/m"}',
  source: { program: 'model {}', includes: { 'a.stan': '// a' } },
  artifact: '{"version":1}',
  wasm: Uint8Array.of(0, 97, 115, 109),
};

export function storeContract(name: string, skip: string | false, open: () => Promise<StorePair>): void {
  describe(`the store ${name}`, { skip }, () => {
    let one: Store;
    let other: Store;
    let close: () => Promise<void>;
    before(async () => {
      ({ one, other, close } = await open());
    });
    after(() => close());

    const engine = randomIdentifier();

    async function newModel(): Promise<string> {
      const id = randomIdentifier();
      await one.models.save(id, engine, MODEL);
      return id;
    }

    /** Creates a fit of one chain with the given messages. */
    async function newFit(modelId: string, messages: string, record = '{"seed":1}'): Promise<string> {
      const id = randomIdentifier();
      assert.ok(await publish(modelId, id, messages, record));
      return id;
    }

    async function publish(modelId: string, id: string, messages: string, record: string): Promise<boolean> {
      const folder = one.fits.choose(modelId, id);
      await one.fits.create(folder, [1]);
      assert.equal(await readFile(chainFile(folder, 1, 'journal'), 'utf8'), '');
      await writeFile(chainFile(folder, 1, 'messages'), messages);
      await one.fits.keepChain(folder, 1);
      return one.fits.publish(folder, [1], record);
    }

    async function textOf(source: RecordSource | undefined): Promise<string | undefined> {
      if (source === undefined || 'text' in source) return source?.text;
      return unsealed(await readFile(source.path), ownerOf(dirname(source.path)))?.toString();
    }

    test('returns a model, unless another engine has compiled it', async () => {
      const id = await newModel();
      assert.equal(await other.models.has(id), true);
      assert.ok((await other.models.ids()).includes(id));
      assert.equal(await other.models.readResource(id), MODEL.resource);
      assert.deepEqual(await other.models.readSource(id), MODEL.source);
      const compiled = await other.models.readCompiled(id, engine);
      assert.equal(compiled?.artifact, MODEL.artifact);
      assert.deepEqual([...(compiled?.wasm ?? [])], [...MODEL.wasm]);
      const otherEngine = randomIdentifier();
      assert.equal(await other.models.readCompiled(id, otherEngine), undefined);
      await other.models.saveCompiled(id, otherEngine, { artifact: '{}', wasm: Uint8Array.of(1) });
      assert.equal((await one.models.readCompiled(id, otherEngine))?.artifact, '{}');
      assert.equal(await one.models.remove(id), true);
      assert.equal(await one.models.remove(id), false);
    });

    test('finds no model by an invalid identifier', async () => {
      for (const id of [randomIdentifier(), '', '..', 'a/b', '>', '*', 'a b', '.']) {
        assert.equal(await one.models.has(id), false);
        assert.equal(await one.models.readResource(id), undefined);
        assert.equal(await one.models.readSource(id), undefined);
        assert.equal(await one.models.remove(id), false);
        assert.equal(await one.fits.open(id, id), undefined);
        assert.equal(await one.operations.read('running', id), undefined);
      }
    });

    test('returns a fit with its files, whichever process created it', async () => {
      const model = await newModel();
      const id = await newFit(model, 'hello\n');
      assert.equal(await other.fits.has(model, id), true);
      assert.equal(await other.fits.isSound(model, id), true);
      assert.equal(await other.fits.readRecord(model, id), '{"seed":1}');
      assert.equal(await other.fits.readRecordOf(id), '{"seed":1}');
      const held = await other.fits.open(model, id);
      assert.ok(held);
      assert.equal(await readFile(chainFile(held.path, 1, 'messages'), 'utf8'), 'hello\n');
      held.release();
      await one.models.remove(model);
    });

    test('lists the fits of a model with their records, the newest first', async () => {
      const model = await newModel();
      const ids = [await newFit(model, '1', '{"seed":1}')];
      await nextMillisecond();
      ids.unshift(await newFit(model, '22', '{"seed":2}'));
      const fits = await other.fits.list(model);
      assert.deepEqual(
        fits.map(({ id }) => id),
        ids,
      );
      assert.ok(fits.every(({ bytes }) => bytes > 0));
      const records = await other.fits.records(model, fits);
      assert.deepEqual(await Promise.all(records.map(textOf)), ['{"seed":2}', '{"seed":1}']);
      const usage = await other.usage();
      assert.ok(usage.bytes >= fits[0].bytes + fits[1].bytes);
      assert.ok(usage.fits.count >= 2 && usage.models.count >= 1);
      await one.models.remove(model);
    });

    test('lets readers of a removed fit continue', async () => {
      const model = await newModel();
      const id = await newFit(model, 'still here');
      const held = await one.fits.open(model, id);
      assert.ok(held);
      assert.equal(await one.fits.remove(model, id), true);
      assert.equal(await one.fits.remove(model, id), false);
      assert.equal(await other.fits.open(model, id), undefined);
      assert.equal(await readFile(chainFile(held.path, 1, 'messages'), 'utf8'), 'still here');
      held.release();
      await one.models.remove(model);
    });

    test('removes the fits of a model with it, and does not keep fits that are added later', async () => {
      const model = await newModel();
      const id = await newFit(model, 'x');
      assert.equal(await one.models.remove(model), true);
      assert.equal(await other.fits.has(model, id), false);
      assert.deepEqual(await other.fits.list(model), []);
      assert.equal(await publish(model, randomIdentifier(), 'x', '{}'), false);
      assert.deepEqual(await other.fits.list(model), []);
    });

    test('keeps records of running and ended operations, in the order in which they ended', async () => {
      const ids = Array.from({ length: 3 }, randomIdentifier);
      for (const id of ids) await one.operations.save('running', id, `{"id":"${id}"}`);
      const running = await other.operations.runningIds();
      assert.ok(ids.every((id) => running.includes(id)));
      assert.equal(await other.operations.read('running', ids[0]), `{"id":"${ids[0]}"}`);
      for (const id of [...ids].reverse()) {
        await one.operations.save('ended', id, `{"ended":"${id}"}`);
        assert.equal(await one.operations.remove('running', id), true);
        assert.equal(await one.operations.remove('running', id), false);
      }
      const ended = (await other.operations.ended()).map(({ id }) => id).filter((id) => ids.includes(id));
      assert.deepEqual(ended, [...ids].reverse());
      const records = await other.operations.endedRecords(ids);
      assert.deepEqual(
        await Promise.all(records.map(textOf)),
        ids.map((id) => `{"ended":"${id}"}`),
      );
      for (const id of ids) assert.equal(await other.operations.remove('ended', id), true);
      assert.deepEqual(
        (await one.operations.ended()).filter(({ id }) => ids.includes(id)),
        [],
      );
      await one.operations.save('running', ids[0], '{}');
      await one.operations.giveUp(ids[0]);
      assert.equal(await one.operations.read('running', ids[0]), undefined);
      assert.equal(await one.operations.read('ended', ids[0]), '{}');
      await one.operations.remove('ended', ids[0]);
    });

    test('removes unused objects when it is cleared', async () => {
      const [used, unused] = [await newModel(), await newModel()];
      const fit = await newFit(unused, 'x');
      const release = one.hold(`models/${used}`);
      await one.clear();
      assert.equal(await other.models.has(used), true);
      assert.equal(await other.models.has(unused), false);
      assert.equal(await other.fits.has(unused, fit), false);
      release();
      await one.clear();
      assert.equal(await other.models.has(used), false);
    });
  });
}

async function nextMillisecond(): Promise<void> {
  for (const now = Date.now(); Date.now() <= now; ) await new Promise(setImmediate);
}
