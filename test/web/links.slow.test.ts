/** Links to files on other servers, and the embedded page. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { TestServer } from '../service/harness.js';
import { launchChromium, withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { browserForAll, Workbench } from './workbench.js';

const PROGRAM =
  'data { int<lower=0> n; int<lower=0, upper=n> y; } parameters { real<lower=0, upper=1> p; } model { y ~ binomial(n, p); }';
const SOURCES = new Map([
  ['https://raw.githubusercontent.com/teacher/course/main/models/coin.stan', PROGRAM],
  ['https://gist.githubusercontent.com/teacher/0123abcd/raw', PROGRAM],
  ['https://files.example/coin.data.json', '{"n": 10, "y": 7}'],
]);

/** Answers requests to other servers from `SOURCES`; returns the addresses that are requested. */
async function serveSources(page: Page, own: string): Promise<readonly string[]> {
  const requested: string[] = [];
  await page.route(
    (url) => url.origin !== own,
    async (route) => {
      const url = route.request().url();
      requested.push(url);
      const body = SOURCES.get(url);
      await route.fulfill({
        status: body === undefined ? 404 : 200,
        headers: { 'access-control-allow-origin': '*', 'content-type': 'text/plain' },
        body: body ?? '',
      });
    },
  );
  return requested;
}

describe('a link that names files', { skip: withoutChromium }, () => {
  const opened = browserForAll();

  /** Opens the page with a query. */
  const follow = async (query: string) => {
    const { address } = opened.server;
    const bench = await Workbench.open(opened.browser, address);
    const requested = await serveSources(bench.page, address);
    await bench.page.goto(`${address}/${query}`);
    return { bench, requested };
  };
  const GITHUB = 'https://github.com/teacher/course/blob/main/models/coin.stan';

  it('opens them once the user agrees', async () => {
    const { bench, requested } = await follow(`?stan=${GITHUB}&data=https://files.example/coin.data.json`);
    const { page } = bench;
    const dialog = page.getByRole('dialog', { name: 'Open the files of the link' });
    await dialog.getByRole('heading', { name: 'Open files from github.com and files.example?' }).waitFor();
    await dialog.getByText(GITHUB).waitFor();
    assert.deepEqual(await axeFindings(page), []);
    assert.deepEqual(requested, []);
    await dialog.getByRole('button', { name: 'Open' }).click();
    await page.getByText('Ready to run').waitFor();
    assert.equal(await page.getByLabel('Name of the project').inputValue(), 'coin');
    assert.equal(new URL(page.url()).search, '');
    await bench.run();
    await bench.reliable();
    await bench.close();
  });

  it('opens nothing if the user declines', async () => {
    const { bench, requested } = await follow(`?stan=${GITHUB}`);
    await bench.page.getByRole('button', { name: 'Cancel' }).click();
    await bench.page.getByText('No program yet').waitFor();
    assert.deepEqual(requested, []);
    assert.equal(new URL(bench.page.url()).search, '');
    await bench.close();
  });

  it('opens a gist', async () => {
    const { bench } = await follow('?stan=https://gist.github.com/teacher/0123abcd');
    await bench.page.getByRole('button', { name: 'Open', exact: true }).click();
    await bench.page.getByText('real<lower=0, upper=1> p').waitFor();
    await bench.close();
  });

  it("opens files of the page's own host at once", async () => {
    const { address } = opened.server;
    const bench = await Workbench.open(opened.browser, address);
    await bench.page.route(`${address}/lesson/coin.stan`, (route) => route.fulfill({ body: PROGRAM }));
    await bench.page.goto(`${address}/?stan=lesson/coin.stan`);
    await bench.page.getByText('real<lower=0, upper=1> p').waitFor();
    await bench.close();
  });

  it('warns if the server does not allow embedding', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address, { permissions: ['clipboard-write'] });
    await bench.openExample(/^A coin/);
    await bench.page.getByRole('button', { name: 'Share' }).click();
    await bench.page.getByRole('menuitem', { name: /^Copy HTML to embed it/ }).click();
    await bench.page.getByText('Start the server with --frame-ancestors').waitFor();
    await bench.close();
  });

  it('reports addresses that are not https, and files that cannot be fetched', async () => {
    const insecure = await follow('?data=http://files.example/coin.data.json');
    await insecure.bench.page
      .getByText('The link cannot be opened: data=http://files.example/coin.data.json is not an https address.')
      .waitFor();
    assert.deepEqual(insecure.requested, []);
    await insecure.bench.close();
    const missing = await follow('?stan=https://files.example/none.stan');
    await missing.bench.page.getByRole('button', { name: 'Open', exact: true }).click();
    await missing.bench.page
      .getByText('https://files.example/none.stan cannot be fetched: its server returned 404.')
      .waitFor();
    await missing.bench.close();
  });
});

describe('the page embedded in another one', { skip: withoutChromium }, () => {
  let host: Server;
  let embedding = '';
  let origin = '';
  before(async () => {
    host = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(
        `<!doctype html><html lang="en"><title>Course</title><main><h1>Course</h1>${embedding}</main></html>`,
      );
    });
    await new Promise<void>((resolve) => host.listen(0, 'localhost', resolve));
    const bound = host.address();
    assert.ok(typeof bound === 'object' && bound !== null);
    origin = `http://localhost:${bound.port}`;
  });
  after(async () => {
    host.closeAllConnections();
    await new Promise((resolve) => host.close(resolve));
  });

  it('runs a project, shows one half at a time and stores nothing', async () => {
    const server = await TestServer.start({ web: true, frameAncestors: [origin] });
    const browser = await launchChromium();
    try {
      const bench = await Workbench.open(browser, server.address, {
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      await bench.openExample(/^A coin/);
      await bench.page.getByText('Ready to run').waitFor();
      await bench.page.getByRole('button', { name: 'Share' }).click();
      await bench.page.getByRole('menuitem', { name: /^Copy HTML to embed it/ }).click();
      await bench.page.getByText('HTML for an iframe with this project is in the clipboard.').waitFor();
      embedding = String(await bench.page.evaluate('navigator.clipboard.readText()'));
      await bench.close();

      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      const page = await context.newPage();
      await page.goto(origin);
      const frame = page.frameLocator('iframe');
      await frame.getByText('A coin').first().waitFor();
      assert.equal(await frame.getByRole('button', { name: 'Examples' }).count(), 0);
      assert.equal(await frame.locator('.look').isVisible(), false);
      await frame.getByRole('button', { name: /Run/ }).click();
      await frame.getByRole('heading', { name: 'These draws can be relied on' }).waitFor();
      assert.equal(await frame.locator('.write').isVisible(), false);
      assert.deepEqual(await axeFindings(page), []);
      // A browser may deny storage to frames of other sites: the same page on its own.
      const alone = await context.newPage();
      await alone.goto(/src="([^"]+)"/.exec(embedding)?.[1] ?? '');
      await alone.getByRole('button', { name: /Run/ }).click();
      await alone.getByRole('heading', { name: 'These draws can be relied on' }).waitFor();
      assert.equal(await alone.evaluate('indexedDB.databases().then((found) => found.length)'), 0);

      const whole = context.waitForEvent('page');
      await frame.getByRole('button', { name: 'Open in Leapfrog' }).click();
      const other = await whole;
      await other.getByRole('button', { name: 'Examples' }).waitFor();
      assert.equal(await other.getByLabel('Name of the project').inputValue(), 'A coin');
    } finally {
      await browser.close();
      await server.remove();
    }
  });
});
