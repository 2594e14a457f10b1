/** The part of the summary that is visible without scrolling. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { benchForAll } from './workbench.js';

/** A folded vector, long names, and wide numbers. */
const PROGRAM = `parameters {
  vector[13] clinic_effect;
  vector[2] slope_of_the_outcome_in_time;
  real tiny;
  real huge;
}
model {
  clinic_effect ~ normal(-1000, 100);
  slope_of_the_outcome_in_time ~ normal(-1, 1);
  tiny ~ normal(-1e-12, 1e-12);
  huge ~ normal(-1e12, 1e11);
}`;

const ALL = ['quantity', 'mean', 'sd', '5%', '50%', '95%', 'mcse', 'R-hat', 'ess bulk', 'ess tail'];
/** Columns without which no number can be assessed. */
const JUDGES = ['quantity', 'R-hat', 'ess bulk', 'ess tail'];

/** Headings of the columns whose cells are inside the table's frame and not covered by sticky columns. */
const SEEN = `(() => {
  const frame = document.querySelector('.table-frame');
  const box = frame.getBoundingClientRect();
  const covered = new Set();
  for (const row of frame.querySelectorAll('tr')) {
    [...row.children].forEach((cell, column) => {
      const { left, right, top, bottom } = cell.getBoundingClientRect();
      if (bottom > box.bottom || top < box.top) return;
      const isCovered = [left + 6, right - 2].some((x) => {
        const found = document.elementFromPoint(x, (top + bottom) / 2);
        return x < box.left || x > box.right || found === null || !cell.contains(found);
      });
      if (isCovered) covered.add(column);
    });
  }
  return [...frame.querySelectorAll('thead th')].filter((_, column) => !covered.has(column)).map((cell) => cell.textContent);
})()`;

describe('the summary', { skip: withoutChromium }, () => {
  const bench = benchForAll();
  const page = () => bench().page;
  const frame = () => page().getByRole('region', { name: 'Summary' });
  const seen = () => page().evaluate<readonly string[]>(SEEN);
  const scrolledBy = (left: number) => page().evaluate(`document.querySelector('.table-frame').scrollLeft = ${left}`);

  it('shows all but the last quantiles next to the editor, even if numbers and names are wide', async () => {
    await bench().write(PROGRAM);
    await page().getByText('Ready to run').waitFor();
    await page().getByLabel('seed').fill('1');
    await bench().run();
    await page()
      .getByRole('heading', { name: /^These draws/ })
      .waitFor();
    await bench().tab('Summary');
    await frame().getByRole('rowheader', { name: 'slope_of_the_outcome_in_time[2]' }).waitFor();
    assert.deepEqual(page().viewportSize(), { width: 1280, height: 800 });
    assert.deepEqual(
      (await seen()).filter((heading) => heading !== 'mcse' && heading !== '95%'),
      ALL.filter((heading) => heading !== 'mcse' && heading !== '95%'),
    );
  });

  it('keeps diagnostics in view while numbers scroll', async () => {
    await scrolledBy(1000);
    const all = await seen();
    assert.deepEqual(
      all.filter((heading) => [...JUDGES, 'mcse'].includes(heading)),
      ['quantity', 'mcse', 'R-hat', 'ess bulk', 'ess tail'],
    );
    await scrolledBy(0);
  });

  it('truncates long names before their indices, and shows full names on request', async () => {
    const name = frame().getByRole('button', { name: 'slope_of_the_outcome_in_time[2]' });
    assert.equal(await name.getAttribute('title'), 'Plots of slope_of_the_outcome_in_time[2]');
    const box = await name.boundingBox();
    assert.ok(box !== null && box.width < 200, `${box?.width} px`);
    const base = await name.locator('.base').boundingBox();
    assert.ok(base !== null && base.width < box.width - 20, 'the index is beside it');
  });

  it('shows all columns on a window of 1,600 px', async () => {
    await page().setViewportSize({ width: 1600, height: 800 });
    assert.deepEqual(await seen(), ALL);
  });

  it('begins with R-hat and mean on the narrowest screens, and scrolls the other columns in a frame next to the names', async () => {
    await page().setViewportSize({ width: 320, height: 640 });
    assert.equal(await page().evaluate('document.documentElement.scrollWidth'), 320);
    await frame().locator('thead th:nth-child(2)').getByText('R-hat').waitFor();
    const first = await seen();
    assert.deepEqual(first.slice(0, 3), ['quantity', 'R-hat', 'mean']);
    assert.deepEqual(await axeFindings(page()), []);
    await scrolledBy(1000);
    const last = await seen();
    assert.deepEqual([last[0], ...last.slice(-2)], ['quantity', 'ess bulk', 'ess tail']);
  });
});
