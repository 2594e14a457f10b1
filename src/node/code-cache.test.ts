import assert from 'node:assert/strict';
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { CodeCache } from './code-cache.js';

const CODE = { code: Buffer.from('code'), generation: 2 };

describe('the code cache', { skip: process.platform === 'win32' ? 'files have no owners' : false }, () => {
  const above = mkdtempSync(join(tmpdir(), 'leapfrog-code-'));
  const folder = join(above, 'cache', 'code');
  const cache = new CodeCache(folder);
  beforeEach(() => {
    rmSync(join(above, 'cache'), { recursive: true, force: true });
    cache.write('main', CODE);
  });
  after(() => rmSync(above, { recursive: true, force: true }));

  it('returns stored code, only from files of the user', () => {
    assert.deepEqual(cache.read('main'), CODE);
    assert.equal(cache.read('other'), undefined);
    assert.equal(lstatSync(folder).mode & 0o777, 0o700);
    assert.equal(lstatSync(join(folder, 'main')).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder), ['main']);
  });

  it('does not return a file with a changed byte or without its last byte', () => {
    const path = join(folder, 'main');
    const bytes = readFileSync(path);
    for (let k = 0; k < bytes.length; k++) {
      writeFileSync(
        path,
        bytes.map((byte, index) => (index === k ? byte ^ 1 : byte)),
      );
      assert.equal(cache.read('main'), undefined, `byte ${k}`);
    }
    writeFileSync(path, bytes.subarray(0, -1));
    assert.equal(cache.read('main'), undefined);
    writeFileSync(path, '');
    assert.equal(cache.read('main'), undefined);
  });

  it('ignores folders and files that other users can write', () => {
    for (const [path, mode] of [
      [folder, 0o720],
      [folder, 0o702],
      [join(folder, 'main'), 0o620],
      [join(folder, 'main'), 0o602],
    ] as const) {
      const before = lstatSync(path).mode;
      chmodSync(path, mode);
      assert.equal(cache.read('main'), undefined, `${path} ${mode.toString(8)}`);
      chmodSync(path, before);
      assert.deepEqual(cache.read('main'), CODE);
    }
    chmodSync(folder, 0o770);
    cache.write('other', CODE);
    assert.deepEqual(readdirSync(folder), ['main']);
  });

  it('follows no symbolic links', () => {
    const link = join(above, 'cache', 'link');
    symlinkSync(folder, link);
    assert.equal(new CodeCache(link).read('main'), undefined);
    symlinkSync(join(folder, 'main'), join(folder, 'linked'));
    assert.equal(cache.read('linked'), undefined);
  });

  it('works without a writable folder', () => {
    const file = join(above, 'cache', 'file');
    writeFileSync(file, '');
    const without = new CodeCache(join(file, 'code'));
    without.write('main', CODE);
    assert.equal(without.read('main'), undefined);
  });

  it('removes files that have not been written for a long time', () => {
    utimesSync(join(folder, 'main'), 0, 0);
    cache.write('other', CODE);
    assert.deepEqual(readdirSync(folder), ['other']);
  });

  it('keeps the 64 files that were written last', () => {
    for (let k = 0; k < 70; k++) {
      writeFileSync(join(folder, `old-${k}`), '');
      utimesSync(join(folder, `old-${k}`), new Date(), new Date(Date.now() - 1000 * (k + 1)));
    }
    cache.write('other', CODE);
    const names = readdirSync(folder);
    // The limit applies before a file is added.
    assert.equal(names.length, 65);
    assert.ok(names.includes('main') && names.includes('old-62') && !names.includes('old-63'));
  });
});
