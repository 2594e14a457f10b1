/** The page shows the statistics that other entry points report for the same fits, which `test/doors/statistics.slow.test.ts` compares. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { close, compare, compile, type Fit, type LeaveOneOut } from 'leapfrog';
import { CommandFolder } from '../cli/command.js';
import { CASES, COMPARED, DATA, type FitCase, requestOf } from '../doors/statistics.js';
import { withoutChromium } from '../support/chromium.js';
import { same } from './shown-numbers.js';
import { StatisticsPage } from './statistics-page.js';
import { benchForAll } from './workbench.js';

/** Fits of samplers, for which the page shows findings. */
const SHOWN = CASES.filter(({ method }) => method === 'sample');

describe('the page shows the statistics of the library', { skip: withoutChromium }, () => {
  // Rows that are not visible are not in the page.
  const bench = benchForAll(undefined, { viewport: { width: 1280, height: 12_000 } });
  let place: CommandFolder;
  const statistics = new StatisticsPage(bench, () => place);
  before(async () => {
    place = await CommandFolder.create({});
  });
  after(async () => {
    close();
    await place.remove();
  });

  async function fitOf(each: FitCase): Promise<Fit> {
    const model = await compile(each.program);
    return (await model.runMethod(each.method, { ...requestOf(each), data: JSON.stringify(DATA) })).result();
  }

  for (const each of SHOWN) {
    it(each.name, async () => {
      const fit = await fitOf(each);
      await statistics.open(each, fit);
      await statistics.assertShown(fit);
    });
  }

  it('in comparisons of runs', async () => {
    const { page } = bench();
    await page.setViewportSize({ width: 1280, height: 800 });
    for (const names of COMPARED) {
      await page.getByRole('button', { name: 'Projects', exact: true }).click();
      await page.getByRole('menuitem', { name: /^New project/ }).click();
      const loos: Record<string, LeaveOneOut> = {};
      for (const [index, name] of names.entries()) {
        const found = CASES.find((each) => each.name === name);
        assert.ok(found !== undefined, name);
        const fit = await fitOf(found);
        const paths = fit.chains.map(({ id }) => {
          const path = place.path(`${name}_${id}.csv`);
          writeFileSync(path, fit.csv(id));
          return path;
        });
        await statistics.openFiles(paths);
        await page.locator('.verdict').getByText(`from ${name}_1.csv`).waitFor();
        loos[`Run ${index + 1}`] = await fit.loo();
      }
      await bench().tab('Compare');
      const { models } = compare(loos);
      const table = page.getByRole('region', { name: 'Comparison of predictions' }).locator('.estimates').first();
      await table.waitFor();
      const rows = await statistics.rowsIn(table.locator('tbody tr'));
      assert.deepEqual(
        rows.map(({ name }) => name),
        models.map(({ name }) => name),
      );
      for (const [k, model] of models.entries()) {
        const { difference, elpd, name, probabilityWorse, pseudoBmaPlus, stacking, standardError } = model;
        const values = { difference, standardError, probabilityWorse, elpd, stacking, pseudoBmaPlus };
        for (const [column, [what, value]] of Object.entries(values).entries())
          same(rows[k].cells[column], value, `${what} of ${name}`);
      }
      assert.deepEqual(
        await statistics.numbersOf('Differences of elpd_loo from the best'),
        models.map(({ difference, name, standardError }) => [name, `${difference}`, `${standardError}`]),
      );
    }
  });
});
