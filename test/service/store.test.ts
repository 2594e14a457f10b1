import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { sealed } from '../../src/fit-files/checksums.js';
import { DiskStore } from '../../src/service/store/disk-store.js';
import { randomIdentifier } from '../../src/service/store/identifiers.js';
import { lockFolder } from '../../src/service/store/lock.js';
import { startServing } from '../support/serving.js';

describe('the folder of a server', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'leapfrog-store-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  test('is locked for a second server, regardless of temporary files, and unlocked when the first one was killed', async () => {
    const first = startServing(folder);
    await first.address;
    const second = await startServing(folder, { TMPDIR: folder }).ended;
    assert.equal(second.code, 1);
    assert.match(second.output, /^error: the folder .* is in use by another server; set --store to another folder$/m);
    await first.end('SIGKILL');
    const third = startServing(folder);
    await third.address;
    await third.end('SIGTERM');
    assert.equal((await third.ended).code, 0);
    assert.deepEqual(await readdir(join(folder, 'lock')), []);
  });

  test('is rejected by a version that reads another format, and is not changed', async () => {
    await mkdir(join(folder, 'models', 'something'), { recursive: true });
    for (const format of ['2', '99']) {
      await writeFile(join(folder, 'format'), format);
      const { code, output } = await startServing(folder).ended;
      assert.equal(code, 1);
      const reason = `contains a store of format ${format}, but this version of Leapfrog reads format \\d+; empty it`;
      assert.match(output, new RegExp(`^error: the folder .* ${reason} or set --store to another folder$`, 'm'));
      assert.equal(await readFile(join(folder, 'format'), 'utf8'), format);
      assert.deepEqual(await readdir(join(folder, 'models')), ['something']);
    }
  });

  test('is watched only once it is complete, because the watch recreates missing parts', async ({ mock }) => {
    const completeness: boolean[] = [];
    const { setInterval } = globalThis;
    mock.method(globalThis, 'setInterval', (...given: Parameters<typeof setInterval>) => {
      completeness.push(['format', 'temporary', 'operations/ended'].every((name) => existsSync(join(folder, name))));
      return setInterval(...given);
    });
    const store = await DiskStore.open(folder);
    await store.close();
    assert.deepEqual(completeness, [true]);
  });

  test('is upgraded from the previous format', async () => {
    const [model, fit] = ['m', 'f'].map((letter) => letter.repeat(24));
    const store = await DiskStore.open(folder);
    const compiled = { artifact: '{}', wasm: Uint8Array.of(0), source: { program: '', includes: {} } };
    await store.models.save(model, 'engine', { ...compiled, resource: '{}' });
    const made = store.fits.choose(model, fit);
    await store.fits.create(made, [1]);
    assert.ok(await store.fits.publish(made, [1], '{}'));
    const [{ bytes }] = await store.fits.list(model);
    await store.close();
    const fits = join(folder, 'fits');
    const [name] = await readdir(fits);
    assert.ok(name.endsWith(`.${bytes}`), name);
    const format = await readFile(join(folder, 'format'), 'utf8');

    await writeFile(join(folder, 'format'), sealed('4'));
    await rename(join(fits, name), join(fits, basename(made)));
    const again = await DiskStore.open(folder);
    assert.equal(await readFile(join(folder, 'format'), 'utf8'), format);
    assert.deepEqual(
      (await again.fits.list(model)).map((entry) => [entry.id, entry.bytes]),
      [[fit, bytes]],
    );
    assert.equal(await again.fits.readRecord(model, fit), '{}');
    assert.ok(await again.fits.remove(model, fit));
    assert.deepEqual(await readdir(fits), []);
    await again.close();
  });

  test('is locked by at most one of many concurrent processes', async () => {
    for (let round = 0; round < 20; round++) {
      const claims = await Promise.allSettled(Array.from({ length: 4 }, () => lockFolder(folder)));
      const locks = claims.flatMap((claim) => (claim.status === 'fulfilled' ? [claim.value] : []));
      assert.ok(locks.length <= 1);
      await Promise.all(locks.map((lock) => lock.release()));
    }
    const lock = await lockFolder(folder);
    await assert.rejects(lockFolder(folder), /in use by another server/);
    await lock.release();
  });

  test('can be locked if its path is too long for a socket', async () => {
    const deep = join(folder, 'x'.repeat(120));
    await mkdir(deep);
    const lock = await lockFolder(deep);
    await assert.rejects(lockFolder(deep), /in use by another server/);
    await lock.release();
    await (await lockFolder(deep)).release();
  });

  test('is cleared of unfinished files of a killed server', async () => {
    const [model, other, fit] = ['m', 'n', 'f'].map((letter) => letter.repeat(24));
    const store = await DiskStore.open(folder);
    const compiled = { artifact: '{}', wasm: Uint8Array.of(0), source: { program: '', includes: {} } };
    await store.models.save(model, 'engine', { ...compiled, resource: '{}' });
    const made = store.fits.choose(model, fit);
    await store.fits.create(made, [1]);
    assert.ok(await store.fits.publish(made, [1], '{}'));
    await store.fits.create(store.fits.choose(model, fit), [1]);
    await store.close();
    const fits = join(folder, 'fits');
    const [kept] = await readdir(fits);
    // A fit that has been deleted except for its files, and a fit of a deleted model.
    const mark = '0123456789abcdef';
    await mkdir(join(fits, `${model}.${'g'.repeat(24)}.${mark}`));
    await mkdir(join(fits, `${other}.${fit}.${mark}`));
    await writeFile(join(fits, `${other}.${fit}.${mark}`, 'fit.json'), '{}');
    await writeFile(join(folder, 'operations', 'ended', `${fit}.json.${randomUUID()}.tmp`), '{');

    const again = await DiskStore.open(folder);
    assert.deepEqual(await readdir(fits), [kept]);
    await again.swept();
    assert.deepEqual(await readdir(join(folder, 'temporary')), []);
    assert.deepEqual(await readdir(join(folder, 'operations', 'ended')), []);
    assert.ok(await again.fits.has(model, fit));
    await again.close();
  });

  test('remembers the most recent operations that ended, and forgets earlier ones', async () => {
    const ended = join(folder, 'operations', 'ended');
    const ids = Array.from({ length: 10_020 }, () => randomIdentifier());
    await (await DiskStore.open(folder)).close();
    for (const [index, id] of ids.entries()) {
      writeFileSync(join(ended, `${id}.json`), '{}');
      utimesSync(join(ended, `${id}.json`), index, index);
    }
    const store = await DiskStore.open(folder);
    assert.deepEqual(
      (await store.operations.ended()).map(({ id }) => id),
      ids.slice(20),
    );
    const [latest] = ids;
    await store.operations.save('ended', latest, '{}');
    assert.deepEqual(
      (await store.operations.ended()).map(({ id }) => id),
      [...ids.slice(21), latest],
    );
    assert.equal((await readdir(ended)).length, 10_000);
    await store.close();
  });
});
