/** The main path through the workbench in Firefox. The other tests of the page run in Chromium. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'puppeteer-core';
import { TestServer } from '../service/harness.js';
import { launchFirefox, withoutFirefox } from '../support/firefox.js';

/** Milliseconds until a step counts as failed; a run on a busy machine takes seconds. */
const PATIENCE = 60_000;

describe('the workbench in Firefox', { skip: withoutFirefox }, () => {
  let server: TestServer;
  let browser: Browser;
  let folder: string;
  let page: Page;
  const complaints: string[] = [];

  before(async () => {
    [server, browser] = await Promise.all([TestServer.start({ web: true }), launchFirefox()]);
    folder = await mkdtemp(join(tmpdir(), 'leapfrog-firefox-'));
    page = await open(server.address);
  });
  after(async () => {
    await browser?.close();
    await server?.remove();
    await rm(folder, { recursive: true });
  });

  const open = async (address: string): Promise<Page> => {
    const opened = await browser.newPage();
    opened.setDefaultTimeout(PATIENCE);
    opened.on('console', (message) => {
      if (['error', 'warn'].includes(message.type())) complaints.push(message.text());
    });
    opened.on('pageerror', (error) => complaints.push(String(error)));
    await opened.setViewport({ width: 1280, height: 800 });
    await opened.goto(address);
    return opened;
  };
  const click = (name: string, role = 'button', on = page) =>
    on.locator(`::-p-aria([name="${name}"][role="${role}"])`).click();
  const choose = async (menu: string, item: string) => {
    await click(menu);
    await page.locator(`[role=menuitem] ::-p-text(${item})`).click();
  };
  const see = (text: string, on = page) => on.locator(`::-p-text(${text})`).wait();
  const summary = async (on = page): Promise<readonly (readonly string[])[]> => {
    await click('Summary', 'tab', on);
    await on.locator('.numbers tbody th').wait();
    return on.$$eval('.numbers tbody tr', (rows) =>
      rows.map((row) => [...row.children].map(({ textContent }) => textContent ?? '')),
    );
  };

  it('runs an example, with verdict, summary and plots', async () => {
    await choose('Examples', 'Eight schools');
    await see('Ready to run');
    await page.locator('button.run').click();
    await see('These draws can be relied on');
    const rows = await summary();
    assert.ok(rows.some(([name]) => name === 'theta[8]'));
    for (const tab of ['Plots', 'Predictive']) {
      await click(tab, 'tab');
      await page.locator('.look figure svg').wait();
    }
    for (const tab of ['Compare', 'Draws', 'Log']) await click(tab, 'tab');
  });

  it('opens a link to a project, whose run has the same numbers', async () => {
    const expected = await summary();
    await choose('Share', 'Copy a link');
    await see('The link is in the clipboard');
    const link = await page.evaluate('navigator.clipboard.readText()');
    assert.ok(typeof link === 'string' && link.startsWith(`${server.address}/#project=`));
    const other = await open(link);
    await see('Ready to run', other);
    await other.locator('button.run').click();
    await see('These draws can be relied on', other);
    assert.deepEqual(await summary(other), expected);
    await other.close();
    await page.bringToFront();
  });

  it('compares the predictions of three runs, and shows each type of plot', async () => {
    for (const number of [2, 3]) {
      await page.locator('button.run').click();
      await page
        .locator(
          `::-p-xpath(//ul[contains(@class, "runs")]//button[contains(., "Run ${number}") and contains(., "reliable")])`,
        )
        .wait();
    }
    await click('Compare', 'tab');
    await page.locator('.compared-runs label:nth-of-type(2) input').wait();
    await page.evaluate(
      "document.querySelectorAll('.compared-runs input:not(:checked)').forEach((box) => box.click())",
    );
    await page.locator('.compare .estimates tbody tr:nth-child(3)').wait();
    const rows = await page.$$eval('.compare section[aria-label="Differences and weights"] tbody tr', (all) =>
      all.map((row) => [...row.children].map(({ textContent }) => textContent ?? '')),
    );
    assert.equal(rows.length, 3);
    const stacking = rows.reduce((sum, cells) => sum + Number(cells[5]), 0);
    assert.ok(Math.abs(stacking - 1) < 0.01, `the stacking weights add up to ${stacking}`);
    await page.waitForFunction("document.querySelectorAll('.compare figure svg').length >= 3");
    await click('Plots', 'tab');
    for (const kind of ['rank', 'ECDF difference', 'pairs', 'ridgelines', 'parallel coordinates', 'sampler']) {
      await click(kind);
    }
    await see('Step size and acceptance');
    const areDrawn =
      "[...document.querySelectorAll('.look figure')].every((each) => each.querySelector('svg') !== null)";
    await page.waitForFunction(areDrawn);
  });

  it('is in German, with the texts of its plots', async () => {
    await page.select('select[aria-label="Language"]', 'de');
    await click('Diagramme', 'tab');
    await see('Pfad von mu');
    await page.select('select[aria-label="Sprache"]', 'en');
    await click('Plots', 'tab');
    await see('Trace of mu');
  });

  it('runs a script, with a plot and the line of an error', async () => {
    await click('script.js', 'tab');
    await click('Example: plot draws');
    await click('Run the script');
    await page.locator('.script-output img').wait();
    await see('is positive with probability');
    const editor = page.locator('.write >>> [contenteditable]');
    for (const [script, error] of [
      ['\n\nnothing.here();', 'Line 3: ReferenceError'],
      ['\nconst b = = 2;', 'Line 2: SyntaxError'],
    ]) {
      await editor.click();
      await page.keyboard.down('Control');
      await page.keyboard.press('a');
      await page.keyboard.up('Control');
      await page.keyboard.press('Delete');
      await page.keyboard.type(script ?? '');
      await click('Run the script');
      await see(error ?? '');
    }
  });

  it('imports draws, and keeps projects across a reload', async () => {
    const path = join(folder, 'draws.csv');
    const rows = Array.from({ length: 100 }, (_, row) => `-1,${(row * 37) % 100}`);
    await writeFile(path, `lp__,x\n${rows.join('\n')}\n`);
    const [chooser] = await Promise.all([page.waitForFileChooser(), choose('Share', 'Open files')]);
    await chooser.accept([path]);
    await click('Verdict', 'tab');
    await see('from draws.csv');
    const [, x] = await summary();
    assert.deepEqual(x?.slice(0, 2), ['x', '49.5']);
    await see('saved');
    await page.reload();
    await see('from draws.csv');
    const beyond = 'document.documentElement.scrollHeight - document.documentElement.clientHeight';
    assert.equal(await page.evaluate(beyond), 0, 'the page itself does not scroll');
    assert.deepEqual(complaints, []);
  });
});
