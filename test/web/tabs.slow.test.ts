/** Several tabs with the same project. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { browserForAll, Workbench } from './workbench.js';

const PROGRAM = 'parameters { real mu; } model { mu ~ normal(0, 1); }';

const following = (page: Page) => page.getByText('This project is open in another tab');
const line = (page: Page, text: string) => page.locator('.write .cm-line', { hasText: text });

/** Appends a line to the program. */
async function append(page: Page, text: string): Promise<void> {
  await page.locator('.write [contenteditable]:visible').click();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.insertText(`\n${text}`);
}

/** Waits until a project whose program contains a text is stored. */
async function stored(page: Page, text: string): Promise<void> {
  await page.waitForFunction(`new Promise((resolve, reject) => {
    const opening = indexedDB.open('leapfrog');
    opening.onerror = reject;
    opening.onsuccess = () => {
      const all = opening.result.transaction('projects').objectStore('projects').getAll();
      all.onerror = reject;
      all.onsuccess = () => {
        opening.result.close();
        resolve(all.result.some(({ program }) => program.includes(${JSON.stringify(text)})));
      };
    };
  })`);
}

/** A condition: the states of all stored projects. */
function states(...expected: readonly ('deleted' | 'kept')[]): string {
  return `new Promise((resolve, reject) => {
    const opening = indexedDB.open('leapfrog');
    opening.onerror = reject;
    opening.onsuccess = () => {
      const all = opening.result.transaction('projects').objectStore('projects').getAll();
      all.onerror = reject;
      all.onsuccess = () => {
        opening.result.close();
        const found = all.result.map(({ deletedAt }) => (deletedAt === undefined ? 'kept' : 'deleted')).sort();
        resolve(found.join() === ${JSON.stringify(expected.toSorted().join())});
      };
    };
  })`;
}

describe('two tabs with one project', { skip: withoutChromium }, () => {
  const opened = browserForAll();

  async function begin(script = ''): Promise<{ context: BrowserContext; first: Page; complaints: readonly string[] }> {
    const bench = await Workbench.open(opened.browser, opened.server.address, {}, script);
    const { complaints, page } = bench;
    await bench.write(PROGRAM);
    await page.getByText('saved', { exact: true }).waitFor();
    return { context: page.context(), first: page, complaints };
  }

  async function open(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    await page.goto(opened.server.address);
    await line(page, PROGRAM).waitFor();
    return page;
  }

  it('show its changes, which one of them makes', async () => {
    const { complaints, context, first } = await begin();
    const second = await open(context);
    await following(second).waitFor();
    assert.equal(await following(first).count(), 0);
    assert.deepEqual(await axeFindings(second), []);
    await append(first, '// from the first');
    await line(second, '// from the first').waitFor();
    await append(second, '// refused');
    assert.equal(await line(second, '// refused').count(), 0);

    await second.getByRole('button', { name: 'Edit here instead' }).click();
    await following(second).waitFor({ state: 'detached' });
    await following(first).waitFor();
    await append(second, '// from the second');
    await line(first, '// from the second').waitFor();
    await first.reload();
    await following(first).waitFor();
    await line(first, '// from the second').waitFor();

    await second.close();
    await following(first).waitFor({ state: 'detached' });
    await append(first, '// again from the first');
    await first.reload();
    for (const text of ['// from the first', '// from the second', '// again from the first'])
      await line(first, text).waitFor();
    assert.deepEqual(complaints, []);
    await context.close();
  });

  it('can edit a copy, and run in the tab that did not write', async () => {
    const { context, first } = await begin();
    const second = await open(context);
    await following(second).waitFor();
    await second.getByRole('button', { name: 'Edit a copy' }).click();
    await following(second).waitFor({ state: 'detached' });
    assert.equal(await second.getByLabel('Name of the project').inputValue(), 'Untitled (copy)');
    await append(second, '// in the copy');
    await stored(second, '// in the copy');
    assert.equal(await line(first, '// in the copy').count(), 0);

    const third = await open(context);
    await following(third).waitFor();
    await third.keyboard.press('ControlOrMeta+Enter');
    await third.getByRole('button', { name: /^Run 1 reliable/ }).waitFor();
    await following(second).waitFor();
    await second.getByRole('button', { name: /^Run 1 reliable/ }).waitFor();
    await context.close();
  });

  it('do not store a project that one of them deletes, and can keep a copy or restore it', async () => {
    const { complaints, context, first } = await begin();
    const second = await open(context);
    await following(second).waitFor();
    const deleted = second.getByText('This project was deleted in another tab');
    await first.getByRole('button', { name: 'Projects' }).click();
    await first.getByRole('menuitem', { name: 'Delete this project' }).click();
    await deleted.waitFor();
    assert.deepEqual(await axeFindings(second), []);
    await append(second, '// refused');
    assert.equal(await line(second, '// refused').count(), 0);
    await second.waitForFunction(states('deleted'));

    await first.getByRole('button', { name: 'Projects' }).click();
    await first.getByRole('menuitem', { name: /deleted/ }).click();
    await deleted.waitFor({ state: 'detached' });
    await following(second).waitFor();
    await append(first, '// restored');
    await line(second, '// restored').waitFor();

    await second.getByRole('button', { name: 'Projects' }).click();
    await second.getByRole('menuitem', { name: 'Delete this project' }).click();
    await first.getByText('This project was deleted in another tab').waitFor();
    await first.getByRole('button', { name: 'Keep a copy' }).click();
    assert.equal(await first.getByLabel('Name of the project').inputValue(), 'Untitled (copy)');
    await first.waitForFunction(states('deleted', 'kept'));
    assert.deepEqual(complaints, []);
    await context.close();
  });

  it('show a new name, and data that files replace in the tab that did not write', async () => {
    const { context, first } = await begin();
    const second = await open(context);
    await following(second).waitFor();
    await first.getByLabel('Name of the project').fill('Renamed');
    await second.waitForFunction(`document.querySelector('[aria-label="Name of the project"]').value === 'Renamed'`);
    const chooser = second.waitForEvent('filechooser');
    await second.getByRole('button', { name: 'Projects' }).click();
    await second.getByRole('menuitem', { name: 'Open files' }).click();
    await (await chooser).setFiles({ name: 'd.json', mimeType: 'application/json', buffer: Buffer.from('{"N": 7}') });
    await line(second, '{"N": 7}').waitFor();
    await following(first).waitFor();
    await first.getByRole('tab', { name: 'data.json' }).click();
    await line(first, '{"N": 7}').waitFor();
    await context.close();
  });

  it('lose nothing that was typed, whichever is reloaded or closed', async () => {
    const { context, first } = await begin();
    const pages = [first, await open(context)];
    const typed: string[] = [];
    // A linear congruential generator: the same steps in each run.
    let state = 7;
    const draw = (count: number) => {
      state = (state * 1103515245 + 12345) % 2 ** 31;
      return Math.floor((state / 2 ** 31) * count);
    };
    for (let step = 0; step < 12; step++) {
      const place = draw(2);
      const page = pages[place];
      assert.ok(page !== undefined);
      if (await following(page).isVisible()) {
        await page.getByRole('button', { name: 'Edit here instead' }).click();
        await following(page).waitFor({ state: 'detached' });
      }
      const text = `// step ${step} in ${place}`;
      await append(page, text);
      await line(page, text).waitFor();
      typed.push(text);
      const choice = draw(4);
      if (choice === 0) await page.reload();
      if (choice === 1) await pages[1 - place]?.reload();
      if (choice === 2) {
        await page.close();
        pages[place] = await open(context);
      }
      const now = pages[place];
      assert.ok(now !== undefined);
      for (const each of typed) await line(now, each).first().waitFor();
    }
    await context.close();
  });

  it('store conflicting versions as two projects in browsers without locks', async () => {
    const { context, first } = await begin('delete Navigator.prototype.locks;');
    const second = await open(context);
    await append(first, '// from the first');
    await stored(first, '// from the first');
    await append(second, '// from the second');
    await second.getByText('Another tab has changed this project in the meantime').waitFor();
    await stored(second, '// from the second');
    await second.reload();
    await line(second, '// from the second').waitFor();
    await second.getByRole('button', { name: 'Projects' }).click();
    await second.getByRole('menuitem', { name: /^Untitled \d|^Untitled [A-Z]/ }).click();
    await line(second, '// from the first').waitFor();
    await context.close();
  });
});
