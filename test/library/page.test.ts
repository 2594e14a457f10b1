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

/** What everything that a page needs of the library may take, compressed by gzip. */
const BUDGET = 700_000;

const PAGE = `
import { analyze, compile } from 'leapfrog';
import * as leapfrog from 'leapfrog';
globalThis.leapfrog = leapfrog;
const model = await compile('data { int N; array[N] int y; } parameters { real<lower=0, upper=1> theta; } model { y ~ bernoulli(theta); }');
const data = { N: 4, y: [0, 1, 1, 1] };
const posterior = await model.on(data);
const run = model.sample({ data, num_chains: 2, random_seed: 1 });
const kinds = new Set();
for await (const { kind } of run) kinds.add(kind);
const fit = await run.result();
const { errors } = await analyze('parameters { real x }');
document.title = JSON.stringify({
  gradient: [...posterior.gradient([0]).gradient],
  kinds: [...kinds].sort(),
  draws: fit.chains.map(({ draws }) => draws),
  means: fit.column('theta').map((draws) => draws.reduce((sum, draw) => sum + draw) / draws.length),
  errors: errors.map(({ message }) => message),
});
`;

describe('leapfrog in a page that Vite bundles', () => {
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'leapfrog-page-'));
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(ROOT, join(folder, 'node_modules', 'leapfrog'));
    writeFileSync(
      join(folder, 'index.html'),
      '<!doctype html><link rel="icon" href="data:,"><script type="module" src="./page.js"></script>',
    );
    writeFileSync(join(folder, 'page.js'), PAGE);
    await build({ root: folder, logLevel: 'error', build: { target: 'es2022' }, configFile: false });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it(`takes at most ${BUDGET / 1000} kB compressed, kernels and workers included`, () => {
    const assets = join(folder, 'dist', 'assets');
    const sizes = readdirSync(assets).map((name) => ({
      name,
      bytes: gzipSync(readFileSync(join(assets, name))).length,
    }));
    const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
    assert.ok(total <= BUDGET, `${total} bytes: ${JSON.stringify(sizes)}`);
    const kinds = ['compiler-worker', 'runner-worker', 'math', 'linear'];
    for (const kind of kinds)
      assert.ok(
        sizes.some(({ name }) => name.startsWith(kind)),
        `no ${kind} among the assets`,
      );
  });

  describe('in Chromium', { skip: withoutChromium }, () => {
    let browser: Browser;
    let server: PreviewServer;
    before(async () => {
      server = await preview({ root: folder, logLevel: 'error', configFile: false, preview: { port: 0 } });
      browser = await launchChromium();
    });
    after(async () => {
      await browser?.close();
      await server?.close();
    });

    it('compiles, evaluates, samples in web workers and analyses', async () => {
      const page = await browser.newPage();
      const problems: string[] = [];
      page.on('pageerror', (error) => problems.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error') problems.push(message.text());
      });
      await page.goto(server.resolvedUrls?.local[0] ?? '');
      await page.waitForFunction('document.title !== ""', undefined, { timeout: 60_000 }).catch(() => undefined);
      assert.deepEqual(problems, []);
      const found = JSON.parse(await page.title());
      assert.deepEqual(found.gradient, [1]);
      assert.deepEqual(found.kinds, [
        'adaptation',
        'diagnostics',
        'draws',
        'end',
        'initialization',
        'log',
        'progress',
        'start',
      ]);
      assert.deepEqual(found.draws, [1000, 1000]);
      for (const mean of found.means) assert.ok(Math.abs(mean - 4 / 6) < 0.05, `mean ${mean}`);
      assert.equal(found.errors.length, 1);
    });
  });
});
