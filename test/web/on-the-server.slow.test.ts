/** Runs of the page on the server. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { strFromU8, unzipSync } from 'fflate';
import type { Browser } from 'playwright-core';
import { TestServer } from '../service/harness.js';
import { launchChromium, withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { Workbench } from './workbench.js';

const TOKEN = 'a-token-of-some-length';

describe('runs on the server', { skip: withoutChromium }, () => {
  let server: TestServer;
  let browser: Browser;
  before(async () => {
    [server, browser] = await Promise.all([TestServer.start({ web: true }), launchChromium()]);
  });
  after(async () => {
    await browser.close();
    await server.remove();
  });

  const onServer = async (example: RegExp, seed = '1') => {
    const bench = await Workbench.open(browser, server.address);
    await bench.page.getByRole('button', { name: 'Server', exact: true }).click();
    await bench.openExample(example);
    await bench.page.getByText('The program and the data are sent to the server').waitFor();
    await bench.page.getByLabel('seed').fill(seed);
    return bench;
  };
  const numbers = async (bench: Workbench) => {
    await bench.tab('Summary');
    await bench.page.locator('.numbers tbody th').first().waitFor();
    return bench.page.locator('.numbers tbody').textContent();
  };

  it('have the numbers of a run in the browser', async () => {
    const bench = await onServer(/^Eight schools Partial/);
    await bench.run();
    await bench.page.getByRole('heading', { name: 'These draws can be relied on' }).waitFor();
    const there = await numbers(bench);
    await bench.tab('Plots');
    await bench.page.getByRole('img', { name: /^Trace of mu\. 4 chains/ }).waitFor();
    await bench.tab('Log');
    await bench.page.getByText('Gradient evaluation took').first().waitFor();
    await bench.page.getByRole('button', { name: 'Browser', exact: true }).click();
    await bench.run();
    await bench.page.getByRole('button', { name: /^Run 2 reliable/ }).waitFor();
    assert.equal(await numbers(bench), there);
    await bench.close();
  });

  it('continue while the page is closed, and are found again', async () => {
    const bench = await onServer(/^Eight schools Partial/);
    await bench.page.getByLabel('samples').fill('5000000');
    await bench.run();
    await bench.page.getByRole('heading', { name: 'Running' }).waitFor();
    await bench.page
      .getByText(/\d+ \/ 5001000/)
      .first()
      .waitFor();
    await bench.page.getByRole('img', { name: /^Trace of mu\./ }).waitFor();
    const context = bench.page.context();
    await bench.page.close();
    const page = await context.newPage();
    await page.goto(server.address);
    await page.getByRole('heading', { name: 'Running' }).waitFor();
    await page
      .getByText(/\d+ \/ 5001000/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: /^Cancelled/ }).waitFor();
    await bench.close();
  });

  it('are read column by column if they are large', async () => {
    const bench = await onServer(/^Eight schools Partial/);
    await bench.page.getByLabel('samples').fill('20000');
    await bench.run();
    await bench.reliable();
    const asked: string[] = [];
    bench.page.on('request', (request) => asked.push(request.url()));
    await bench.tab('Plots');
    await bench.page.getByRole('img', { name: /^Trace of tau\. 4 chains/ }).waitFor();
    const wanted = asked
      .filter((url) => url.includes('format=csv'))
      .map((url) => new URL(url).searchParams.get('variables'));
    assert.ok(wanted.length > 0 && wanted.every((variables) => variables !== null && !variables.includes('log_lik')));
    assert.match((await numbers(bench)) ?? '', /theta\[8\]/);
    await bench.tab('Draws');
    await bench.page.getByText('20,000 draws').waitFor();
    await bench.page.getByLabel('Quantities to list').fill('theta[7], tau');
    const draws = bench.page.getByRole('region', { name: 'Draws' });
    await draws.getByRole('columnheader', { name: 'theta[7]' }).waitFor();
    const headings = (await draws.getByRole('columnheader').allTextContents()).slice(1);
    const cells = await draws.getByRole('row').nth(1).getByRole('cell').allTextContents();
    const fit = new URL(asked.find((url) => url.includes('format=csv')) ?? '').pathname;
    const csv = await server.get(`${fit}?format=csv&chain=1&warmup=false&first=1&last=1`);
    const [names, values] = csv.text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split(','));
    assert.ok(headings.includes('tau') && headings.includes('theta[7]'));
    const saved = bench.page.waitForEvent('download');
    await bench.page.getByRole('button', { name: 'Save as CSV' }).click();
    const text = await readFile(await (await saved).path(), 'utf8');
    assert.equal(
      text.split('\n').find((line) => line.startsWith('lp__')),
      names.join(','),
      'the file has all columns',
    );
    const zipped = bench.page.waitForEvent('download');
    await bench.page.getByRole('button', { name: 'Share' }).click();
    await bench.page.getByRole('menuitem', { name: /^Save as a zip/ }).click();
    await bench.page.getByText('The draws of Run 1 are too large for the zip file').waitFor();
    const files = unzipSync(await readFile(await (await zipped).path()));
    assert.match(strFromU8(files['run-1/draws.txt']), new RegExp(`^The draws are on the server: .*${fit}\\n$`));
    for (const [place, heading] of headings.entries()) {
      const expected = Number(values[names.indexOf(heading.replace('[', '.').replace(']', ''))]);
      const shown = Number(cells[place].replace('−', '-'));
      assert.ok(Math.abs(shown - expected) <= 0.005 * Math.abs(expected), `${heading} is ${shown}, not ${expected}`);
    }
    await bench.close();
  });

  it('keep integers above 2^53 and NaN', async () => {
    const bench = await Workbench.open(browser, server.address);
    const { page } = bench;
    await page.getByRole('button', { name: 'Server', exact: true }).click();
    await bench.write('data { int n; real x; }\ngenerated quantities { int kept = n; real also = x; }');
    await bench.tab('data.json');
    await bench.write('{"n": 9007199254740993, "x": NaN}');
    await page.getByRole('heading', { name: /^(The data do not fit|Ready)/ }).waitFor();
    const sent = page.waitForRequest(
      (request) => request.method() === 'POST' && new URL(request.url()).pathname.endsWith('/fits'),
    );
    await bench.runAnyway();
    assert.match((await sent).postData() ?? '', /"data":\{"n": 9007199254740993, "x": NaN\}/);
    // As in Stan, an int has 32 bits: the value is rejected and not wrapped.
    await page.getByRole('heading', { name: 'The run failed' }).waitFor();
    assert.match(
      (await page.locator('.message').textContent()) ?? '',
      /Variable: n, error: integer value \d+ is outside the range of int/,
    );
    await bench.close();
  });

  it("fail with the server's message", async () => {
    const bench = await onServer(/^A coin/);
    await bench.tab('data.json');
    await bench.write('{"N": 2, "y": [0, 7]}');
    await bench.runAnyway();
    await bench.page.getByRole('heading', { name: 'The run failed' }).waitFor();
    assert.match((await bench.page.locator('.message').textContent()) ?? '', /7/);
    await bench.close();
  });

  it('ask once for the token of a server that requires one', async () => {
    const locked = await TestServer.start({ web: true, token: TOKEN });
    const bench = await Workbench.open(browser, locked.address);
    await bench.page.getByRole('button', { name: 'Server', exact: true }).click();
    await bench.page.getByLabel('Token', { exact: true }).waitFor();
    await bench.page.keyboard.type('wrong');
    await bench.page.getByRole('button', { name: 'Use this token' }).click();
    await bench.page.getByText('The server does not accept this token.').waitFor();
    assert.deepEqual(await axeFindings(bench.page), []);
    await bench.page.getByLabel('Token', { exact: true }).fill(TOKEN);
    await bench.page.getByRole('button', { name: 'Use this token' }).click();
    await bench.openExample(/^A coin/);
    await bench.page.getByText('The program and the data are sent to the server').waitFor();
    await bench.page.reload();
    await bench.openExample(/^A coin/);
    await bench.page.getByText('The program and the data are sent to the server').waitFor();
    await bench.run();
    await bench.page.getByRole('heading', { name: 'These draws can be relied on' }).waitFor();
    await bench.close();
    await locked.remove();
  });
});
