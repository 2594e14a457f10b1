/** From a dropped table to an effect, without a line of Stan. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { browserForAll, Workbench } from './workbench.js';

const SCHOOLS = ['Aue', 'Bern', 'Chur', 'Davos', 'Elm'];
const TABLE = [
  'school,hours,score,mood',
  ...Array.from({ length: 40 }, (_, row) => {
    const hours = ((row * 7) % 11) / 2;
    const score = 50 + 3 * hours + 2 * (row % 5) + ((row * 13) % 7) - 3 + 0.5;
    return `${SCHOOLS[row % 5]},${row === 4 ? '' : hours},${score},${['low', 'mid', 'high'][row % 3]}`;
  }),
].join('\n');

/** Opens the table as if its file were dropped on the page. */
async function drop({ page }: Workbench): Promise<void> {
  await page.evaluate(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([${JSON.stringify(TABLE)}], 'pupils.csv', { type: 'text/csv' }));
    document.querySelector('.look').dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
  })()`);
  await page.getByRole('heading', { name: 'A model from these columns' }).waitFor();
}

describe('a model from a formula', { skip: withoutChromium }, () => {
  const opened = browserForAll();

  it('takes six actions from a table to an effect', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    await drop(bench);
    await page.getByLabel('Outcome').selectOption('score');
    await page.getByLabel('Role of hours').selectOption('predictor');
    await page.getByLabel('Role of school').selectOption('groups: intercepts');
    assert.equal(await page.getByLabel('Formula').inputValue(), 'score ~ hours + (1 | school)');
    await page.getByText('1 row with a missing value is left out.').waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole('button', { name: 'Write the model' }).click();
    await page.getByText('The program and its data come from pupils.csv').waitFor();
    await page.getByText('Ready to run').waitFor();
    assert.match(
      (await page.locator('.write .cm-line').first().textContent()) ?? '',
      /score ~ hours \+ \(1 \| school\)/,
    );
    await page.getByLabel('seed').fill('1');
    await bench.run();
    await bench.reliable();
    const results = page.getByRole('region', { name: 'Results of the model' });
    const figures = results.locator('figure');
    await figures.nth(2).waitFor();
    const shown = async (place: number) => ((await figures.nth(place).textContent()) ?? '').replace(/\s+/g, ' ');
    assert.match(await shown(0), /Effects on score.* hours: one more .*> 99 %/);
    assert.match(await shown(1), /score against hours/);
    assert.match(await shown(2), /by school.*Aue.*Bern.*Chur.*Davos.*Elm/);
    // The answer precedes the state of the sampler.
    const headings = await page.locator('.verdict').locator('.figure-title, h2').allTextContents();
    assert.deepEqual(headings, [
      'Effects on score',
      'score against hours',
      'score against hours, by school',
      'These draws can be relied on',
    ]);
    assert.deepEqual(await axeFindings(page), []);
    await results.getByLabel('Show score against').selectOption('school');
    await figures.nth(2).waitFor({ state: 'detached' });
    assert.match(await shown(1), /score against school.*Aue.*Elm/);
    assert.match((await bench.summary()) ?? '', /b_hours.*r_school\[Aue\]/);
    assert.deepEqual(bench.complaints, []);
    await bench.close();
  });

  it('shows the same answer after a link and a zip file', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const choose = async ({ page }: Workbench, menu: 'Projects' | 'Share', name: RegExp) => {
      await page.getByRole('button', { name: menu, exact: true }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    const answer = async ({ page }: Workbench) => {
      const figures = page.getByRole('region', { name: 'Results of the model' }).locator('figure');
      await figures.nth(2).waitFor();
      return (await figures.allTextContents()).join('\n');
    };
    await drop(bench);
    await bench.page.getByLabel('Formula').fill('score ~ hours + (1 | school)');
    await bench.page.getByRole('button', { name: 'Write the model' }).click();
    await bench.page.getByText('Ready to run').waitFor();
    await bench.page.getByLabel('seed').fill('1');
    await choose(bench, 'Share', /^Copy a link/);
    await bench.page.getByText('The link is in the clipboard').waitFor();
    const link = await bench.page.evaluate<string>('navigator.clipboard.readText()');
    await bench.run();
    const expected = await answer(bench);
    assert.match(expected, /Effects on score.*score against hours, by school.*Aue/s);
    const saving = bench.page.waitForEvent('download');
    await choose(bench, 'Share', /^Save as a zip/);
    const saved = await saving;
    const [path, name] = [await saved.path(), saved.suggestedFilename()];

    const linked = await Workbench.open(opened.browser, link);
    await linked.page.getByText('Ready to run').waitFor();
    await linked.run();
    assert.equal(await answer(linked), expected);
    await linked.close();

    const unzipped = await Workbench.open(opened.browser, opened.server.address);
    const choosing = unzipped.page.waitForEvent('filechooser');
    await choose(unzipped, 'Projects', /^Open files/);
    await (await choosing).setFiles({ name, mimeType: 'application/zip', buffer: await readFile(path) });
    assert.equal(await answer(unzipped), expected);
    await unzipped.close();
    await bench.close();
  });

  it('makes missing numbers parameters with one click', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    await drop(bench);
    await page.getByLabel('Formula').fill('score ~ hours + (1 | school)');
    const left = page.getByText('1 row with a missing value is left out.');
    await left.waitFor();
    await page.getByLabel('Treat missing numbers as parameters').check();
    await left.waitFor({ state: 'detached' });
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole('button', { name: 'Write the model' }).click();
    await page.locator('.cm-line', { hasText: 'hours_full[hours_mis_rows] = hours_mis;' }).waitFor();
    await page.getByText('Ready to run').waitFor();
    await page.getByLabel('seed').fill('1');
    await bench.run();
    await bench.reliable();
    await page.getByRole('region', { name: 'Results of the model' }).locator('figure').nth(2).waitFor();
    assert.match((await bench.summary()) ?? '', /hours_mis/);
    assert.deepEqual(bench.complaints, []);
    await bench.close();
  });

  it('shows the same model as form and formula, and orders categories', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    await drop(bench);
    const formula = page.getByLabel('Formula');
    const write = page.getByRole('button', { name: 'Write the model' });
    await formula.fill('mood ~ hours*score + (1 | scholl)');
    await page.getByText('The table has no column "scholl". Did you mean "school"?').waitFor();
    assert.equal(await write.isDisabled(), true);
    assert.deepEqual(await axeFindings(page), []);
    await formula.fill('mood ~ hours*score + (1 + hours | school)');
    assert.equal(await page.getByLabel('Outcome').inputValue(), 'mood');
    assert.equal(await page.getByLabel('Family').inputValue(), 'cumulative');
    assert.equal(await page.getByLabel('Role of school').inputValue(), 'slopes');
    await page.getByLabel('Role of score').selectOption('not used');
    assert.equal(await formula.inputValue(), 'mood ~ hours + (1 + hours | school)');
    await page.getByLabel('Order of the categories').fill('low, mid');
    await page.getByText('The order of the categories lacks "high", which is a value of "mood".').waitFor();
    await page.getByLabel('Order of the categories').fill('low, mid, high');
    await write.click();
    await page.getByText('Ready to run').waitFor();
    const program = (await page.locator('.write .cm-line').allTextContents()).join('\n');
    assert.match(program, /mood; \/\/ 1 = low, 2 = mid, 3 = high/);
    assert.deepEqual(bench.complaints, []);
    await bench.close();
  });
});
