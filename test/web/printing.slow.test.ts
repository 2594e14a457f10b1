/** Results on paper, and as one file. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { browserForAll, ranSchools, type Workbench } from './workbench.js';

describe('the results of a run', { skip: withoutChromium }, () => {
  const opened = browserForAll();
  let bench: Workbench | undefined;
  before(async () => {
    bench = await ranSchools(opened.browser, opened.server.address);
  });
  after(() => bench?.close());
  const page = () => {
    assert.ok(bench !== undefined);
    return bench.page;
  };

  it('are saved as a report without scripts', async () => {
    await page().getByRole('button', { name: 'Share' }).click();
    const saved = page().waitForEvent('download');
    await page()
      .getByRole('menuitem', { name: /^Report of this run/ })
      .click();
    const file = await saved;
    assert.equal(file.suggestedFilename(), 'Eight-schools.html');
    const html = await readFile(await file.path(), 'utf8');
    assert.match(
      html,
      /<h1>Eight schools, Run 1<\/h1>.*1,000 draws in each of 4 chains.*These draws can be relied on/s,
    );
    for (const part of ['theta[8]', 'elpd_loo', 'y: densities', 'Energy']) assert.ok(html.includes(part), part);
    assert.doesNotMatch(html, /<script/);
  });

  it('are saved as one picture', async () => {
    await page().getByRole('button', { name: 'Share' }).click();
    const saving = page().waitForEvent('download');
    await page()
      .getByRole('menuitem', { name: /^Save the results as a picture/ })
      .click();
    const saved = await saving;
    assert.equal(saved.suggestedFilename(), 'eight-schools-run-1.png');
    const png = await readFile(await saved.path());
    assert.equal(png.toString('latin1', 1, 4), 'PNG');
    const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
    // The forest plot, traces, densities and predictions; an empty picture would compress to a few kB.
    assert.ok(width === 2296 && height > 2500 && png.length > 200_000, `${width} x ${height}, ${png.length} bytes`);
  });

  it('are saved as a report in the language of the page', async () => {
    await page().getByRole('combobox', { name: 'Language' }).selectOption('de');
    await page().getByRole('button', { name: 'Teilen' }).click();
    const saved = page().waitForEvent('download');
    await page()
      .getByRole('menuitem', { name: /^Bericht/ })
      .click();
    const html = await readFile(await (await saved).path(), 'utf8');
    assert.match(html, /<html lang="de">.*1\.000 Ziehungen.*Wichtigste Größen.*Prüfungen.*Zusammenfassung/s);
    const text = html.replaceAll(/<style>.*?<\/style>/gs, '').replaceAll(/<[^>]*>/g, ' ');
    assert.doesNotMatch(text, /\b(?:draws|chains|checks|Summary|Traces|Pairs|interval|density|observation)\b/);
    await page().getByRole('combobox', { name: 'Sprache' }).selectOption('en');
  });

  it('are printed in full, without the program and the controls', async () => {
    await page().emulateMedia({ media: 'print' });
    const isShown = (selector: string) => page().locator(selector).first().isVisible();
    for (const selector of ['.header', '.write', '.look .tab-list', '.run-strip', '.status'])
      assert.equal(await isShown(selector), false, selector);
    assert.equal(await isShown('.headline'), true);
    const heights = await page().evaluate<readonly number[]>(
      "[document.documentElement.scrollHeight, document.querySelector('.verdict').scrollHeight]",
    );
    assert.ok(heights[0] >= heights[1], heights.join());
    await page().emulateMedia({ media: 'screen' });
  });

  it('are printed dark on white, with all rows of the summary and plots as wide as their columns', async () => {
    await bench?.tab('Summary');
    await page().emulateMedia({ media: 'print', colorScheme: 'dark' });
    await page().setViewportSize({ width: 700, height: 300 });
    await page().evaluate("void dispatchEvent(new Event('beforeprint'))");
    const rows = page().locator('.numbers tbody tr');
    assert.equal(await rows.count(), Number(await page().locator('.numbers').getAttribute('aria-rowcount')) - 1);
    await page().getByRole('heading', { name: 'Eight schools, Run 1, Summary' }).waitFor();
    await page().getByRole('columnheader', { name: 'mean' }).waitFor();
    const ink = "getComputedStyle(document.querySelector('.numbers td')).color.match(/\\d+/g).map(Number)";
    assert.ok((await page().evaluate<number[]>(ink)).every((channel) => channel < 100));
    await page().evaluate("void dispatchEvent(new Event('afterprint'))");
    await page().emulateMedia({ media: 'screen' });
    await page().setViewportSize({ width: 1600, height: 800 });
    await bench?.tab('Plots');
    await page().locator('.plot svg').first().waitFor();
    await page().emulateMedia({ media: 'print' });
    await page().setViewportSize({ width: 700, height: 800 });
    const widths = await page()
      .locator('.look .plot')
      .evaluateAll((plots) => plots.map((plot) => [plot.clientWidth, plot.firstElementChild?.scrollWidth]));
    assert.ok(widths.length > 1 && widths.every(([plot, drawn]) => plot === drawn && plot < 350), widths.join(' '));
    await page().emulateMedia({ media: 'screen' });
  });
});
