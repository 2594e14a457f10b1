/** Labels of levels, from a table to the results. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { benchForAll } from './workbench.js';

const SCHOOLS = ['Gesamtschule', 'Gymnasium', 'Realschule'];
/** Scores by school; -99 is a missing score. */
const TABLE = [
  'school,score',
  ...Array.from(
    { length: 30 },
    (_, row) => `${SCHOOLS[row % 3]},${row === 4 ? -99 : 50.5 + 10 * (row % 3) + (row % 7)}`,
  ),
].join('\n');

describe('levels of a text column', { skip: withoutChromium }, () => {
  const bench = benchForAll(async (opened) => {
    const { page } = opened;
    const chosen = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Open data' }).click();
    await (await chosen).setFiles({ name: 'scores.txt', mimeType: 'text/plain', buffer: Buffer.from(TABLE) });
    await page.getByRole('heading', { name: 'Data from scores.txt' }).waitFor();
    assert.deepEqual(await axeFindings(page), []);
    const code = page.getByLabel('score: -99 (1 cell) stands for a missing value');
    assert.equal(await code.isChecked(), false);
    await code.click();
    await page.getByLabel('Leave out the row with a missing value').waitFor();
    await page.getByRole('button', { name: 'Start a program' }).click();
    await page.getByText('The program declares its data').waitFor();
    const program = (await page.locator('.write .cm-line').allTextContents()).join('\n');
    assert.match(program, /1 = Gesamtschule, 2 = Gymnasium, 3 = Realschule/);
    await opened.write(
      program
        .replace('parameters {\n  \n}', 'parameters { vector[N_school] theta; real<lower=0> s; }')
        .replace(
          'model {\n  \n}',
          'model { theta ~ normal(50, 50); s ~ normal(0, 10); score ~ normal(theta[school], s); }',
        ),
    );
    await page.getByText('Ready to run').waitFor();
    await page.getByLabel('seed').fill('1');
    await opened.run();
    await opened.reliable();
  });

  it('name the elements among the key quantities and in the summary, which finds them', async () => {
    const { page } = bench();
    await page.locator('.forest button:not(.term)[aria-expanded=false]').click();
    await page.locator('.forest').getByText('theta[Gymnasium]').waitFor();
    assert.match((await bench().summary()) ?? '', /theta\[Gesamtschule\].*theta\[Gymnasium\].*theta\[Realschule\]/);
    await page.getByRole('searchbox').fill('gymn');
    await page.getByText('1 of 5').waitFor();
    assert.deepEqual(await axeFindings(page), []);
  });

  it('name plots and the groups of predictive checks', async () => {
    const { page } = bench();
    await page.getByRole('button', { name: 'theta[Gymnasium]' }).click();
    await page.locator('.figure-title', { hasText: 'theta[Gymnasium]' }).first().waitFor();
    await bench().tab('Predictive');
    await page.locator('.by-figure').getByText('Realschule').first().waitFor();
  });

  it('are in a report', async () => {
    const { page } = bench();
    await page.getByRole('button', { name: 'Share' }).click();
    const saved = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: /^Report of this run/ }).click();
    const html = await readFile(await (await saved).path(), 'utf8');
    for (const part of ['<th scope="row">theta[Gymnasium]</th>', 'Trace of theta[Gymnasium]', 'theta (3)'])
      assert.ok(html.includes(part), part);
    assert.ok(!html.includes('theta[2]'));
  });

  it('stay with the project and its runs after a reload', async () => {
    const { page } = bench();
    await page.reload();
    await bench().tab('Summary');
    await page.locator('.numbers tbody th', { hasText: 'theta[Gymnasium]' }).waitFor();
    const levels = await page.evaluate(`new Promise((resolve) => {
      const opening = indexedDB.open('leapfrog');
      opening.onsuccess = () => {
        const all = opening.result.transaction('projects').objectStore('projects').getAll();
        all.onsuccess = () => { opening.result.close(); resolve(all.result.map(({ levels }) => levels)); };
      };
    })`);
    assert.deepEqual(levels, [[{ variable: 'school', labels: SCHOOLS }]]);
  });

  it('are absent after the data are replaced', async () => {
    const { page } = bench();
    await page.getByRole('tab', { name: 'data.json' }).click();
    const chosen = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Projects' }).click();
    await page.getByRole('menuitem', { name: 'Open files' }).click();
    const data = '{"N": 3, "N_school": 3, "school": [1, 2, 3], "score": [50, 60.5, 70]}';
    await (await chosen).setFiles({ name: 'd.json', mimeType: 'application/json', buffer: Buffer.from(data) });
    await page.getByText('The data now come from d.json').waitFor();
    await bench().run();
    await page.getByRole('button', { name: /^Run 2/ }).waitFor();
    await bench().tab('Summary');
    await page.locator('.numbers tbody th', { hasText: 'theta[2]' }).waitFor();
  });
});
