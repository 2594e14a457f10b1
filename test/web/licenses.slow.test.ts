/** The licenses that the page ships, compared with the sources of its built code and fonts. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { withoutChromium } from '../support/chromium.js';
import { browserForAll, Workbench } from './workbench.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const modules = join(root, 'node_modules');

const readManifest = (folder: string): { name: string; version: string } =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const titleOf = (folder: string) => {
  const { name, version } = readManifest(folder);
  return `${name} ${version}`;
};

describe('the licenses of the page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'leapfrog-licenses-'));
  const files = () => readdirSync(folder, { recursive: true }).map(String);
  before(async () => {
    // Source maps are written by the bundler itself and do not depend on what the build lists.
    await build({ root: join(root, 'web'), logLevel: 'error', build: { outDir: folder, sourcemap: true } });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const sections = (path: string) => readFileSync(path, 'utf8').split(/^-{80}\n/m);

  it('are those of the packages whose code and fonts are in it, of the kernels, and its own', () => {
    const expected = new Set([titleOf(root), titleOf(join(modules, 'assemblyscript'))]);
    for (const map of files().filter((name) => name.endsWith('.map'))) {
      const { sources }: { sources: string[] } = JSON.parse(readFileSync(join(folder, map), 'utf8'));
      for (const source of sources) {
        const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? [];
        if (name !== undefined) expected.add(titleOf(join(modules, name)));
      }
    }
    const fonts = readdirSync(join(modules, '@fontsource-variable')).map((name) =>
      join(modules, '@fontsource-variable', name),
    );
    for (const name of files().filter((each) => each.endsWith('.woff2'))) {
      const bytes = readFileSync(join(folder, name));
      const isSame = (font: string) =>
        readdirSync(join(font, 'files')).some((file) => readFileSync(join(font, 'files', file)).equals(bytes));
      const font = fonts.find(isSame);
      assert.ok(font !== undefined, name);
      expected.add(titleOf(font));
    }
    for (const name of [
      'react',
      '@codemirror/view',
      '@radix-ui/react-dialog',
      '@fontsource-variable/inter',
      'papaparse',
    ])
      assert.ok(expected.has(titleOf(join(modules, name))), name);
    const titles = sections(join(folder, 'LICENSES.txt')).map((section) => section.split('\n', 1)[0]);
    assert.deepEqual(titles.sort(), [...expected].sort());
  });

  it('have a text or a name each', () => {
    for (const section of sections(join(folder, 'LICENSES.txt'))) {
      assert.match(section, /copyright|Apache License|^License: [\w-]+$/im, section);
    }
    const { length } = sections(join(folder, 'LICENSES.txt')).filter((section) => /^License: /m.test(section));
    assert.ok(length < 3, `${length} packages without a file`);
  });

  describe('in a browser', { skip: withoutChromium }, () => {
    const opened = browserForAll();

    it('are linked in its window About, with the version and the documentation of Stan', async () => {
      const bench = await Workbench.open(opened.browser, opened.server.address);
      const { page } = bench;
      await page.getByRole('button', { name: 'Examples' }).click();
      await page.getByRole('button', { name: 'About Leapfrog' }).click();
      const window = page.getByRole('dialog', { name: 'About Leapfrog' });
      await window.getByText(`Version ${readManifest(root).version}`).waitFor();
      const documentation = window.getByRole('link', { name: 'Documentation of the Stan language' });
      assert.equal(await documentation.getAttribute('href'), 'https://mc-stan.org/docs/');
      const popup = page.waitForEvent('popup');
      await window.getByRole('link', { name: /^Licenses/ }).click();
      const shown = await popup;
      await shown.waitForLoadState();
      assert.match((await shown.locator('body').textContent()) ?? '', /^react 19/m);
      assert.match(
        (await (await fetch(`${opened.server.address}/LICENSES.txt`)).headers.get('content-type')) ?? '',
        /text\/plain/,
      );
      await bench.close();
    });
  });
});
