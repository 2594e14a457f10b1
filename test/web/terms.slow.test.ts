/** Explanations of statistical terms. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { browserForAll, ranSchools, Workbench } from './workbench.js';

const explanation = (page: Page) => page.locator('.explanation');

describe('an explanation of a term', { skip: withoutChromium }, () => {
  const opened = browserForAll();

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`opens by keyboard with three sentences and a picture, ${colorScheme}`, async () => {
      const bench = await ranSchools(opened.browser, opened.server.address, { colorScheme });
      const { page } = bench;
      const button = page.getByRole('button', { name: 'Explain R-hat' }).first();
      await button.hover();
      const background = 'getComputedStyle(document.querySelector(".term:hover")).backgroundColor';
      assert.equal(await page.evaluate(background), 'rgba(0, 0, 0, 0)', 'only the circle is highlighted');
      await button.focus();
      await page.keyboard.press('Enter');
      await explanation(page).locator('svg').waitFor();
      assert.equal(await explanation(page).locator('p span').count(), 3);
      assert.equal(await explanation(page).locator('[lang]').count(), 0);
      assert.deepEqual(await axeFindings(page), []);
      await page.keyboard.press('Escape');
      await explanation(page).waitFor({ state: 'detached' });
      // The focus returns shortly after the explanation has gone.
      await page.locator('[aria-label="Explain R-hat"]:focus').waitFor();
      assert.deepEqual(bench.complaints, []);
      await bench.close();
    });
  }

  it('is in every view that shows the term', async () => {
    const bench = await ranSchools(opened.browser, opened.server.address);
    const { page } = bench;
    const shows = async (term: string) => {
      await page
        .getByRole('button', { name: `Explain ${term}`, exact: true })
        .first()
        .click();
      await explanation(page).locator('svg').waitFor();
      await page.keyboard.press('Escape');
      await explanation(page).waitFor({ state: 'detached' });
    };
    for (const term of ['chains', 'warmup', '90 % interval', 'ESS', 'Divergences', 'Tree depth', 'Energy'])
      await shows(term);
    await bench.tab('Summary');
    for (const term of ['mcse', 'lp__']) await shows(term);
    await bench.tab('Predictive');
    for (const term of ['elpd_loo', 'p_loo', 'Leave-one-out cross-validation', 'Simulate from the prior'])
      await shows(term);
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByPlaceholder('Search for an action').fill('simulation-based');
    await page.getByRole('option', { name: 'Simulation-based calibration' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Calibration' }).waitFor();
    await shows('Simulation-based calibration');
    // Esc closes the explanation, not the window below it.
    assert.ok(await page.getByRole('dialog', { name: 'Calibration' }).isVisible());
    await bench.close();
  });

  it('is in the language of the page', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address, { locale: 'de-DE' });
    const { page } = bench;
    await page.getByRole('button', { name: 'Ketten erklären' }).click();
    await explanation(page).getByText('Eine Kette ist eine Folge von Ziehungen').waitFor();
    await bench.close();
  });
});
