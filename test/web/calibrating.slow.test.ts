/** Simulation-based calibration in the page. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { browserForAll, Workbench } from './workbench.js';

const PROGRAM = `data { int N; vector[N] y; }
parameters { real mu; }
model {
  mu ~ normal(0, 10);
  y ~ normal(mu, 1);
}
`;

describe('calibration in the page', { skip: withoutChromium }, () => {
  const opened = browserForAll();
  let bench: Workbench;
  before(async () => {
    bench = await Workbench.open(opened.browser, opened.server.address);
    await bench.write(PROGRAM);
    await bench.tab('data.json');
    await bench.write('{"N": 2, "y": [1.1, 0.4]}');
    await bench.page.getByText('Ready to run').waitFor();
    await bench.page.getByLabel('seed').fill('1');
  });

  const dialog = () => bench.page.getByRole('dialog', { name: 'Calibration' });
  const open = async () => {
    await bench.page.keyboard.press('ControlOrMeta+K');
    await bench.page.getByRole('option', { name: 'Simulation-based calibration' }).click();
    await dialog().waitFor();
  };
  const calibrate = async (count: string) => {
    await dialog().getByRole('spinbutton', { name: 'Simulations' }).fill(count);
    await dialog().getByRole('button', { name: 'Calibrate' }).click();
    await dialog().getByRole('progressbar', { name: 'Simulations' }).waitFor();
  };

  /** How many more memories the page can have, each of which reserves ten gigabytes of addresses. Frees them, because threads need some. */
  const memoriesThatFit = async () => {
    const count = await bench.page.evaluate(() => {
      const memories: WebAssembly.Memory[] = [];
      try {
        while (memories.length < 1000) memories.push(new WebAssembly.Memory({ initial: 1 }));
      } catch {}
      return memories.length;
    });
    const session = await bench.page.context().newCDPSession(bench.page);
    await session.send('HeapProfiler.collectGarbage');
    await session.detach();
    return count;
  };

  it('shows the verdict with plots of the ranks, also after the window was closed', async () => {
    await open();
    await calibrate('40');
    await dialog().getByRole('button', { name: 'Close' }).click();
    await open();
    const result = dialog().getByRole('region', { name: 'Result of the calibration' });
    await result.waitFor();
    await result.getByText('no miscalibration was found in 40 fits').waitFor();
    // Figures are drawn once they have a width.
    await result.locator('.figure-title').getByText('Ranks of mu', { exact: true }).waitFor();
    assert.deepEqual(await result.locator('.figure-title').allTextContents(), [
      'ECDF difference of the ranks of mu',
      'Ranks of mu',
    ]);
    assert.deepEqual(await axeFindings(bench.page), []);
    // Figures adapt to the width of a narrow window once it has been laid out.
    await bench.page.setViewportSize({ width: 390, height: 800 });
    const overflow = () => dialog().evaluate(({ clientWidth, scrollWidth }) => scrollWidth - clientWidth);
    while ((await overflow()) > 0) await bench.page.waitForTimeout(10);
    await bench.page.setViewportSize({ width: 1280, height: 800 });
  });

  it('leaves addresses for memories of other threads', async () => {
    const before = await memoriesThatFit();
    await calibrate('60');
    await dialog().getByText('no miscalibration was found in 60 fits').waitFor();
    const after = await memoriesThatFit();
    assert.ok(after > before - 12, `${before} memories before, ${after} afterwards`);
  });

  it('is cancelled, and repeats on the server with the same verdict', async () => {
    await calibrate('4000');
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().getByRole('button', { name: 'Calibrate' }).waitFor();
    await dialog().getByRole('button', { name: 'Close' }).click();
    await bench.page.getByRole('button', { name: 'Server', exact: true }).click();
    await open();
    await calibrate('40');
    await dialog().getByText('no miscalibration was found in 40 fits').waitFor();
  });

  it('shows why a program cannot be calibrated', async () => {
    await dialog().getByRole('button', { name: 'Close' }).click();
    await bench.tab('model.stan');
    await bench.write(PROGRAM.replace('mu ~ normal(0, 10);', ''));
    await bench.page.getByText('No errors, no warnings').waitFor();
    await open();
    await dialog().getByRole('spinbutton', { name: 'Simulations' }).fill('20');
    await dialog().getByRole('button', { name: 'Calibrate' }).click();
    await dialog().getByText('mu has no prior').waitFor();
  });
});
