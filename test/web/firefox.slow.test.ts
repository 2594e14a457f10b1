/** The main path through the workbench in Firefox. The other tests of the page run in Chromium. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { withoutFirefox } from '../support/firefox.js';
import { type FirefoxBench, firefoxForAll } from './firefox-bench.js';

describe('the workbench in Firefox', { skip: withoutFirefox }, () => {
  const opened = firefoxForAll();
  let bench: FirefoxBench;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'leapfrog-firefox-'));
    bench = await opened.open();
  });
  after(() => rm(folder, { recursive: true }));

  /** A run in the list, once its draws are known to be reliable. */
  const reliable = (run: string) =>
    bench.page.locator('ul.runs button').filter({ hasText: run }).filter({ hasText: 'reliable' });

  it('runs an example, with verdict, summary and plots', async () => {
    await bench.run('Eight schools');
    const rows = await bench.summary();
    assert.ok(rows.some(([name]) => name === 'theta[8]'));
    for (const tab of ['Plots', 'Predictive']) {
      await bench.click(tab, 'tab');
      await bench.page.locator('.look figure svg').first().waitFor();
    }
    for (const tab of ['Compare', 'Draws', 'Log']) await bench.click(tab, 'tab');
  });

  it('opens a link to a project, whose run has the same numbers', async () => {
    const expected = await bench.summary();
    await bench.choose('Share', 'Copy a link');
    await bench.see('The link is in the clipboard');
    const link = await bench.page.evaluate('navigator.clipboard.readText()');
    assert.ok(typeof link === 'string' && link.startsWith(`${opened.server.address}/#project=`));
    const other = await opened.open(link);
    await other.see('Ready to run');
    await other.page.locator('button.run').click();
    await other.see('These draws can be relied on');
    assert.deepEqual(await other.summary(), expected);
    await other.page.close();
    await bench.page.bringToFront();
  });

  it('leads from the key quantities to plots, which are saved, by keyboard alone', async () => {
    await bench.click('Verdict', 'tab');
    await bench.page.locator('.quantity').first().waitFor();
    await bench.page.focus('.quantity');
    await bench.press('Enter');
    await bench.focused('[role=tab]', 'Plots');
    await bench.page.locator('.look figure svg').first().waitFor();
    for (const [item, name, beginning] of [
      ['Save as SVG', /\.svg$/, '<svg'],
      ['Save as PNG for the screen', /\.png$/, ''],
      ['Save its numbers as CSV', /\.csv$/, ''],
    ] as const) {
      await bench.page.locator('.look .menu-button').first().click();
      await bench.item(item).click();
      const saved = await bench.nextSaved();
      assert.match(saved.name, name);
      assert.ok(saved.text.length > 100 && saved.text.startsWith(beginning), saved.text.slice(0, 100));
    }
  });

  it('returns the focus when a window or the tour closes, and runs by the next key', async () => {
    await bench.page.focus('.look [role=tab]');
    for (const [search, inside] of [
      ['tour of', '.tour-note'],
      ['notebooks', 'dialog [role=tab]'],
      ['calibration', 'dialog input'],
    ] as const) {
      await bench.press('Control+k');
      await bench.focused('dialog input');
      await bench.page.keyboard.type(search);
      await bench.page.locator('[cmdk-item]:only-child[aria-selected=true]').first().waitFor();
      await bench.press('Enter');
      await bench.focused(inside);
      await bench.press('Escape');
      if (search !== 'calibration') await bench.focused('.look [role=tab]', 'Verdict');
    }
    await bench.press('Control+Enter');
    await reliable('Run 2').waitFor();
    await bench.focused('.look [role=tab]', 'Verdict');
  });

  it('compares the predictions of three runs, and shows each type of plot', async () => {
    await bench.page.locator('button.run').click();
    await reliable('Run 3').waitFor();
    await bench.click('Compare', 'tab');
    await bench.page.locator('.compared-runs label:nth-of-type(2) input').first().waitFor();
    await bench.page.evaluate(
      "document.querySelectorAll('.compared-runs input:not(:checked)').forEach((box) => box.click())",
    );
    await bench.page.locator('.compare .estimates tbody tr:nth-child(3)').first().waitFor();
    const rows = await bench.page.$$eval('.compare section[aria-label="Differences and weights"] tbody tr', (all) =>
      all.map((row) => [...row.children].map(({ textContent }) => textContent ?? '')),
    );
    assert.equal(rows.length, 3);
    const stacking = rows.reduce((sum, cells) => sum + Number(cells[5]), 0);
    assert.ok(Math.abs(stacking - 1) < 0.01, `the stacking weights add up to ${stacking}`);
    await bench.page.locator('.compare figure svg').nth(2).waitFor();
    await bench.click('Plots', 'tab');
    for (const kind of ['rank', 'ECDF difference', 'pairs', 'ridgelines', 'parallel coordinates', 'sampler']) {
      await bench.click(kind);
    }
    await bench.see('Step size and acceptance');
    await bench.page.locator('.look figure:not(:has(svg))').first().waitFor({ state: 'detached' });
  });

  it('is in German, with the texts of its plots', async () => {
    await bench.page.selectOption('select[aria-label="Language"]', 'de');
    await bench.click('Diagramme', 'tab');
    await bench.see('Pfad von mu');
    await bench.page.selectOption('select[aria-label="Sprache"]', 'en');
    await bench.click('Plots', 'tab');
    await bench.see('Trace of mu');
  });

  it('runs a script, with a plot and the line of an error', async () => {
    await bench.click('script.js', 'tab');
    await bench.click('Example: plot draws');
    await bench.click('Run the script');
    await bench.page.locator('.script-output img').first().waitFor();
    await bench.see('is positive with probability');
    const editor = bench.page.locator('.write [contenteditable]');
    for (const [script, error] of [
      ['\n\nnothing.here();', 'Line 3: ReferenceError'],
      ['\nconst b = = 2;', 'Line 2: SyntaxError'],
    ]) {
      await editor.click();
      await bench.press('Control+a');
      await bench.page.keyboard.press('Delete');
      await bench.page.keyboard.type(script ?? '');
      await bench.click('Run the script');
      await bench.see(error ?? '');
    }
  });

  it('imports draws, and keeps projects across a reload', async () => {
    const path = join(folder, 'draws.csv');
    const rows = Array.from({ length: 100 }, (_, row) => `-1,${(row * 37) % 100}`);
    await writeFile(path, `lp__,x\n${rows.join('\n')}\n`);
    const [chooser] = await Promise.all([
      bench.page.waitForEvent('filechooser'),
      bench.choose('Projects', 'Open files'),
    ]);
    await chooser.setFiles(path);
    await bench.click('Verdict', 'tab');
    await bench.see('from draws.csv');
    const [, x] = await bench.summary();
    assert.deepEqual(x?.slice(0, 2), ['x', '49.5']);
    await bench.see('saved');
    await bench.page.reload();
    await bench.see('from draws.csv');
    const beyond = 'document.documentElement.scrollHeight - document.documentElement.clientHeight';
    assert.equal(await bench.page.evaluate(beyond), 0, 'the page itself does not scroll');
  });
});
