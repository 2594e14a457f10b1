/** Types programs that do not end into the page. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { type Opened, Workbench } from './workbench.js';

/** Counts the turns of the page's own thread. */
export const HEARTBEAT = 'globalThis.beats = 0; setInterval(() => { globalThis.beats += 1; }, 20);';

/** Waits until the page's own thread has taken more turns. */
export async function moreBeats(page: Page, count: number): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const last = globalThis.beats + ${count};
    const timer = setInterval(() => {
      if (globalThis.beats < last) return;
      clearInterval(timer);
      resolve();
    }, 20);
  })`);
}

/** Tests that the page stays responsive with programs that do not end. */
export function testEndless(
  opened: Opened,
  programs: readonly (readonly [title: string, program: string, data?: string])[],
): void {
  for (const [title, program, data] of programs) {
    it(`leave the page responsive, as they are typed and after a reload: ${title}`, async () => {
      const bench = await Workbench.open(opened.browser, opened.server.address, {}, HEARTBEAT);
      const { page } = bench;
      const slow = page.getByText('so the data were not checked completely');
      await bench.write(program);
      if (data !== undefined) {
        await page.getByText('The data do not fit the program').waitFor();
        await bench.tab('data.json');
        await bench.write(data);
      }
      await slow.waitFor();
      // The page responds: it stores what is typed, and its own thread takes more turns.
      await page.getByLabel('Name of the project').fill('endless');
      await page.getByText('saved', { exact: true }).waitFor();
      await moreBeats(page, 10);

      await page.reload();
      await page.getByText('Checking the data…').or(slow).first().waitFor();
      await slow.waitFor();
      assert.equal(await page.getByLabel('Name of the project').inputValue(), 'endless');
      await moreBeats(page, 10);
      await bench.tab('model.stan');
      await bench.write('parameters { real y; } model { y ~ normal(0, 1); }');
      await slow.waitFor({ state: 'detached' });
      await page.getByText('Ready to run').waitFor();
      assert.deepEqual(bench.complaints, []);
      await bench.close();
    });
  }
}
