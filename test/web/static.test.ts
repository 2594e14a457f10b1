/** The built page on a static file host, in a subfolder, without our server. */
import assert from 'node:assert/strict';
import { createReadStream, existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { extname } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { packageRoot } from '../service/harness.js';
import { launchChromium, withoutChromium } from '../support/chromium.js';
import { Workbench } from './workbench.js';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

const PATH = '/tools/leapfrog/';

/** As simple as hosts of files are: no headers but the type. */
function hostOfFiles(): Server {
  return createServer(({ url = '' }, response) => {
    const { pathname } = new URL(url, 'http://host');
    const name = pathname === PATH ? 'index.html' : pathname.slice(PATH.length);
    const file = fileURLToPath(new URL(`dist/web/${name}`, packageRoot));
    if (!pathname.startsWith(PATH) || !existsSync(file)) {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>');
      return;
    }
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
}

describe('the page on a static host', { skip: withoutChromium }, () => {
  let host: Server;
  let browser: Browser;
  let address: string;
  before(async () => {
    host = hostOfFiles();
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    const bound = host.address();
    assert.ok(typeof bound === 'object' && bound !== null);
    address = `http://127.0.0.1:${bound.port}${PATH}`;
    browser = await launchChromium();
  });
  after(async () => {
    await browser.close();
    host.closeAllConnections();
    host.close();
  });

  const sample = async (bench: Workbench) => {
    await bench.openExample(/^Eight schools Partial/);
    await bench.page.getByText('Ready to run').waitFor();
    await bench.page.getByLabel('seed').fill('1');
    await bench.run();
    await bench.page.getByRole('heading', { name: 'These draws can be relied on' }).waitFor();
  };

  it('runs, and offers no server', async () => {
    const bench = await Workbench.open(browser, address);
    assert.equal(await bench.page.evaluate('crossOriginIsolated'), false);
    await sample(bench);
    assert.equal(await bench.page.getByRole('button', { name: 'Server', exact: true }).count(), 0);
    assert.deepEqual(
      bench.complaints.filter((text) => !text.includes('404')),
      [],
    );
    await bench.close();
  });

  it('starts and runs without a network after its first visit', async () => {
    const bench = await Workbench.open(browser, address);
    const { page } = bench;
    await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
    await page.context().setOffline(true);
    await page.reload();
    await page.getByRole('heading', { name: /^Write a model/ }).waitFor();
    await sample(bench);
    await bench.close();
  });
});
