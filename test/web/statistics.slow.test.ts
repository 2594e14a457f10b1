/** The page shows the statistics that other entry points report for the same fits, which `test/doors/statistics.slow.test.ts` compares. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { close, compare, compile, type Fit, type LeaveOneOut } from 'leapfrog';
import type { Locator } from 'playwright-core';
import { displayName } from '../../src/formats/columns.js';
import { saveFit } from '../../src/pipe/fit-file.js';
import { CommandFolder } from '../cli/command.js';
import { CASES, COMPARED, DATA, type FitCase, requestOf } from '../doors/statistics.js';
import { withoutChromium } from '../support/chromium.js';
import { same } from './shown-numbers.js';
import { benchForAll } from './workbench.js';

/** Statistics by the columns of the page's table. */
const COLUMNS = ['mean', 'sd', 'q05', 'q50', 'q95', 'mcseMean', 'rhat', 'essBulk', 'essTail'] as const;

/** Fits of samplers, for which the page shows findings. */
const SHOWN = CASES.filter(({ method }) => method === 'sample');

interface Row {
  readonly name: string;
  readonly cells: readonly string[];
}

describe('the page shows the statistics of the library', { skip: withoutChromium }, () => {
  // Rows that are not visible are not in the page.
  const bench = benchForAll(undefined, { viewport: { width: 1280, height: 12_000 } });
  let place: CommandFolder;
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

  /** The fit, opened in the page from a file. */
  async function open({ name, program }: FitCase, fit: Fit): Promise<void> {
    const path = place.path(`${name}.arrow`);
    const origin = { source: { program, includes: {} }, data: JSON.stringify(DATA), isWhole: true };
    saveFit(path, fit.contents(), origin);
    await openFiles([path]);
    await bench().page.getByText(`from ${name}.arrow`).waitFor();
  }

  async function openFiles(paths: readonly string[]): Promise<void> {
    const { page } = bench();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Projects', exact: true }).click();
    await page.getByRole('menuitem', { name: /^Open files/ }).click();
    await (await chooser).setFiles([...paths]);
  }

  /** The rows of the summary, all of whose containers are expanded. */
  async function rowsOfSummary(): Promise<readonly Row[]> {
    await bench().tab('Summary');
    const rows = bench().page.getByLabel('Summary', { exact: true }).locator('tbody tr');
    await rows.first().waitFor();
    const folded = rows.getByRole('button', { expanded: false });
    while ((await folded.count()) > 0) await folded.first().click();
    return rowsIn(rows);
  }

  function rowsIn(rows: Locator): Promise<readonly Row[]> {
    return rows.evaluateAll((all) =>
      all.map((row) => {
        const texts = (selector: string) => [...row.querySelectorAll(selector)].map((cell) => cell.textContent ?? '');
        return { name: texts('th')[0], cells: texts('td') };
      }),
    );
  }

  /** The cells of a plot's numbers, which have all digits, without their headings. */
  async function numbersOf(title: string): Promise<readonly (readonly string[])[]> {
    const { page } = bench();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: `Save ${title}` }).click();
    await page.getByRole('menuitem', { name: 'Save its numbers as CSV' }).click();
    const lines = (await readFile(await (await saved).path(), 'utf8')).trim().split('\n');
    return lines.slice(1).map((line) => line.split(','));
  }

  async function assertValidated(fit: Fit): Promise<void> {
    await bench().tab('Predictive');
    const validation = bench().page.getByRole('region', { name: 'Leave-one-out cross-validation' });
    const loo = await fit.loo().catch((error: Error) => error);
    if (loo instanceof Error) {
      assert.match(loo.message, /^log_lik\[\d\] is NaN in \d+ of \d+ draws/);
      await validation.getByText(loo.message, { exact: true }).waitFor();
      return;
    }
    const { effectiveParameters, elpd, looic, observations } = loo;
    const table = validation.locator('.estimates').first().locator('tbody tr');
    await table.first().waitFor();
    const rows = await rowsIn(table);
    for (const [k, [name, value]] of Object.entries({ elpd_loo: elpd, p_loo: effectiveParameters, looic }).entries()) {
      assert.equal(rows[k].name, name);
      same(rows[k].cells[0], value.estimate, name);
      same(rows[k].cells[1], value.standardError, `standard error of ${name}`);
    }
    assert.deepEqual(
      await numbersOf('Pareto k'),
      observations.map(({ name, paretoK }) => [displayName(name), `${paretoK}`]),
    );
  }

  for (const each of SHOWN) {
    it(each.name, async () => {
      const fit = await fitOf(each);
      await open(each, fit);
      const findings = bench().page.locator('.finding p');
      const expected = (await fit.diagnose()).map(({ message }) => message);
      if (expected.length > 0) await findings.first().waitFor();
      assert.deepEqual((await findings.allTextContents()).toSorted(), expected.toSorted());
      const shown = new Map((await rowsOfSummary()).map(({ cells, name }) => [name, cells]));
      for (const summary of await fit.summary()) {
        const cells = shown.get(summary.name);
        assert.ok(cells !== undefined, `${summary.name} is in ${[...shown.keys()].join(' ')}`);
        for (const [k, column] of COLUMNS.entries()) same(cells[k], summary[column], `${column} of ${summary.name}`);
      }
      if (fit.columns.includes('log_lik.1') && fit.draws > 1) await assertValidated(fit);
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
        await openFiles(paths);
        await page.locator('.verdict').getByText(`from ${name}_1.csv`).waitFor();
        loos[`Run ${index + 1}`] = await fit.loo();
      }
      await bench().tab('Compare');
      const { models } = compare(loos);
      const table = page.getByRole('region', { name: 'Comparison of predictions' }).locator('.estimates').first();
      await table.waitFor();
      const rows = await rowsIn(table.locator('tbody tr'));
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
        await numbersOf('Differences of elpd_loo from the best'),
        models.map(({ difference, name, standardError }) => [name, `${difference}`, `${standardError}`]),
      );
    }
  });
});
