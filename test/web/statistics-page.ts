/** Statistics of a fit as the page shows them. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Fit } from 'leapfrog';
import type { Locator } from 'playwright-core';
import { displayName } from '../../src/formats/columns.js';
import { saveFit } from '../../src/pipe/fit-file.js';
import type { CommandFolder } from '../cli/command.js';
import { DATA, type FitCase } from '../doors/statistics.js';
import { same } from './shown-numbers.js';
import type { Workbench } from './workbench.js';

/** Statistics by the columns of the page's table. */
const COLUMNS = ['mean', 'sd', 'q05', 'q50', 'q95', 'mcseMean', 'rhat', 'essBulk', 'essTail'] as const;

interface Row {
  readonly name: string;
  readonly cells: readonly string[];
}

export class StatisticsPage {
  private readonly bench: () => Workbench;
  private readonly place: () => CommandFolder;

  constructor(bench: () => Workbench, place: () => CommandFolder) {
    this.bench = bench;
    this.place = place;
  }

  /** The fit, opened in the page from a file. */
  async open({ name, program }: FitCase, fit: Fit): Promise<void> {
    const path = this.place().path(`${name}.arrow`);
    const origin = { source: { program, includes: {} }, data: JSON.stringify(DATA), isWhole: true };
    saveFit(path, fit.contents(), origin);
    await this.openFiles([path]);
    await this.bench().page.getByText(`from ${name}.arrow`).waitFor();
  }

  async openFiles(paths: readonly string[]): Promise<void> {
    const { page } = this.bench();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Projects', exact: true }).click();
    await page.getByRole('menuitem', { name: /^Open files/ }).click();
    await (await chooser).setFiles([...paths]);
  }

  /** The rows of the summary, all of whose containers are expanded. */
  async rowsOfSummary(): Promise<readonly Row[]> {
    await this.bench().tab('Summary');
    const rows = this.bench().page.getByLabel('Summary', { exact: true }).locator('tbody tr');
    await rows.first().waitFor();
    const folded = rows.getByRole('button', { expanded: false });
    while ((await folded.count()) > 0) await folded.first().click();
    return this.rowsIn(rows);
  }

  rowsIn(rows: Locator): Promise<readonly Row[]> {
    return rows.evaluateAll((all) =>
      all.map((row) => {
        const texts = (selector: string) => [...row.querySelectorAll(selector)].map((cell) => cell.textContent ?? '');
        return { name: texts('th')[0], cells: texts('td') };
      }),
    );
  }

  /** The cells of a plot's numbers, which have all digits, without their headings. */
  async numbersOf(title: string): Promise<readonly (readonly string[])[]> {
    const { page } = this.bench();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: `Save ${title}` }).click();
    await page.getByRole('menuitem', { name: 'Save its numbers as CSV' }).click();
    const lines = (await readFile(await (await saved).path(), 'utf8')).trim().split('\n');
    return lines.slice(1).map((line) => line.split(','));
  }

  async assertValidated(fit: Fit): Promise<void> {
    await this.bench().tab('Predictive');
    const validation = this.bench().page.getByRole('region', { name: 'Leave-one-out cross-validation' });
    const loo = await fit.loo().catch((error: Error) => error);
    if (loo instanceof Error) {
      assert.match(loo.message, /^log_lik\[\d\] is NaN in \d+ of \d+ draws/);
      await validation.getByText(loo.message, { exact: true }).waitFor();
      return;
    }
    const { effectiveParameters, elpd, looic, observations } = loo;
    const table = validation.locator('.estimates').first().locator('tbody tr');
    await table.first().waitFor();
    const rows = await this.rowsIn(table);
    for (const [k, [name, value]] of Object.entries({ elpd_loo: elpd, p_loo: effectiveParameters, looic }).entries()) {
      assert.equal(rows[k].name, name);
      same(rows[k].cells[0], value.estimate, name);
      same(rows[k].cells[1], value.standardError, `standard error of ${name}`);
    }
    assert.deepEqual(
      await this.numbersOf('Pareto k'),
      observations.map(({ name, paretoK }) => [displayName(name), `${paretoK}`]),
    );
  }

  /** Compares findings, summary and cross-validation of the run in the page with those of the fit. */
  async assertShown(fit: Fit): Promise<void> {
    const findings = this.bench().page.locator('.finding p');
    const expected = (await fit.diagnose()).map(({ message }) => message);
    if (expected.length > 0) await findings.first().waitFor();
    assert.deepEqual((await findings.allTextContents()).toSorted(), expected.toSorted());
    const shown = new Map((await this.rowsOfSummary()).map(({ cells, name }) => [name, cells]));
    for (const summary of await fit.summary()) {
      const cells = shown.get(summary.name);
      assert.ok(cells !== undefined, `${summary.name} is in ${[...shown.keys()].join(' ')}`);
      for (const [k, column] of COLUMNS.entries()) same(cells[k], summary[column], `${column} of ${summary.name}`);
    }
    if (fit.columns.includes('log_lik.1') && fit.draws > 1) await this.assertValidated(fit);
  }
}
