/** The first screen after a run: the verdict in one line, followed by the key quantities with their numbers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { browserForAll, ranSchools, Workbench } from './workbench.js';

describe('key quantities', { skip: withoutChromium }, () => {
  const opened = browserForAll();

  const forest = ({ page }: Workbench) => page.getByRole('table', { name: 'Key quantities' });
  const rows = async (bench: Workbench) => {
    await forest(bench).waitFor();
    return forest(bench).getByRole('rowheader').allTextContents();
  };

  it('show scalars before vectors, vectors folded, without simulations, without scrolling', async () => {
    const bench = await ranSchools(opened.browser, opened.server.address);
    assert.deepEqual(await rows(bench), ['mu', 'tau', '▸eta8elements', '▸theta8elements']);
    const box = await forest(bench).boundingBox();
    assert.ok(box !== null && box.y + box.height < 700, 'it is on the first screen');
    await bench.close();
  });

  it('have the numbers of the summary', async () => {
    const bench = await ranSchools(opened.browser, opened.server.address);
    const cells = await forest(bench).getByRole('row', { name: /^mu/ }).getByRole('cell').allTextContents();
    await bench.tab('Summary');
    const row = bench.page.locator('.numbers tr', { has: bench.page.getByRole('rowheader', { name: /^mu$/ }) });
    await row.waitFor();
    const [mean, , low, , high, , rhat, bulk, tail] = (await row.locator('td').allTextContents()).map((text) =>
      Number(text.replace('−', '-')),
    );
    const [, from = '', to = ''] = /^(\S+) to (\S+)$/.exec((cells.at(-3) ?? '').replaceAll('−', '-')) ?? [];
    const near = (text: string | undefined, value: number | undefined) =>
      assert.ok(Math.abs(Number(text?.replace('−', '-')) - (value ?? Number.NaN)) <= 0.051, `${text} is ${value}`);
    near(cells.at(-4), mean);
    near(from, low);
    near(to, high);
    near(cells.at(-2), rhat);
    assert.equal(Number(cells.at(-1)), Math.min(bulk ?? 0, tail ?? 0));
    await bench.close();
  });

  it('open a vector and lead to the plots of a quantity, by keyboard alone', async () => {
    const bench = await ranSchools(opened.browser, opened.server.address);
    const { page } = bench;
    await forest(bench).getByRole('button', { name: /theta/ }).focus();
    await page.keyboard.press('Enter');
    await forest(bench).getByRole('button', { name: 'theta[8]' }).waitFor();
    assert.deepEqual((await rows(bench)).slice(3, 6), ['▾theta8elements', 'theta[1]', 'theta[2]']);
    assert.deepEqual(await axeFindings(page), []);
    await forest(bench).getByRole('button', { name: 'theta[2]' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('img', { name: /^Trace of theta\[2\]/ }).waitFor();
    await bench.close();
  });

  it('mark unreliable numbers, and lead from the verdict to each problem', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    await bench.openExample(/^Eight schools, centered/);
    await page.getByText('Ready to run').waitFor();
    await page.getByLabel('seed').fill('1');
    await bench.run();
    await page.getByRole('heading', { name: 'These draws should not be relied on yet' }).waitFor();
    await forest(bench).locator('td.wrong').first().waitFor();
    await page.getByRole('link', { name: 'effective sample size' }).click();
    const card = page.locator('.finding:focus');
    await card.getByRole('heading', { name: 'Effective sample size' }).waitFor();
    const box = await card.boundingBox();
    assert.ok(box !== null && box.y > 0 && box.y + box.height < 800, 'the card is in sight');
    await bench.close();
  });

  it('are the values of an optimum, and the intervals of an approximation without R-hat', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    await bench.write('parameters { vector[2] x; } model { x ~ normal([3, 5], 1); }');
    await page.getByText('Ready to run').waitFor();
    await page.getByLabel('method', { exact: true }).selectOption('stan::services::optimize::lbfgs');
    await bench.run();
    assert.deepEqual(await rows(bench), ['▾x2elements', 'x[1]', 'x[2]']);
    const values = await forest(bench).getByRole('row', { name: /^x\[/ }).getByRole('cell').allTextContents();
    assert.deepEqual(values.map(Number), [3, 5]);
    await page.getByLabel('method', { exact: true }).selectOption('stan::services::pathfinder::pathfinder_lbfgs_multi');
    await bench.run();
    await page.getByRole('button', { name: /^Run 2/ }).waitFor();
    assert.equal(await page.getByText('conditions on data').count(), 0);
    await forest(bench).getByRole('columnheader', { name: '90 % interval' }).waitFor();
    assert.equal(await forest(bench).getByRole('columnheader', { name: 'R-hat' }).count(), 0);
    await page.getByLabel('method', { exact: true }).selectOption({ label: 'NUTS (default)' });
    await bench.run();
    await bench.reliable();
    await page.getByText('these draws represent its prior, not a posterior').waitFor();
    await bench.close();
  });

  it('put intervals below the numbers on narrow screens, without overflow', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address, {
      viewport: { width: 390, height: 844 },
    });
    await bench.openExample(/^Eight schools Partial/);
    await bench.run();
    await forest(bench).waitFor();
    const width = await bench.page.evaluate("document.querySelector('.look .scrolls').scrollWidth");
    assert.ok(Number(width) <= 390, `${width}`);
    // Strips are drawn once they have a width, and again when it changes.
    const areWithin = `(() => {
      const table = document.querySelector('.forest')?.getBoundingClientRect();
      const strips = [...document.querySelectorAll('.forest .strip svg')].map((strip) => strip.getBoundingClientRect());
      const isWithin = ({ left, right, width }) => width > 0 && left >= table.left && right <= table.right;
      return table !== undefined && strips.length > 4 && strips.every(isWithin);
    })()`;
    while (!(await bench.page.evaluate(areWithin))) await bench.page.waitForTimeout(10);

    // An action chooses a tab that the narrow list does not show.
    const last = bench.page.getByRole('tab', { name: 'Log' });
    await bench.page.keyboard.press('ControlOrMeta+k');
    await bench.page.getByPlaceholder('Search for an action').fill('Show: Log');
    await bench.page.getByRole('option', { name: 'Show: Log' }).waitFor();
    await bench.page.keyboard.press('Enter');
    await bench.page.locator('[role=tab][data-state=active]').getByText('Log').waitFor();
    const isWithin = async () => {
      const box = await last.boundingBox();
      return box !== null && box.x + box.width <= 390;
    };
    while (!(await isWithin())) await bench.page.waitForTimeout(10);
    await bench.close();
  });

  it('follow the data with their simulations along a predictor', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    await bench.openExample(/^A line/);
    await page.getByText('Ready to run').waitFor();
    await page.getByLabel('seed').fill('1');
    await bench.run();
    await bench.reliable();
    const picture = page.getByRole('region', { name: 'Data and predictions' }).getByRole('img');
    await picture.waitFor();
    assert.match(
      (await picture.getAttribute('aria-label')) ?? '',
      /^y against x\. Line: median of simulations of y; .* [1-6] of 40 observations \(dots\) are outside/,
    );
    assert.deepEqual(await axeFindings(page), []);
    await bench.close();
  });
});
