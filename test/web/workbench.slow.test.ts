import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { browserForAll, Workbench } from './workbench.js';

describe('the workbench', { skip: withoutChromium }, () => {
  const opened = browserForAll();
  let bench: Workbench;
  before(async () => {
    bench = await Workbench.open(opened.browser, opened.server.address, { serviceWorkers: 'allow' });
  });

  it('begins with instructions', async () => {
    await bench.page.getByRole('heading', { name: 'Write a model, run it, inspect the results' }).waitFor();
    assert.equal(await bench.page.getByRole('button', { name: /^Run/ }).isDisabled(), true);
  });

  it('opens an example with its data and description', async () => {
    await bench.openExample(/^Eight schools Partial/);
    await bench.page.getByText('Ready to run').waitFor();
    await bench.page.getByText('Rubin 1981').waitFor();
    await bench.page.getByText(/compiled in [\d.]+ m?s · parameters mu, tau, eta/).waitFor();
  });

  it('runs it in the page and shows whether the draws are reliable', async () => {
    await bench.page.getByLabel('seed').fill('1');
    await bench.run();
    await bench.page.getByRole('heading', { name: 'These draws can be relied on' }).waitFor();
    await bench.page.getByText('1,000 draws in each of 4 chains').waitFor();
  });

  it('summarizes every quantity, sorts and searches them', async () => {
    await bench.tab('Summary');
    const rows = bench.page.locator('.numbers tbody th');
    await rows.first().waitFor();
    assert.equal(await rows.first().textContent(), 'lp__');
    await bench.page.getByRole('searchbox', { name: 'Search quantities' }).fill('theta');
    assert.equal(await rows.count(), 8);
    await bench.page.getByRole('button', { name: 'mean', exact: true }).click();
    const means = await bench.page.locator('.numbers tbody tr td:first-of-type').allTextContents();
    const numbers = means.map((text) => Number(text.replace('−', '-')));
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    );
  });

  it('shows the plots of a quantity that is clicked', async () => {
    await bench.page.getByRole('button', { name: 'theta[1]' }).click();
    await bench.page.getByRole('img', { name: /^Trace of theta\[1\]\. 4 chains/ }).waitFor();
    await bench.page.getByRole('img', { name: /^Density of theta\[1\]/ }).waitFor();
  });

  it('marks errors during typing, and shows the message of the first one', async () => {
    await bench.write('parameters { real mu }');
    await bench.page.getByRole('button', { name: '1 error' }).waitFor();
    await bench.page.locator('.cm-lintRange-error, .cm-lintPoint-error').first().waitFor({ state: 'attached' });
    await bench.write('parameters { real mu; } model { mu ~ normal(0, 1); }');
    await bench.page.getByText(/compiled in [\d.]+ m?s · parameter mu$/).waitFor();
  });

  it('keeps the project when the page is reloaded', async () => {
    await bench.page.getByText('saved', { exact: true }).waitFor();
    await bench.page.reload();
    await bench.page.getByText('mu ~ normal(0, 1)').first().waitFor();
  });

  it('is not ready to run before the program and the data are checked', async () => {
    const waiting = await Workbench.open(opened.browser, opened.server.address);
    const { page } = waiting;
    await waiting.write('data { int<lower=1> N; } parameters { real mu; } model { mu ~ normal(0, N); }');
    await page.getByRole('heading', { name: 'The data do not fit the program' }).waitFor();
    await page.getByText('saved', { exact: true }).waitFor();
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/analysis-worker/, async (route) => {
      await released;
      await route.continue();
    });
    // Every heading that appears in the right half.
    await page.addInitScript(`globalThis.headings = new Set();
      new MutationObserver(() => {
        for (const { textContent } of document.querySelectorAll('.look h2')) headings.add(textContent);
      }).observe(document, { subtree: true, childList: true, characterData: true });`);
    await page.reload();
    await page.getByRole('heading', { name: 'Checking the program…' }).waitFor();
    release();
    await page.getByRole('heading', { name: 'The data do not fit the program' }).waitFor();
    assert.deepEqual(await page.evaluate('headings.has("Ready to run")'), false);
    await waiting.close();
  });

  it('satisfies its Content-Security-Policy, and logs no warnings', () => {
    assert.deepEqual(bench.complaints, []);
  });

  it('is isolated from other origins, so that threads may share memory', async () => {
    assert.equal(await bench.page.evaluate('crossOriginIsolated'), true);
  });
});
