/** Functions that use the results of an earlier run. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { browserForAll, Workbench } from './workbench.js';

describe('functions that take an earlier run', { skip: withoutChromium }, () => {
  const opened = browserForAll();

  const choose = (bench: Workbench, name: string) => bench.page.getByLabel('method').selectOption({ label: name });

  for (const place of ['Browser', 'Server']) {
    it(`approximate at a mode and compute generated quantities, in the ${place.toLowerCase()}`, async () => {
      const bench = await Workbench.open(opened.browser, opened.server.address);
      const { page } = bench;
      await page.getByRole('button', { name: place, exact: true }).click();
      await bench.openExample(/^A line/);
      await page.getByText('Ready to run').waitFor();
      await choose(bench, 'Laplace approximation (laplace_sample)');
      await page.getByText('optimize first').waitFor({ state: 'attached' });
      await choose(bench, 'Optimum (L-BFGS)');
      await page.getByRole('button', { name: 'more…' }).click();
      await page.getByLabel('jacobian', { exact: true }).selectOption('true');
      await bench.run();
      await page.getByRole('button', { name: /^Run 1 done/ }).waitFor();
      await bench.tab('Plots');
      await page.getByText('A single point cannot be plotted').waitFor();
      await choose(bench, 'Laplace approximation (laplace_sample)');
      await page.getByLabel('mode', { exact: true }).selectOption({ label: 'Run 1' });
      await bench.run();
      await page.getByRole('button', { name: /^Run 2 done/ }).waitFor();
      await page.getByRole('img', { name: /^Density of sigma/ }).waitFor();
      assert.equal(await page.getByRole('button', { name: 'trace', exact: true }).count(), 0);
      await bench.tab('Summary');
      await page.getByRole('row', { name: /^sigma/ }).waitFor();
      await choose(bench, 'Generated quantities (standalone_generate)');
      await page.getByLabel('fitted_params').selectOption({ label: 'Run 2' });
      await bench.run();
      await page.getByRole('button', { name: /^Run 3 done/ }).waitFor();
      await page
        .getByRole('row', { name: /^y_rep/ })
        .first()
        .waitFor();
      await bench.close();
    });
  }

  it('report missing input', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    await bench.openExample(/^A line/);
    await bench.page.getByText('Ready to run').waitFor();
    await choose(bench, 'Laplace approximation (laplace_sample)');
    await bench.run();
    await bench.page.getByRole('heading', { name: 'The run failed' }).waitFor();
    await bench.page.locator('.message', { hasText: 'mode' }).waitFor();
    await bench.close();
  });
});
