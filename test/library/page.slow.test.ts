import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { build, type PreviewServer, preview } from 'vite';
import { ROOT } from '../project/tree.js';
import { launchChromium, withoutChromium } from '../support/chromium.js';
import { examples } from './examples.js';

/** Maximum size of all files that a page needs from the library, compressed by gzip. */
const BUDGET = 780_000;
/** The Content-Security-Policy that the library requires of a page. */
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src data:";
/** The line that marks the end of an example in a page. */
const END = 'end of the example';

const pages = examples().map((example, index) => ({ ...example, file: `example-${index}` }));

describe('leapfrog in pages that Vite bundles', () => {
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'leapfrog-page-'));
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(ROOT, join(folder, 'node_modules', 'leapfrog'));
    for (const { code, file } of pages) {
      const html = `<!doctype html><link rel="icon" href="data:,"><script type="module" src="./${file}.js"></script>`;
      writeFileSync(join(folder, `${file}.html`), html);
      writeFileSync(join(folder, `${file}.js`), `${code}\nconsole.log('${END}');\n`);
    }
    const input = pages.map(({ file }) => join(folder, `${file}.html`));
    await build({
      root: folder,
      configFile: false,
      logLevel: 'error',
      build: { target: 'es2022', rolldownOptions: { input } },
    });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it(`take at most ${BUDGET / 1000} kB compressed, including kernels and workers`, () => {
    const assets = join(folder, 'dist', 'assets');
    const sizes = readdirSync(assets).map((name) => ({
      name,
      bytes: gzipSync(readFileSync(join(assets, name))).length,
    }));
    const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
    assert.ok(total <= BUDGET, `${total} bytes: ${JSON.stringify(sizes)}`);
    for (const part of ['compiler-worker', 'runner-worker', 'statistics-worker', 'math', 'linear']) {
      assert.ok(
        sizes.some(({ name }) => name.startsWith(part)),
        `no ${part} among the assets`,
      );
    }
  });

  describe('in Chromium', { skip: withoutChromium }, () => {
    let browser: Browser;
    let server: PreviewServer;
    before(async () => {
      const headers = { 'content-security-policy': POLICY };
      server = await preview({ root: folder, configFile: false, logLevel: 'error', preview: { port: 0, headers } });
      browser = await launchChromium();
    });
    after(async () => {
      await browser?.close();
      await server?.close();
    });

    for (const { file, name, output } of pages) {
      it(`print what docs/library.md shows: ${name}`, async () => {
        const page = await browser.newPage();
        const printed: string[] = [];
        const ended = new Promise<void>((resolve, reject) => {
          page.on('pageerror', reject);
          page.on('console', (message) => {
            if (message.text() === END) resolve();
            else printed.push(message.text());
          });
        });
        await page.goto(`${server.resolvedUrls?.local[0]}${file}.html`);
        await ended;
        await page.close();
        assert.equal(printed.join('\n').trim(), output);
      });
    }
  });
});
