/** The built page on a static file host, in a subfolder, without our server. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchChromium, withoutChromium } from '../support/chromium.js';
import { type FileHost, startFileHost } from './file-host.js';
import { Workbench } from './workbench.js';

describe('the page on a static host', { skip: withoutChromium }, () => {
  let host: FileHost;
  let browser: Browser;
  before(async () => {
    [host, browser] = await Promise.all([startFileHost(), launchChromium()]);
  });
  after(async () => {
    await browser.close();
    host.close();
  });

  const sample = async (bench: Workbench) => {
    await bench.openExample(/^Eight schools Partial/);
    await bench.page.getByText('Ready to run').waitFor();
    await bench.page.getByLabel('seed').fill('1');
    await bench.run();
    await bench.page.getByRole('heading', { name: 'These draws can be relied on' }).waitFor();
  };

  it('runs, and offers no server', async () => {
    const bench = await Workbench.open(browser, host.address);
    assert.equal(await bench.page.evaluate('crossOriginIsolated'), false);
    await sample(bench);
    assert.equal(await bench.page.getByRole('button', { name: 'Server', exact: true }).count(), 0);
    assert.deepEqual(
      bench.complaints.filter((text) => !text.includes('404')),
      [],
    );
    await bench.close();
  });

  it('starts and runs without a network after its first visit', async () => {
    const bench = await Workbench.open(browser, host.address, { serviceWorkers: 'allow' });
    const { page } = bench;
    await page.getByText('works offline').waitFor();
    await page.context().setOffline(true);
    await page.reload();
    await page.getByRole('heading', { name: /^Write a model/ }).waitFor();
    await page.waitForFunction('document.querySelector(".logo").naturalWidth > 0');
    await sample(bench);
    await bench.close();
  });
});
