/** The page shows the statistics that other entry points report for the same fits, which `test/doors/statistics.slow.test.ts` compares. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { close, compile, type Fit } from 'leapfrog';
import { saveFit } from '../../src/pipe/fit-file.js';
import { CommandFolder } from '../cli/command.js';
import { CASES, DATA, type FitCase, requestOf } from '../doors/statistics.js';
import { withoutChromium } from '../support/chromium.js';
import { same } from './shown-numbers.js';
import { browserForAll, Workbench } from './workbench.js';

/** Statistics by the columns of the page's table. */
const COLUMNS = ['mean', 'sd', 'q05', 'q50', 'q95', 'mcseMean', 'rhat', 'essBulk', 'essTail'] as const;
const SHOWN: readonly string[] = [
  ...['generated', 'nan', 'until', 'few', 'simulation', 'warmup'],
  ...['unusual', 'transformed', 'containers', 'divergent', 'single', 'saved'],
];
const SAMPLED = CASES.filter(({ name }) => SHOWN.includes(name));

interface Row {
  readonly name: string;
  readonly cells: readonly string[];
}

describe('the page shows the statistics of the library', { skip: withoutChromium }, () => {
  const opened = browserForAll();
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
  async function open({ name, program }: FitCase, fit: Fit): Promise<Workbench> {
    const path = place.path(`${name}.arrow`);
    const origin = { source: { program, includes: {} }, data: JSON.stringify(DATA), isWhole: true };
    saveFit(path, fit.contents(), origin);
    // Rows that are not visible are not in the page.
    const viewport = { width: 1280, height: 12_000 };
    const bench = await Workbench.open(opened.browser, opened.server.address, { viewport });
    const chooser = bench.page.waitForEvent('filechooser');
    await bench.page.getByRole('button', { name: 'Projects', exact: true }).click();
    await bench.page.getByRole('menuitem', { name: /^Open files/ }).click();
    await (await chooser).setFiles(path);
    await bench.page.getByText(`from ${name}.arrow`).waitFor();
    return bench;
  }

  /** The rows of the summary, all of whose containers are expanded. */
  async function rowsOf(bench: Workbench): Promise<readonly Row[]> {
    await bench.tab('Summary');
    const rows = bench.page.getByLabel('Summary', { exact: true }).locator('tbody tr');
    await rows.first().waitFor();
    const folded = rows.getByRole('button', { expanded: false });
    while ((await folded.count()) > 0) await folded.first().click();
    return rows.evaluateAll((all) =>
      all.map((row) => {
        const texts = (selector: string) => [...row.querySelectorAll(selector)].map((cell) => cell.textContent ?? '');
        return { name: texts('th')[0], cells: texts('td') };
      }),
    );
  }

  for (const each of SAMPLED) {
    it(each.name, async () => {
      const fit = await fitOf(each);
      const bench = await open(each, fit);
      const findings = bench.page.locator('.finding p');
      const expected = (await fit.diagnose()).map(({ message }) => message);
      if (expected.length > 0) await findings.first().waitFor();
      assert.deepEqual((await findings.allTextContents()).toSorted(), expected.toSorted());
      const shown = new Map((await rowsOf(bench)).map(({ cells, name }) => [name, cells]));
      for (const summary of await fit.summary()) {
        const cells = shown.get(summary.name);
        assert.ok(cells !== undefined, `${summary.name} is in ${[...shown.keys()].join(' ')}`);
        for (const [k, column] of COLUMNS.entries()) same(cells[k], summary[column], `${column} of ${summary.name}`);
      }
      assert.deepEqual(bench.complaints, []);
      await bench.close();
    });
  }
});
