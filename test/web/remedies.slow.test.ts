/** Remedies for the problems of a run. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { benchForAll } from './workbench.js';

describe('an unreliable run', { skip: withoutChromium }, () => {
  const bench = benchForAll(async (opened) => {
    await opened.openExample(/^Eight schools, centered/);
    await opened.page.getByText('Ready to run').waitFor();
    await opened.page.getByLabel('seed').fill('2');
    await opened.run();
    await opened.page.getByRole('heading', { name: 'should not be relied on' }).waitFor();
  });

  it('is marked above its other results', async () => {
    const { page } = bench();
    for (const tab of ['Summary', 'Plots', 'Predictive']) {
      await bench().tab(tab);
      await page.locator('.caution', { hasText: 'These draws should not be relied on yet' }).waitFor();
    }
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole('button', { name: 'See the verdict' }).click();
    await page.getByRole('heading', { name: 'should not be relied on' }).waitFor();
    assert.equal(await page.locator('.caution').count(), 0);
  });

  it('runs again with automatic reparameterization, and is compared with the result', async () => {
    const { page } = bench();
    assert.deepEqual(await axeFindings(page), []);
    const remedies = page.getByRole('region', { name: 'Run again' });
    const labels = await remedies.getByRole('button').allTextContents();
    assert.ok(labels.includes('With the recommended sampler') && labels.includes('With delta 0.95'), labels.join());
    await remedies.getByRole('button', { name: 'With automatic reparameterization' }).click();
    await page.getByText(/^Run 1 had [1-5] problems; this run has none\./).waitFor();
    await bench().reliable();
    assert.equal(await page.getByRole('region', { name: 'Run again' }).count(), 0);
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole('button', { name: 'Compare both runs' }).click();
    await page.getByText('Run 2, compared with').waitFor();
    await page.locator('.compare').getByText('reparameterize').first().waitFor();
  });

  it('keeps the remedy in the settings of the project', async () => {
    const { page } = bench();
    await page.getByRole('button', { name: /^All settings|^more/ }).click();
    assert.equal(await page.locator('[data-argument="reparameterize"]').inputValue(), 'auto');
    await page.locator('.help code', { hasText: 'theta ~ normal(mu, tau)' }).waitFor();
  });

  it('is marked if the data no longer fit the program', async () => {
    const { page } = bench();
    await bench().tab('Verdict');
    await bench().tab('data.json');
    const before = (await page.locator('.write .cm-line:visible').allTextContents()).join('\n');
    await bench().write('{"J": 8}');
    const caution = page.locator('.caution', { hasText: 'The data no longer fit the program' });
    await caution.waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await bench().write(before);
    await caution.waitFor({ state: 'detached' });
  });

  it('with one draw per chain is not called a point', async () => {
    const { page } = bench();
    await bench().tab('Verdict');
    await page.getByLabel('samples').fill('1');
    await bench().run();
    await page.getByText(/^1 draw in each of 4 chains, in/).waitFor();
  });
});
