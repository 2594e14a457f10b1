/** Parts of the page that fail, and names from data that are those of every JavaScript object. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { browserForAll, ranSchools, Workbench } from './workbench.js';

/** Removes the log of all stored runs, as damaged storage might. */
const DAMAGE = `new Promise((resolve, reject) => {
  const opening = indexedDB.open('leapfrog');
  opening.onerror = reject;
  opening.onsuccess = () => {
    const runs = opening.result.transaction('runs', 'readwrite').objectStore('runs');
    runs.getAll().onsuccess = ({ target }) => {
      for (const run of target.result) runs.put({ ...run, log: null });
    };
    runs.transaction.oncomplete = () => {
      opening.result.close();
      resolve();
    };
  };
})`;

const HEADINGS = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'y', 'y'];

describe('the page survives', { skip: withoutChromium }, () => {
  const opened = browserForAll();

  it('a view that fails, which can be left, and offers to save the project', async () => {
    const bench = await ranSchools(opened.browser, opened.server.address);
    const { page } = bench;
    await page.locator('.status').getByText('saved', { exact: true }).waitFor();
    await page.evaluate(DAMAGE);
    await page.reload();
    await bench.reliable();
    await bench.tab('Log');
    await page.getByRole('heading', { name: 'This part of the page failed' }).waitFor();
    assert.deepEqual(await axeFindings(page), []);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as a zip file' }).click();
    assert.match((await saved).suggestedFilename(), /\.zip$/);
    await bench.summary();
    await bench.tab('model.stan');
    await bench.write('parameters { real y; } model { y ~ normal(0, 1); }');
    await page.getByText('No errors, no warnings').waitFor();
    await bench.close();
  });

  it('a table and variables with names that every JavaScript object has', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    const rows = Array.from({ length: 8 }, (_, row) => HEADINGS.map((_, k) => `${row}.${k + 1}`).join());
    const chosen = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Open data' }).click();
    const text = `${HEADINGS.join()},level\n${rows.map((row, k) => `${row},${HEADINGS[k % 4]}`).join('\n')}\n`;
    await (await chosen).setFiles({ name: 'names.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await page.getByRole('heading', { name: 'Data from names.csv' }).waitFor();
    assert.deepEqual(await page.locator('.table-head th').allTextContents(), [
      ...HEADINGS.slice(0, -1),
      'y_1',
      'level',
    ]);
    await page.getByRole('button', { name: 'Start a program' }).click();
    const lines = page.locator('.write .cm-line');
    await lines.filter({ hasText: 'vector[N] hasOwnProperty;' }).waitFor();
    const program = (await lines.allTextContents()).join('\n');
    for (const name of ['proto', 'constructor', 'toString', 'valueOf', 'y', 'y_1'])
      assert.match(program, new RegExp(`vector\\[N\\] ${name};`));

    // Parameters and generated quantities with such names.
    await bench.write(`data { int N; vector[N] constructor; vector[N] toString; array[N] int level; }
parameters { vector[2] hasOwnProperty; real<lower=0> valueOf; }
model {
  hasOwnProperty ~ normal(0, 1);
  valueOf ~ normal(0, 1);
  constructor ~ normal(hasOwnProperty[1] + hasOwnProperty[2] * toString, valueOf);
}
generated quantities { real isPrototypeOf = valueOf + 1; }
`);
    await page.getByText('Ready to run').waitFor();
    await page.getByLabel('samples').fill('200');
    await bench.run();
    await page.getByRole('heading', { name: /^These draws/ }).waitFor();
    for (const tab of ['Summary', 'Plots', 'Predictive', 'Draws', 'Log', 'Compare']) {
      await bench.tab(tab);
      assert.equal(await page.locator('.failed').count(), 0, tab);
    }
    await bench.tab('Predictive');
    await page
      .getByRole('img', { name: /constructor/ })
      .first()
      .waitFor();
    await bench.tab('Plots');
    await page.getByRole('img', { name: /^Trace of valueOf/ }).waitFor();
    assert.match((await bench.summary()) ?? '', /isPrototypeOf/);
    await page.reload();
    await page
      .getByRole('heading', { name: /^These draws/ })
      .or(page.locator('.numbers'))
      .first()
      .waitFor();
    assert.deepEqual(bench.complaints, []);
    await bench.close();
  });
});
