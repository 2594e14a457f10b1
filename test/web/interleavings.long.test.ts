/** Random sequences of typing, running, reloading, closing and crashing in two tabs with one project. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { withoutChromium } from '../support/chromium.js';
import { browserForAll, Workbench } from './workbench.js';

const PROGRAM = 'parameters { real mu; } model { mu ~ normal(0, 1); }';
const SEQUENCES = 20;
const STEPS = 10;

const following = (page: Page) => page.getByText('This project is open in another tab');
const line = (page: Page, text: string) => page.locator('.write .cm-line', { hasText: text });
const notices = (page: Page) => page.getByRole('button', { name: 'Check it now' });

/** A linear congruential generator: the same steps each time. */
function generator(seed: number): (count: number) => number {
  let state = seed;
  return (count) => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * count);
  };
}

/** Ends the process of a page as if it had crashed. */
async function crash(page: Page): Promise<void> {
  const crashed = page.waitForEvent('crash');
  const session = await page.context().newCDPSession(page);
  void session.send('Page.crash').catch(() => undefined);
  await crashed;
  await page.close();
}

describe('random sequences of actions in two tabs', { skip: withoutChromium }, () => {
  const opened = browserForAll();

  async function open(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    await page.goto(opened.server.address);
    await ready(page);
    return page;
  }

  /** Waits until the page accepts keys: those pressed while it loads are lost. */
  async function ready(page: Page): Promise<void> {
    await line(page, PROGRAM).first().waitFor();
    // After a crash the page asks before it checks the project.
    if (await notices(page).isVisible()) await notices(page).click();
  }

  async function reload(page: Page | undefined): Promise<void> {
    assert.ok(page !== undefined);
    await page.reload();
    await ready(page);
  }

  async function takeOver(page: Page): Promise<void> {
    if (!(await following(page).isVisible())) return;
    await page.getByRole('button', { name: 'Edit here instead' }).click();
    await following(page).waitFor({ state: 'detached' });
  }

  /** Appends a line to the program, again if a tab refuses it because the other one edits the project. */
  async function append(page: Page, text: string): Promise<void> {
    const added = line(page, text);
    while (!(await added.isVisible())) {
      await takeOver(page);
      await page.locator('.write .cm-content:visible').click();
      await page.keyboard.press('ControlOrMeta+End');
      await page.keyboard.insertText(`\n${text}`);
      await added.or(following(page)).first().waitFor();
    }
  }

  for (let sequence = 1; sequence <= SEQUENCES; sequence++) {
    it(`keep every accepted edit and every finished run: ${STEPS} steps from seed ${sequence}`, async () => {
      const bench = await Workbench.open(opened.browser, opened.server.address);
      await bench.write(PROGRAM);
      await bench.page.getByText('saved', { exact: true }).waitFor();
      const context = bench.page.context();
      const pages = [bench.page, await open(context)];
      const draw = generator(sequence);
      const typed: string[] = [];
      let finished = 0;
      for (let step = 0; step < STEPS; step++) {
        const place = draw(2);
        const page = pages[place];
        assert.ok(page !== undefined);
        await takeOver(page);
        if (draw(4) === 0) {
          await page.keyboard.press('ControlOrMeta+Enter');
          finished += 1;
          await page.getByRole('button', { name: new RegExp(`^Run ${finished} (reliable|\\d problem)`) }).waitFor();
          await page.getByText('saved', { exact: true }).waitFor();
        } else {
          const text = `// step ${step} in ${place}`;
          await append(page, text);
          typed.push(text);
        }
        const choice = draw(5);
        if (choice === 0) await reload(page);
        if (choice === 1) await reload(pages[1 - place]);
        if (choice === 2) {
          await page.close();
          pages[place] = await open(context);
        }
        if (choice === 3) {
          // A crash loses nothing that is stored.
          await page.getByText('saved', { exact: true }).waitFor();
          await crash(page);
          pages[place] = await open(context);
        }
        const now = pages[place];
        assert.ok(now !== undefined);
        for (const each of typed) await line(now, each).first().waitFor();
        if (finished > 0) await now.getByRole('button', { name: new RegExp(`^Run ${finished} `) }).waitFor();
      }
      const last = await open(context);
      for (const each of typed) await line(last, each).first().waitFor();
      for (let number = 1; number <= finished; number++)
        await last.getByRole('button', { name: new RegExp(`^Run ${number} `) }).waitFor();
      await context.close();
    });
  }
});
