/** Everything that scrolls can be reached by keyboard, in every state of the page, including while something loads. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BrowserContextOptions } from 'playwright-core';
import { withoutChromium } from '../support/chromium.js';
import { browserForAll, Workbench } from './workbench.js';

/**
 * Runs in the page: after every change of the document, records each visible element that can scroll but neither can have the keyboard
 * focus nor contains an element that can. Arrow keys scroll the nearest such element around the focus.
 */
const WATCH = `(() => {
  const unreachable = new Map();
  const seen = new Set();
  window.scrollers = { unreachable, seen };
  const nameOf = (element) => element.tagName.toLowerCase() + [...element.classList].map((name) => '.' + name).join('');
  const pathOf = (element) => [element.parentElement?.parentElement, element.parentElement, element].filter(Boolean).map(nameOf).join(' > ');
  const hasFocus = (element) => element.tabIndex >= 0 && !element.disabled && element.checkVisibility({ visibilityProperty: true });
  const canScroll = (element) => {
    const { overflowX, overflowY } = getComputedStyle(element);
    return [overflowX, overflowY].some((overflow) => overflow === 'auto' || overflow === 'scroll');
  };
  const check = () => {
    for (const element of document.body?.querySelectorAll('*:not(svg *)') ?? []) {
      // Arrow keys move through the items of these, from the element or the field that has the focus.
      if (element.matches('[role=menu], [role=listbox]')) continue;
      if (!canScroll(element) || !element.checkVisibility({ visibilityProperty: true })) continue;
      const path = pathOf(element);
      seen.add(path);
      if (!hasFocus(element) && ![...element.querySelectorAll('*')].some(hasFocus)) unreachable.set(path, element.textContent.slice(0, 80));
    }
  };
  // Observers are called after each task that has changed the document, before it is painted.
  new MutationObserver(check).observe(document, { subtree: true, childList: true, attributes: true });
})()`;

const LOOKS: readonly (readonly [name: string, options: BrowserContextOptions])[] = [
  ['a wide page', {}],
  ['a narrow page', { viewport: { width: 390, height: 700 } }],
];

describe('scrollable elements', { skip: withoutChromium }, () => {
  const opened = browserForAll();

  for (const [name, options] of LOOKS) {
    it(`can be reached by keyboard in every state of every view of ${name}`, async () => {
      const bench = await Workbench.open(opened.browser, opened.server.address, options, WATCH);
      const { page } = bench;
      const look = async () => {
        const button = page.getByRole('button', { name: 'Results', exact: true });
        if (await button.isVisible()) await button.click();
      };
      const menu = async (label: string) => {
        await page.getByRole('button', { name: label, exact: true }).click();
        await page.getByRole('menuitem').first().waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('menuitem').first().waitFor({ state: 'detached' });
      };
      const overlay = async (open: () => Promise<void>) => {
        await open();
        await page.locator('dialog').waitFor();
        await page.keyboard.press('Escape');
        await page.locator('dialog').waitFor({ state: 'detached' });
      };
      const check = async () => {
        const found = await page.evaluate<{ seen: string[]; unreachable: string[] }>(
          '({ seen: [...scrollers.seen], unreachable: [...scrollers.unreachable].map((entry) => entry.join(": ")) })',
        );
        assert.ok(found.seen.length > 5, `elements that scroll are seen: ${found.seen.join(', ')}`);
        assert.deepEqual(found.unreachable, []);
      };
      await bench.openExample(/^Varying slopes/);
      await page.getByRole('tab', { name: 'data.json' }).click();
      await page.getByRole('button', { name: 'more…' }).click();
      await page.getByRole('button', { name: 'less' }).click();
      await bench.run();
      await look();
      await page.locator('.finding').first().waitFor();
      for (const label of ['Projects', 'Share']) await menu(label);
      await overlay(() => page.getByRole('button', { name: 'Examples', exact: true }).click());
      for (const key of ['ControlOrMeta+k', 'F1']) await overlay(() => page.keyboard.press(key));
      await menu('Share');
      await page.getByRole('button', { name: 'Share', exact: true }).click();
      await page.getByRole('menuitem', { name: /^Code/ }).click();
      await page.locator('dialog .code').first().waitFor();
      await page.keyboard.press('Escape');
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Projects', exact: true }).click();
      await page.getByRole('menuitem', { name: /^Open files/ }).click();
      const table = Buffer.from('person,week,y\n1,2,3\n2,3,4\n');
      await (await chooser).setFiles({ name: 'table.csv', mimeType: 'text/csv', buffer: table });
      await page.locator('dialog table').first().waitFor();
      await page.keyboard.press('Escape');
      // Keys of the page work once the window is closed.
      await page.locator('dialog').waitFor({ state: 'detached' });
      await bench.run();
      await page.getByRole('button', { name: /^Run 2 (reliable|\d+ problem)/ }).waitFor();
      const walk = async () => {
        await bench.tab('Summary');
        await page.locator('.numbers tbody th').first().waitFor();
        await bench.tab('Plots');
        await page
          .getByRole('img', { name: /^Trace of/ })
          .first()
          .waitFor();
        await bench.tab('Predictive');
        await page.getByRole('img', { name: /LOO-PIT/ }).waitFor();
        await bench.tab('Compare');
        await page.locator('.compare figure svg').first().waitFor();
        await bench.tab('Draws');
        await page.locator('.numbers tbody th').first().waitFor();
        await bench.tab('Log');
        await bench.tab('Verdict');
        await page.locator('.finding').first().waitFor();
      };
      await walk();
      await check();
      // Stored draws are loaded again; each view starts without them.
      await page.reload();
      await page.getByRole('button', { name: 'Examples', exact: true }).waitFor();
      await look();
      await walk();
      await check();
      await bench.close();
    });
  }
});
