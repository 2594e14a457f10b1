/** The page's numbers agree with those of the commands and of the R package loo. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { CommandFolder } from '../cli/command.js';
import { type LooCase, readLooReference } from '../reference/cross-validation.js';
import { withoutChromium } from '../support/chromium.js';
import { same } from './shown-numbers.js';
import { browserForAll, Workbench } from './workbench.js';

const COLUMNS = ['mean', 'sd', 'q05', 'q50', 'q95', 'mcseMean', 'rhat', 'essBulk', 'essTail'] as const;
type Summary = Readonly<Record<'name' | (typeof COLUMNS)[number], string | number>>;

describe('the page shows the same numbers', { skip: withoutChromium }, () => {
  const opened = browserForAll();

  for (const title of [/^Eight schools Partial/, /^Eight schools, centered/, /^Golf putts/]) {
    it(`as summary and diagnose: ${title.source.slice(1)}`, async () => {
      // Tall enough for all rows: rows that are not visible are not in the page.
      const viewport = { width: 1280, height: 3000 };
      const bench = await Workbench.open(opened.browser, opened.server.address, { viewport });
      await bench.openExample(title);
      await bench.page.getByText('Ready to run').waitFor();
      await bench.page.getByLabel('seed').fill('3');
      await bench.run();
      await bench.page.getByRole('heading', { name: /^These draws/ }).waitFor();
      const verdict = await bench.page.locator('.finding p').allTextContents();
      await bench.tab('Summary');
      const rows = bench.page.getByLabel('Summary', { exact: true }).locator('tbody tr');
      await rows.first().waitFor();
      const folded = rows.getByRole('button', { expanded: false });
      while ((await folded.count()) > 0) await folded.first().click();
      const shown = await Promise.all(
        (await rows.all()).map(async (row) => ({
          name: (await row.getByRole('rowheader').textContent()) ?? '',
          cells: await row.getByRole('cell').allTextContents(),
        })),
      );
      const place = await savedRun(bench);
      await bench.close();

      const files = [1, 2, 3, 4].map((chain) => `draws_${chain}.csv`);
      const diagnosed = await place.run('diagnose', ...files);
      const told = diagnosed.output.split('\n').flatMap((line) => line.match(/^(?:ok|problem) +(.*)$/)?.[1] ?? []);
      assert.deepEqual(verdict.toSorted(), told.toSorted());

      const summaries: readonly Summary[] = JSON.parse(
        (await place.run('summary', ...files, '--format', 'json')).output,
      );
      const parts = new Map(shown.map(({ name, cells }) => [name, cells]));
      for (const summary of summaries) {
        const cells = parts.get(`${summary.name}`) ?? [];
        COLUMNS.forEach((column, place) => {
          same(cells[place], Number(summary[column] ?? Number.NaN), `${column} of ${summary.name}`);
        });
      }
      assert.ok(summaries.length > 2);
      await place.remove();
    });
  }

  for (const each of readLooReference().cases) {
    it(`as the R package loo: ${each.name}`, async () => {
      const bench = await Workbench.open(opened.browser, opened.server.address);
      await openZip(bench, zipOfDraws(each));
      await bench.tab('Predictive');
      const loo = bench.page.getByRole('region', { name: 'Leave-one-out cross-validation' });
      for (const [name, [estimate, error]] of Object.entries(each.expected.estimates)) {
        const row = loo.getByRole('row', { name });
        await row.waitFor();
        const cells = await row.getByRole('cell').allTextContents();
        same(cells[0], estimate, name);
        same(cells[1], error, `standard error of ${name}`);
      }
      const saved = bench.page.waitForEvent('download');
      await loo.getByRole('button', { name: 'Save Pareto k' }).click();
      await bench.page.getByRole('menuitem', { name: /CSV/ }).click();
      const [, ...lines] = (await readFile(await (await saved).path(), 'utf8')).trim().split('\n');
      assert.equal(lines.length, each.expected.paretoK.length);
      lines.forEach((line, place) => {
        const k = Number(line.slice(line.lastIndexOf(',') + 1));
        assert.ok(Math.abs(k - (each.expected.paretoK[place] ?? Number.NaN)) < 1e-9, `Pareto k of ${place}`);
      });
      await bench.close();
    });
  }

  it('as loo_compare of the R package loo', async () => {
    const { cases, comparison } = readLooReference();
    const compared = comparison.names.map((name) => cases.find((each) => each.name === name));
    const bench = await Workbench.open(opened.browser, opened.server.address);
    await openZip(bench, zipOfDraws(...compared.filter((each) => each !== undefined)));
    await bench.tab('Compare');
    const table = bench.page.getByRole('region', { name: 'Comparison of predictions' });
    for (const [place, expected] of comparison.difference.entries()) {
      const row = table.getByRole('row', { name: `Run ${place + 1}` });
      await row.waitFor();
      const [difference, error, worse] = await row.getByRole('cell').allTextContents();
      same(difference, expected, 'difference');
      same(error, comparison.standardError[place] ?? Number.NaN, 'its standard error');
      same(worse, comparison.probabilityWorse[place] ?? Number.NaN, 'probability of being worse');
    }
    assert.ok(comparison.names.length > 1);
    await bench.close();
  });
});

/** Opens a zip file from the menu. */
async function openZip(bench: Workbench, bytes: Uint8Array): Promise<void> {
  const chosen = bench.page.waitForEvent('filechooser');
  await bench.page.getByRole('button', { name: 'Projects' }).click();
  await bench.page.getByRole('menuitem', { name: /^Open files/ }).click();
  await (await chosen).setFiles({ name: 'recorded.zip', mimeType: 'application/zip', buffer: Buffer.from(bytes) });
  await bench.page.getByRole('button', { name: /^Run 1/ }).waitFor();
}

/** The draws of the project's first run, as the page saves them. */
async function savedRun(bench: Workbench): Promise<CommandFolder> {
  const saved = bench.page.waitForEvent('download');
  await bench.page.getByRole('button', { name: 'Share' }).click();
  await bench.page.getByRole('menuitem', { name: /^Save as a zip/ }).click();
  const files = unzipSync(await readFile(await (await saved).path()));
  const run = 'run-1/';
  return CommandFolder.create(
    Object.fromEntries(
      Object.entries(files)
        .filter(([path]) => path.startsWith(run))
        .map(([path, bytes]) => [path.slice(run.length), strFromU8(bytes)]),
    ),
  );
}

/** A project with a run for each case, which has its draws. */
function zipOfDraws(...cases: readonly LooCase[]): Uint8Array {
  const runs = cases.map((each, place) => filesOfRun(each, place + 1));
  return zipSync(Object.assign({ 'model.stan': strToU8(programOf(cases[0])) }, ...runs));
}

function programOf({ logLikelihood: [first = []] }: LooCase): string {
  return `generated quantities { vector[${first.length}] log_lik = rep_vector(0, ${first.length}); }`;
}

function filesOfRun(each: LooCase, number: number): Readonly<Record<string, Uint8Array>> {
  const { logLikelihood } = each;
  const [first = []] = logLikelihood;
  const draws = first[0]?.length ?? 0;
  const columns = first.map((_, place) => `log_lik.${place + 1}`);
  const functionName = 'stan::services::sample::hmc_nuts_diag_e_adapt';
  const record = {
    number,
    settings: { functionName, arguments: {} },
    fit: {
      asked: { function: functionName, arguments: {} },
      outputs: [{ name: 'log_lik', block: 'generated quantities' }],
      columns,
      chains: logLikelihood.map((_, chain) => ({ id: chain + 1, warmup: 0, draws })),
    },
  };
  const csv = logLikelihood.map((chain) => {
    const rows = Array.from({ length: draws }, (_, draw) => chain.map((values) => values[draw]).join(','));
    return [columns.join(','), ...rows, ''].join('\n');
  });
  const folder = `run-${number}`;
  return {
    [`${folder}/model.stan`]: strToU8(programOf(each)),
    [`${folder}/run.json`]: strToU8(JSON.stringify(record)),
    ...Object.fromEntries(csv.map((text, chain) => [join(folder, `draws_${chain + 1}.csv`), strToU8(text)])),
  };
}
