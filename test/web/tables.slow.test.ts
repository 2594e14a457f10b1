/** Tables as people export them: from a dropped file to a run. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Locator } from 'playwright-core';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { browserForAll, Workbench } from './workbench.js';

/** As German Excel writes it: Windows-1252, semicolons, decimal commas, a total; one cell is wrong. */
const GERMAN = [
  'Größe (cm);Gewicht;Geschlecht;Besuch;Lohn;Name',
  ...Array.from({ length: 40 }, (_, row) => {
    const height = 150 + ((row * 37) % 45) + 0.5;
    const weight =
      row === 7 ? 'ca. 80' : row === 9 ? 'k.A.' : (0.9 * height - 82 + (row % 7)).toFixed(1).replace('.', ',');
    const cells = [`${height}`.replace('.', ','), weight, row % 3 === 0 ? 'männlich' : 'weiblich'];
    return [...cells, `${(row % 28) + 1}.03.2024`, `1.${200 + row},00 €`, `Person ${row}`].join(';');
  }),
  'Summe;1234,5;;;;',
].join('\r\n');

/** Counts the characters and numbers that the page's thread receives from the worker that reads tables. */
const COUNT_RECEIVED = `
  window.received = 0;
  const sizeOf = (value) =>
    typeof value === 'string' || ArrayBuffer.isView(value)
      ? value.length
      : typeof value === 'object' && value !== null
        ? (value instanceof Map ? [...value] : Object.entries(value)).flat().reduce((sum, each) => sum + sizeOf(each), 0)
        : 1;
  window.Worker = class extends Worker {
    constructor(address, options) {
      super(address, options);
      if (String(address).includes('table-worker')) this.addEventListener('message', ({ data }) => (received += sizeOf(data)));
    }
  };`;

describe('a table of a spreadsheet', { skip: withoutChromium }, () => {
  const opened = browserForAll();

  it('is read from German text as numbers, dates and groups, and becomes data of a program that runs', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    const chosen = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Open data' }).click();
    await (await chosen).setFiles({ name: 'studie.csv', mimeType: 'text/csv', buffer: Buffer.from(GERMAN, 'latin1') });
    await page.getByRole('heading', { name: 'Data from studie.csv' }).waitFor();
    assert.equal(await page.getByLabel('Decimal comma').isChecked(), true);
    await page.getByText('Not read: row 42 (Summe 1234,5).').waitFor();
    await page.getByText('Name differs in most rows').waitFor();
    const lowest = async (element: Locator) => {
      const { height = 0, y = 0 } = (await element.boundingBox()) ?? {};
      return y + height;
    };
    const write = page.getByRole('button', { name: 'Write the model' });
    assert.ok((await lowest(write)) < (await lowest(page.getByRole('dialog'))), 'the button is seen without scrolling');
    assert.equal(await page.getByLabel('Name', { exact: true }).isDisabled(), true);
    assert.deepEqual(await axeFindings(page), []);
    await page.setViewportSize({ width: 390, height: 800 });
    const beyond = 'document.querySelector("dialog").scrollWidth - document.querySelector("dialog").clientWidth';
    assert.equal(await page.evaluate(beyond), 0, 'nothing is wider than a phone');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByText('Gewicht: 1 cell is not a number').waitFor();
    await page.getByLabel('row 9: ca. 80').fill('80,5');
    await page.getByLabel('row 9: ca. 80').press('Enter');
    await page.getByText('Gewicht: 1 cell is not a number').waitFor({ state: 'detached' });
    await page.getByLabel('Leave out the row with a missing value').waitFor();
    await page.getByRole('button', { name: 'Start a program' }).click();
    await page.getByText('The program declares its data').waitFor();
    const program = (await page.locator('.write .cm-line').allTextContents()).join('\n');
    assert.match(
      program,
      /vector\[N\] groesse_cm; {2}\/\/ Größe \(cm\)\n {2}vector\[N\] Gewicht;\n {2}array\[N\] int<lower=1, upper=N_Geschlecht> Geschlecht; {2}\/\/ 1 = männlich, 2 = weiblich\n {2}array\[N\] int Besuch; {2}\/\/ days since 2024-03-01\n/,
    );
    await bench.write(
      program
        .replace('parameters {\n  \n}', 'parameters { real a; real b; real<lower=0> s; }')
        .replace(
          'model {\n  \n}',
          'model { a ~ normal(0, 100); b ~ normal(0, 10); s ~ normal(0, 10); Gewicht ~ normal(a + b * (groesse_cm - 170), s); }',
        ),
    );
    await page.getByText('Ready to run').waitFor();
    await bench.run();
    await page.getByRole('button', { name: /^Run 1/ }).waitFor();
    await bench.close();
  });

  it('with many rows stays in its worker, and its data are listed by variable: their text would block the page', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address, {}, COUNT_RECEIVED);
    const { page } = bench;
    const received = () => page.evaluate<number>('received');
    const rows = Array.from(
      { length: 30_000 },
      (_, row) =>
        `${row % 7},${(row % 100) / 8},${'ab'[row % 2]},2024-03-0${1 + (row % 9)},person ${row},${'family '.repeat(10)}${row % 15_000}`,
    );
    const chosen = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Open data' }).click();
    const buffer = Buffer.from(`count,x,group,day,id,family\n${rows.join('\n')}\n`);
    await (await chosen).setFiles({ name: 'long.csv', mimeType: 'text/csv', buffer });
    await page.getByLabel('Role of day').selectOption('groups: intercepts');
    await page.getByText('id differs in most rows').waitFor();
    assert.ok((await received()) < rows.length / 2, 'only headings, first cells and first levels are sent to the page');
    await page.getByRole('button', { name: 'Start a program' }).click();
    await page.getByText('The program declares its data').waitFor();
    assert.ok((await received()) < rows.length * 50, 'the data are sent once, as text, without thousands of labels');
    await bench.tab('data.json');
    const list = page.getByRole('region', { name: 'Data variables' });
    const row = list.getByRole('row', { name: /^x / });
    await row.waitFor();
    assert.deepEqual(await row.getByRole('cell').allTextContents(), [
      '30000',
      '0',
      '6.19',
      '12.4',
      '0, 0.125, 0.250, 0.375, 0.500',
    ]);
    assert.equal(await page.getByRole('textbox', { name: 'Data as JSON' }).count(), 0);
    assert.deepEqual(await axeFindings(page), []);
    // Problems of large data are found as those of others.
    await bench.tab('model.stan');
    await bench.write('data { int N; vector[N] x; vector[N] z; } parameters { real a; } model { x ~ normal(a, 1); }');
    await page.getByText('The data do not fit the program').waitFor();
    await page.getByRole('button', { name: 'Go to the data' }).click();
    await list.waitFor();
    await list.getByRole('button', { name: 'Show the text' }).click();
    await page.getByRole('textbox', { name: 'Data as JSON' }).waitFor();
    await bench.close();
  });

  it('is read from a workbook, from any of its visible sheets', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    const chosen = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Open data' }).click();
    await (await chosen).setFiles(
      fileURLToPath(new URL('../../../test/tables/workbooks/openpyxl.xlsx', import.meta.url)),
    );
    await page.getByRole('heading', { name: 'Data from openpyxl.xlsx' }).waitFor();
    await page.getByLabel('groesse_cm', { exact: true }).waitFor();
    await page.getByLabel('Sheet').selectOption('Other');
    await page.getByLabel('x', { exact: true }).waitFor();
    assert.deepEqual(bench.complaints, []);
    await bench.close();
  });
});
