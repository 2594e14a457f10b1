import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

test('a bundle starts an entry, unless its module in a checkout is newer', async (context) => {
  const root = mkdtempSync(join(tmpdir(), 'leapfrog-entry-'));
  context.after(() => rmSync(root, { recursive: true }));
  const [plain, bundled] = ['dist/src/main.js', 'build/bundle/main.cjs'].map((path) => join(root, path));
  for (const folder of ['dist/src/node', 'build/bundle']) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'package.json'), '{"name": "leapfrog", "type": "module"}');
  for (const name of ['entry-url.js', 'package-root.js']) {
    copyFileSync(new URL(name, import.meta.url), join(root, 'dist/src/node', name));
  }
  writeFileSync(plain, '');
  let loaded = 0;
  const entry = async () => {
    const url = `${pathToFileURL(join(root, 'dist/src/node/entry-url.js')).href}?${++loaded}`;
    const { entryUrl }: typeof import('./entry-url.js') = await import(url);
    return entryUrl('main', pathToFileURL(plain)).href;
  };
  assert.equal(await entry(), pathToFileURL(plain).href);

  // npm gives files of a package the time at which it writes them, and writes the bundle first.
  writeFileSync(bundled, '');
  utimesSync(bundled, 1000, 1000);
  utimesSync(plain, 1001, 1001);
  assert.equal(await entry(), pathToFileURL(bundled).href);

  writeFileSync(join(root, 'tsconfig.json'), '{}');
  assert.equal(await entry(), pathToFileURL(plain).href);
  utimesSync(bundled, 1001, 1001);
  assert.equal(await entry(), pathToFileURL(bundled).href);
});
