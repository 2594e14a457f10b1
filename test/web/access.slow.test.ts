import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { browserForAll, Workbench } from './workbench.js';

/** How a view looks, in one page. */
interface Look {
  readonly colorScheme: 'light' | 'dark';
  readonly viewport: { readonly width: number; readonly height: number };
}

const WIDE: readonly Look[] = [
  { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  { colorScheme: 'light', viewport: { width: 1920, height: 1080 } },
];
const NARROW: readonly Look[] = [
  { colorScheme: 'light', viewport: { width: 320, height: 640 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
];

/** Axe must find nothing in a view, however it looks. */
async function assertAccessible(page: Page, looks: readonly Look[], view: string): Promise<void> {
  for (const { colorScheme, viewport } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    assert.deepEqual(await axeFindings(page), [], `${view}, ${colorScheme}, ${viewport.width} pixels wide`);
  }
}

describe('everyone can use the workbench', { skip: withoutChromium }, () => {
  const opened = browserForAll();

  for (const [name, looks] of [
    ['wide', WIDE],
    ['narrow', NARROW],
  ] as const) {
    it(`axe finds nothing in any view of a ${name} page`, async () => {
      const [{ viewport }] = looks;
      const bench = await Workbench.open(opened.browser, opened.server.address, { viewport });
      const { page } = bench;
      const look = (view: string) => assertAccessible(page, looks, view);
      if (name === 'narrow') await page.getByRole('button', { name: 'Results', exact: true }).click();
      await page.getByRole('heading', { name: /^Write a model/ }).waitFor();
      await look('the start');
      await bench.openExample(/^Eight schools, centered/);
      await page
        .getByText(/data \{/)
        .first()
        .waitFor();
      await look('a program');
      await page.getByRole('tab', { name: 'data.json' }).click();
      await look('data');
      await page.getByRole('button', { name: 'more…' }).click();
      await look('all arguments');
      await page.getByRole('button', { name: 'less' }).click();
      await bench.run();
      await page.locator('.finding').first().waitFor();
      await look('the verdict');
      for (const tab of ['Summary', 'Plots', 'Predictive', 'Compare', 'Draws', 'Log']) {
        await bench.tab(tab);
        await look(tab);
      }
      await bench.close();
    });
  }

  it('axe finds nothing in menus, windows, scripts and a comparison of programs', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    const look = (view: string) => assertAccessible(page, WIDE.slice(0, 2), view);
    const leave = async () => {
      await page.keyboard.press('Escape');
      await page.locator('[role=menu], [role=dialog]').waitFor({ state: 'detached' });
    };
    await bench.openExample(/^A coin/);
    await page.getByText('Ready to run').waitFor();
    await bench.run();
    await bench.reliable();
    for (const menu of ['Projects', 'Share']) {
      await page.getByRole('button', { name: menu, exact: true }).click();
      await page.getByRole('menuitem').first().waitFor();
      await look(menu);
      await leave();
    }
    await page.getByRole('button', { name: 'Examples', exact: true }).click();
    await page.getByRole('dialog').locator('.card').first().waitFor();
    await look('examples');
    await leave();
    for (const key of ['ControlOrMeta+k', 'F1']) {
      await page.keyboard.press(key);
      // The focus that a closed menu returns late may close the dialog: then the key opens it again.
      const isOpen = async () => (await page.getByRole('dialog').count()) > 0;
      for (let tries = 0; tries < 50 && !(await isOpen()); tries++) await page.keyboard.press(key, { delay: 100 });
      await page.getByRole('dialog').waitFor();
      await look(key);
      await leave();
    }
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('menuitem', { name: /^Code/ }).click();
    await page.getByRole('dialog').waitFor();
    await look('code');
    await leave();
    await bench.tab('script.js');
    await page.getByRole('button', { name: 'Example: plot draws' }).click();
    await page.getByRole('button', { name: 'Run the script' }).click();
    await page.locator('.script-output img').waitFor();
    await look('script');
    await bench.tab('model.stan');
    await page.locator('.write [contenteditable]:visible').getByText('beta(1, 1)').click();
    await page.keyboard.press('End');
    await page.keyboard.insertText(' // flat');
    await page.getByText(/^No errors/).waitFor();
    await bench.run();
    await page.getByRole('button', { name: /^Run 2 reliable/ }).waitFor();
    await bench.tab('Compare');
    await page.locator('.difference .added').waitFor();
    await look('comparison');
    await page.getByRole('button', { name: 'Delete run 2' }).click();
    // The notice stays while it has the focus.
    await page.getByRole('button', { name: 'Undo' }).focus();
    await look('notice');
    await bench.close();
  });

  it('a low page scrolls to each button, before the first run and after it', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address, {
      viewport: { width: 1280, height: 420 },
    });
    const { page } = bench;
    const tryButtons = async () => {
      const buttons = await page.locator('.look button:enabled:visible').all();
      assert.ok(buttons.length > 2);
      for (const button of buttons) await button.click({ trial: true });
    };
    await page.getByRole('heading', { name: /^Write a model/ }).waitFor();
    await tryButtons();
    await bench.openExample(/^Eight schools, centered/);
    await bench.run();
    await page.locator('.finding').first().waitFor();
    await tryButtons();
    await bench.close();
  });

  it('scrolls the predictive checks by keyboard', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    await bench.openExample(/^Eight schools, centered/);
    await bench.run();
    await bench.tab('Predictive');
    const checks = bench.page.getByRole('region', { name: 'Predictive checks', exact: true });
    await checks.locator('svg').first().waitFor();
    await checks.focus();
    await bench.page.keyboard.press('End');
    while ((await checks.evaluate((region) => Number(Reflect.get(region, 'scrollTop')))) === 0) await setTimeout(10);
    await bench.close();
  });

  it('shows its halves side by side on a wide page, with a movable divider between them', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const places = async () => {
      const [left, right] = await Promise.all(
        ['.write', '.look'].map((half) => bench.page.locator(half).boundingBox()),
      );
      assert.ok(left !== null && right !== null);
      return { left, right };
    };
    const before = await places();
    assert.equal(before.left.y, before.right.y);
    assert.ok(before.left.x + before.left.width <= before.right.x);
    await bench.page.getByRole('separator').focus();
    await bench.page.keyboard.press('ArrowLeft');
    assert.ok((await places()).left.width < before.left.width);
    await bench.close();
  });

  it('fits 320 pixels without scrolling sideways', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address, {
      viewport: { width: 320, height: 640 },
    });
    await bench.openExample(/^A coin/);
    const width = () => bench.page.evaluate('document.documentElement.scrollWidth');
    assert.equal(await width(), 320);
    await bench.run();
    await bench.page.getByRole('heading', { name: /^These draws/ }).waitFor();
    assert.equal(await width(), 320);
    await bench.close();
  });

  it('leaves four fifths of the height to the content with 200 % zoom', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address, {
      viewport: { width: 640, height: 400 },
    });
    const middle = await bench.page.locator('.middle').boundingBox();
    assert.ok(middle !== null && middle.height >= 320, `${middle?.height} of 400 pixels`);
    await bench.page.getByRole('button', { name: 'Write', exact: true }).click();
    assert.deepEqual(await axeFindings(bench.page), []);
    await bench.close();
  });

  it('goes from an example to plots by keyboard alone', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    const press = (...keys: readonly string[]) =>
      keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
    const focused = () =>
      page.evaluate("document.activeElement.textContent || document.activeElement.getAttribute('aria-label')");
    await press('Tab', 'Tab', 'Tab');
    assert.equal(await focused(), 'Examples');
    await press('Enter');
    await page.getByRole('dialog', { name: 'Examples' }).waitFor();
    const reach = async (element: string) => {
      while ((await page.locator(`dialog ${element}:focus`).count()) === 0) await press('Tab');
    };
    await reach('input');
    await page.keyboard.type('line through');
    while ((await page.locator('dialog .card').count()) > 1) await setTimeout(10);
    await reach('.card');
    await press('Enter');
    await page.getByText('Ready to run').waitFor();
    await press('ControlOrMeta+Enter');
    await page.getByRole('heading', { name: /^These draws/ }).waitFor();
    await press('F6');
    for (let step = 0; step < 6 && (await page.locator('.look :focus').count()) === 0; step++) await press('F6');
    assert.equal(await page.locator('.look :focus').textContent(), 'Verdict');
    // The focus moves shortly after the keypress.
    await press('ArrowRight');
    await page.locator('[role=tab]:focus', { hasText: 'Summary' }).waitFor();
    await press('ArrowRight');
    await page
      .getByRole('img', { name: /^Trace of/ })
      .first()
      .waitFor();
    await bench.close();
  });
});
