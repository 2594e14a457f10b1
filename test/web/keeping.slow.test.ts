/** What the page stores in the browser and restores. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { browserForAll, ranSchools, Workbench } from './workbench.js';

describe('the workbench keeps', { skip: withoutChromium }, () => {
  const opened = browserForAll();

  const schools = () => ranSchools(opened.browser, opened.server.address);

  it('runs with their draws across reloads, until they are deleted', async () => {
    const bench = await schools();
    const { page } = bench;
    const before = await bench.summary();
    await page.reload();
    await bench.reliable();
    assert.equal(await bench.summary(), before);
    await bench.tab('Plots');
    await page.getByRole('img', { name: /^Trace of mu\. 4 chains/ }).waitFor();
    await page.getByRole('button', { name: 'Delete run 1' }).click();
    await page.getByText('Ready to run').waitFor();
    await page.reload();
    await page.getByText('Ready to run').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Run 1/ }).count(), 0);
    await bench.close();
  });

  it('the verdict with its estimates, which appears before the code of the results and the draws are loaded', async () => {
    const bench = await ranSchools(opened.browser, opened.server.address);
    const { page } = bench;
    const forest = page.getByRole('table', { name: 'Key quantities' });
    const before = await forest.textContent();
    await page.locator('.status').getByText('saved', { exact: true }).waitFor();
    // The summary of the draws is computed by workers.
    await page.addInitScript('Worker = class extends EventTarget { postMessage() {} terminate() {} };');
    const held: (() => Promise<void>)[] = [];
    await page.route(/\/assets\/Results-/, (route) => {
      held.push(() => route.continue());
    });
    await page.reload({ waitUntil: 'commit' });
    await bench.reliable();
    assert.equal(await page.getByRole('tab', { name: 'Summary' }).count(), 0);
    for (const release of held) await release();
    await forest.waitFor();
    assert.equal(await forest.textContent(), before);
    await bench.close();
  });

  it('the page open while draws are being written', async () => {
    const bench = await schools();
    const { page } = bench;
    const saved = (text: string) => page.locator('.status').getByText(text, { exact: true });
    await saved('saved').waitFor();
    // A transaction that is always active makes the page's own transactions wait.
    await page.evaluate(`new Promise((resolve, reject) => {
      const asked = indexedDB.open('leapfrog');
      asked.onerror = reject;
      asked.onsuccess = () => {
        const blocking = asked.result.transaction('chains', 'readwrite');
        const store = blocking.objectStore('chains');
        const hold = () => { if (!globalThis.isReleased) store.count().onsuccess = hold; };
        hold();
        blocking.oncomplete = () => asked.result.close();
        resolve();
      };
    })`);
    const asks = () => page.evaluate(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`);
    assert.equal(await asks(), false);
    await bench.run();
    await saved('saving draws…').waitFor();
    assert.equal(await asks(), true);
    await page.evaluate('globalThis.isReleased = true');
    await saved('saved').waitFor();
    assert.equal(await asks(), false);
    await page.reload();
    await page.getByRole('button', { name: /^Run 2 reliable/ }).waitFor();
    await bench.summary();
    await bench.close();
  });

  it('runs of each project separately', async () => {
    const bench = await schools();
    const { page } = bench;
    await bench.openExample(/^A coin/);
    await page.getByText('Ready to run').waitFor();
    await page.getByRole('button', { name: 'Projects' }).click();
    await page.getByRole('menuitem', { name: /^Eight schools/ }).click();
    await bench.reliable();
    await bench.close();
  });

  it('a run that a reload has interrupted, with the reason', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    await bench.openExample(/^Eight schools Partial/);
    await page.getByText('Ready to run').waitFor();
    await page.getByLabel('samples').fill('2000000');
    await bench.run();
    await page.getByRole('heading', { name: 'Running' }).waitFor();
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByRole('heading', { name: 'Ended without draws, because the page was closed' }).waitFor();
    await bench.close();
  });

  it('projects of the database before runs were stored', async () => {
    const context = await opened.browser.newContext();
    const page = await context.newPage();
    await page.route('**/*', (route) =>
      route.request().isNavigationRequest() ? route.fulfill({ contentType: 'text/html', body: '' }) : route.continue(),
    );
    await page.goto(opened.server.address);
    await page.evaluate(`new Promise((resolve, reject) => {
      const asked = indexedDB.open('leapfrog', 1);
      asked.onupgradeneeded = () => asked.result.createObjectStore('projects', { keyPath: 'id' }).createIndex('savedAt', 'savedAt');
      asked.onerror = reject;
      asked.onsuccess = () => {
        const written = asked.result.transaction('projects', 'readwrite');
        written.objectStore('projects').put({
          id: 'old', name: 'An old project', about: '', program: 'parameters { real kept; } model { kept ~ std_normal(); }',
          includes: [], data: '{}', settings: { functionName: 'stan::services::sample::hmc_nuts_diag_e_adapt', arguments: {} }, savedAt: 1,
        });
        written.oncomplete = () => { asked.result.close(); resolve(); };
      };
    })`);
    await page.unroute('**/*');
    await page.goto(opened.server.address);
    await page.getByText('Ready to run').waitFor();
    assert.equal(await page.getByLabel('Name of the project').inputValue(), 'An old project');
    await context.close();
  });

  it('draws of the database before chains were stored one by one', async () => {
    const bench = await schools();
    const { page } = bench;
    const before = await bench.summary();
    // The earlier format: all chains in the record of the fit.
    await page.evaluate(`new Promise((resolve, reject) => {
      const asked = indexedDB.open('leapfrog');
      asked.onerror = reject;
      asked.onsuccess = () => {
        const change = asked.result.transaction(['fits', 'chains'], 'readwrite');
        const [fits, chains] = [change.objectStore('fits'), change.objectStore('chains')];
        fits.openCursor().onsuccess = ({ target: { result: cursor } }) => {
          chains.getAll().onsuccess = ({ target: { result } }) => {
            cursor.update({ ...cursor.value, chains: result });
            chains.clear();
          };
        };
        change.oncomplete = () => { asked.result.close(); resolve(); };
      };
    })`);
    await page.reload();
    await bench.reliable();
    assert.equal(await bench.summary(), before);
    await bench.close();
  });
});
