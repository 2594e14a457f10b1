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

const UNIDENTIFIED = `data { int N; array[N] int<lower=1, upper=2> sex; vector[N] y; }
parameters { real a; vector[2] c; }
model { y ~ normal(a + c[sex], 1); }
`;

describe('a run of a model that the data do not identify', { skip: withoutChromium }, () => {
  const bench = benchForAll(async (opened) => {
    await opened.write(UNIDENTIFIED);
    await opened.tab('data.json');
    await opened.write('{"N": 6, "sex": [1, 1, 1, 2, 2, 2], "y": [1.1, 0.4, 1.9, 3.2, 2.4, 2.9]}');
    await opened.tab('model.stan');
    await opened.page.getByText('Ready to run').waitFor();
    await opened.page.getByLabel('seed').fill('1');
    await opened.page.getByLabel('samples').fill('200');
    await opened.run();
    await opened.page.getByRole('heading', { name: 'should not be relied on' }).waitFor();
  });

  it('names the parameters without a prior, and those that only occur together', async () => {
    const { page } = bench();
    const causes = page.getByRole('region', { name: 'Likely causes' });
    await causes.getByText('The chains do not agree on a, c, and the program has no prior for them.').waitFor();
    await causes.getByText(/^The correlation of (a and c\[[12]\]|c\[[12]\] and a) is -1\.00: /).waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await causes.getByRole('button', { name: 'Go to a' }).click();
    await page.locator('.write [contenteditable]:focus').waitFor();
    await causes.getByRole('button', { name: 'Show the pairs' }).click();
    await page
      .getByRole('img', { name: /a (and|against) c\[|c\[[12]\] (and|against) a/ })
      .first()
      .waitFor();
  });

  it('gets priors that can be undone, and converges with more informative ones', async () => {
    const { page } = bench();
    await bench().tab('Verdict');
    await page.getByRole('button', { name: 'Insert priors' }).click();
    await page.locator('.cm-line', { hasText: 'c ~ normal(0, 10); // Replace 10' }).waitFor();
    await page.keyboard.press('Control+z');
    await page.locator('.cm-line', { hasText: /^model \{ y ~ normal/ }).waitFor();
    await page.getByRole('button', { name: 'Insert priors' }).click();
    await page.locator('.cm-line', { hasText: 'c ~ normal(0, 10); // Replace 10' }).waitFor();
    const lines = await page.locator('.write .cm-line:visible').allTextContents();
    await bench().write(lines.join('\n').replaceAll('10)', '2)'));
    await page.getByLabel('samples').fill('1000');
    await bench().run();
    await bench().reliable();
    assert.equal(await page.getByRole('button', { name: 'Insert priors' }).count(), 0);
  });
});
