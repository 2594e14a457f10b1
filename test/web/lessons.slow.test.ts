/** One of the five lessons, what lessons have in common, and the tour. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { unzipSync, zipSync } from 'fflate';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { FOLDER, lesson, openLesson, step, testLessons } from './lessons.js';
import { browserForAll, Workbench } from './workbench.js';

describe('lessons', { skip: withoutChromium }, () => {
  const opened = browserForAll();

  testLessons(opened, ['hierarchy']);

  it('are kept with their progress, and are part of links and zip files, starting at the first step', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = bench;
    await openLesson(bench, /^Lesson 1/);
    await page.getByText('Ready to run').waitFor();
    await lesson(bench).getByRole('button', { name: 'Skip this step' }).click();
    await step(bench, 2, 4).waitFor();
    await page.getByText('saved', { exact: true }).waitFor();
    await page.reload();
    await step(bench, 2, 4).waitFor();
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('menuitem', { name: /^Copy a link/ }).click();
    await page.getByText('The link is in the clipboard').waitFor();
    const link = await page.evaluate<string>('navigator.clipboard.readText()');
    const other = await Workbench.open(opened.browser, link);
    await step(other, 1, 4).waitFor();
    await other.close();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('menuitem', { name: /^Save as a zip/ }).click();
    const files = unzipSync(readFileSync(await (await saved).path()));
    assert.equal(new TextDecoder().decode(files['lesson.md']), readFileSync(join(FOLDER, 'coin', 'lesson.md'), 'utf8'));
    // A teacher edits the lesson in the zip file.
    const changed = '# Mine\n\nDo **this**, _not_ <b>that</b>, a_b_c.\n\n```goals\ndata y 3\n```\n';
    const zip = zipSync({ ...files, 'lesson.md': new TextEncoder().encode(changed) });
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Projects', exact: true }).click();
    await page.getByRole('menuitem', { name: /^Open files/ }).click();
    await (await chooser).setFiles({ name: 'mine.zip', mimeType: 'application/zip', buffer: Buffer.from(zip) });
    await step(bench, 1, 1).getByRole('heading', { name: 'Mine' }).waitFor();
    assert.equal(await step(bench, 1, 1).getByRole('paragraph').textContent(), 'Do this, not <b>that</b>, a_b_c.');
    assert.equal(await step(bench, 1, 1).getByRole('emphasis').textContent(), 'not');
    await step(bench, 1, 1).getByText('Done: The data variable y has at least 3 elements.').waitFor();
    await bench.close();
  });

  it('report a goal that cannot be parsed', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const zip = zipSync({
      'model.stan': new TextEncoder().encode('parameters { real a; } model { a ~ std_normal(); }'),
      'lesson.md': new TextEncoder().encode('Text\n\n```goals\neval alert(1)\n```\n'),
    });
    const chooser = bench.page.waitForEvent('filechooser');
    await bench.page.getByRole('button', { name: 'Projects', exact: true }).click();
    await bench.page.getByRole('menuitem', { name: /^Open files/ }).click();
    await (await chooser).setFiles({ name: 'bad.zip', mimeType: 'application/zip', buffer: Buffer.from(zip) });
    await lesson(bench).getByText('The lesson cannot be shown: the goal "eval alert(1)" is unknown.').waitFor();
    await bench.close();
  });
});

describe('the tour', { skip: withoutChromium }, () => {
  const opened = browserForAll();

  for (const [name, width] of [
    ['wide', 1280],
    ['narrow', 390],
  ] as const) {
    it(`has four stops by keyboard alone, on a ${name} page, and is offered once`, async () => {
      const bench = await Workbench.open(opened.browser, opened.server.address, { viewport: { width, height: 800 } });
      const { page } = bench;
      if (width < 800) await page.getByRole('button', { name: 'Results', exact: true }).click();
      await page.getByRole('button', { name: 'Take the tour' }).focus();
      await page.keyboard.press('Enter');
      for (let stop = 1; stop <= 4; stop++) {
        const note = page.getByRole('region', { name: `Tour, stop ${stop} of 4` });
        await note.waitFor();
        await page.locator(`[aria-label="Tour, stop ${stop} of 4"]:focus`).waitFor();
        const box = await note.boundingBox();
        assert.ok(box !== null && box.x >= 0 && box.x + box.width <= width && box.y >= 0 && box.y + box.height <= 800);
        assert.deepEqual(await axeFindings(page), []);
        await page.keyboard.press('Tab');
        await page.keyboard.press('Enter');
      }
      assert.equal(await page.getByRole('region', { name: /^Tour/ }).count(), 0);
      await page.reload();
      await page.getByRole('button', { name: 'Examples', exact: true }).waitFor();
      assert.equal(await page.getByText('Take the tour').count(), 0);
      await bench.close();
    });
  }

  it('is left with Esc, or declined, permanently', async () => {
    for (const leave of ['Esc', 'No, thanks']) {
      const bench = await Workbench.open(opened.browser, opened.server.address);
      const { page } = bench;
      if (leave === 'Esc') {
        await page.getByRole('button', { name: 'Take the tour' }).click();
        await page.getByRole('region', { name: 'Tour, stop 1 of 4' }).waitFor();
        await page.keyboard.press('Escape');
      } else await page.getByRole('button', { name: leave }).click();
      await page.getByText('Take the tour').waitFor({ state: 'detached' });
      await page.reload();
      await page.getByRole('heading', { name: /^Write a model/ }).waitFor();
      assert.equal(await page.getByText('Take the tour').count(), 0);
      await bench.close();
    }
  });
});
