/** Plots of the page: what the pointer finds in them, and very many draws. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { openBrowser, Workbench } from './workbench.js';

describe('plots', { skip: withoutChromium }, () => {
  let opened: Awaited<ReturnType<typeof openBrowser>>;
  let bench: Workbench;
  before(async () => {
    opened = await openBrowser();
    bench = await Workbench.open(opened.browser, opened.server.address);
    await bench.write('parameters { real a; real b; } model { a ~ std_normal(); b ~ std_normal(); }');
    await bench.page.getByText('Ready to run').waitFor();
    await bench.page.getByLabel('samples', { exact: true }).fill('6000');
    await bench.run();
    await bench.page.getByRole('heading', { name: /^These draws can/ }).waitFor();
    await bench.tab('Plots');
    await bench.page.getByRole('button', { name: 'pairs' }).click();
    await bench.page.getByRole('img', { name: /Draws of b against a/ }).waitFor();
  });
  after(async () => {
    await bench.close();
    await opened.close();
  });

  const figure = (title: string) => bench.page.locator('figure').filter({ hasText: title });

  it('draw more than twenty thousand dots on a canvas, in colours of the theme', async () => {
    const colours = await bench.page.evaluate(`(() => {
      const canvas = document.querySelector('canvas.dots');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const seen = new Set();
      for (let k = 0; k < data.length; k += 4) if (data[k + 3] > 200) seen.add(data[k] + ' ' + data[k + 1] + ' ' + data[k + 2]);
      return seen.size;
    })()`);
    assert.ok(typeof colours === 'number' && colours > 3, 'the dots of four chains are drawn');
    assert.equal(await figure('b against a').locator('circle').count(), 0);
  });

  it('mark the draw under the pointer in every plot of the run', async () => {
    await figure('b against a')
      .locator('.plot')
      .hover({ position: { x: 170, y: 130 } });
    await figure('b against a')
      .locator('.spot-text', { hasText: /^chain \d, draw \d+/ })
      .waitFor();
    await figure('Trace of a').locator('.spot.linked').waitFor();
    await figure('Trace of b').locator('.spot.linked').waitFor();
    await bench.page.mouse.move(5, 5);
    await figure('Trace of a').locator('.spot.linked').waitFor({ state: 'detached' });
  });
});
