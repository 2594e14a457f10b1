/** What of the summary can be seen without scrolling. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { withoutChromium } from '../support/chromium.js';
import { benchForAll } from './workbench.js';

/** A folded vector with a long name. */
const PROGRAM = `parameters {
  vector[13] clinic_effect;
  vector[2] slope;
}
model {
  clinic_effect ~ normal(-1000, 100);
  slope ~ normal(-1, 1);
}`;

/** What is looked at first. */
const FIRST = ['quantity', 'mean', 'sd', '5%', '50%', '95%', 'R-hat', 'ess bulk', 'ess tail'];

async function boxOf(place: Locator): Promise<{ readonly x: number; readonly width: number }> {
  const box = await place.boundingBox();
  assert.ok(box !== null, `${place} can be seen`);
  return box;
}

describe('the summary', { skip: withoutChromium }, () => {
  const bench = benchForAll();
  const page = () => bench().page;
  const frame = () => page().getByRole('region', { name: 'Summary' });
  /** Headings of the columns whose cells all lie inside the table's frame, within a pixel. */
  const seen = async () => {
    const box = await boxOf(frame());
    const outside = new Set<number>();
    for (const row of await frame().getByRole('row').all()) {
      for (const [column, cell] of (await row.locator('th, td').all()).entries()) {
        const { x, width } = await boxOf(cell);
        if (x < box.x - 1 || x + width > box.x + box.width + 1) outside.add(column);
      }
    }
    const headings = await frame().getByRole('columnheader').allTextContents();
    return headings.filter((_, column) => !outside.has(column));
  };

  it('shows R-hat and effective sample sizes beside the half that is written in', async () => {
    await bench().write(PROGRAM);
    await page().getByText('Ready to run').waitFor();
    await page().getByLabel('seed').fill('1');
    await bench().run();
    await page()
      .getByRole('heading', { name: /^These draws/ })
      .waitFor();
    await bench().tab('Summary');
    await frame().getByRole('rowheader', { name: 'slope[2]' }).waitFor();
    assert.deepEqual(page().viewportSize(), { width: 1280, height: 800 });
    assert.deepEqual((await seen()).slice(0, FIRST.length), FIRST);
  });

  it('scrolls in a frame of its own on the narrowest screens', async () => {
    await page().setViewportSize({ width: 320, height: 640 });
    assert.equal(await page().evaluate('document.documentElement.scrollWidth'), 320);
    assert.ok(!(await seen()).includes('mcse'));
    await page().evaluate("document.querySelector('.table-frame').scrollLeft = 1000");
    const all = await seen();
    assert.ok(all.includes('quantity') && all.includes('mcse'), all.join());
  });
});
