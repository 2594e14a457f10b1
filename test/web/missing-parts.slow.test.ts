/** Messages of the page if files that it loads on demand no longer exist. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { browserForAll, Workbench } from './workbench.js';

const ADVICE = /A part of this page cannot be loaded\. Reload the page/;

describe('a missing file of the page', { skip: withoutChromium }, () => {
  const opened = browserForAll();
  /** The right half of the page after running an example while a file with the given prefix is missing. */
  const withoutFile = async (name: string, look: (bench: Workbench) => Promise<void>) => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    try {
      await bench.page.route(new RegExp(`/${name}-`), (route) => route.fulfill({ status: 404, body: 'Not Found' }));
      await bench.openExample(/^A coin/);
      await bench.run();
      await look(bench);
    } finally {
      await bench.close();
    }
  };

  for (const [what, name] of [
    ['what compiles and runs programs', 'compiler-worker'],
    ['a kernel', 'linear'],
  ]) {
    it(`is reported where a run fails without ${what}`, () =>
      withoutFile(name, async ({ page }) => {
        await page.getByRole('heading', { name: 'The run failed' }).waitFor();
        assert.match((await page.locator('.verdict .message').textContent()) ?? '', ADVICE);
      }));
  }

  it('is reported in the verdict and the summary of draws that cannot be judged', () =>
    withoutFile('statistics-worker', async (bench) => {
      await bench.page.getByText(/The draws could not be checked: A part of this page/).waitFor();
      await bench.tab('Summary');
      await bench.page.locator('.empty').filter({ hasText: ADVICE }).waitFor();
    }));

  it('costs only the window that needs it', () =>
    withoutFile('KeysHelp', async (bench) => {
      await bench.reliable();
      await bench.page.keyboard.press('ControlOrMeta+k');
      await bench.page.getByPlaceholder('Search for an action').fill('keys');
      await bench.page.getByRole('option', { name: /keys/i, selected: true }).waitFor();
      await bench.page.keyboard.press('Enter');
      await bench.page.getByText('The window failed: A part of this page cannot be loaded').waitFor();
      await bench.summary();
    }));
});
