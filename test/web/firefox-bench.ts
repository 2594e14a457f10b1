/** Drives the workbench in Firefox over WebDriver BiDi. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { TestServer } from '../service/harness.js';
import { launchFirefox } from '../support/firefox.js';
import { SAME_SEEDS } from './drawn-seeds.js';

/** Milliseconds after which a step counts as failed; a run on a busy machine takes seconds. */
const PATIENCE = 180_000;

/** Files that the page saves are not downloaded, but listed with their contents. */
const RECORD_SAVED = `window.saved = [];
const blobs = new Map();
const create = URL.createObjectURL;
URL.createObjectURL = (blob) => { const url = create.call(URL, blob); blobs.set(url, blob); return url; };
HTMLAnchorElement.prototype.click = function () {
  const { download: name, href } = this;
  blobs.get(href).text().then((text) => window.saved.push({ name, text }));
};`;

/** A page of the workbench. */
export class FirefoxBench {
  readonly page: Page;
  private saved = 0;

  constructor(page: Page) {
    this.page = page;
  }

  click(name: string, role: Parameters<Page['getByRole']>[0] = 'button'): Promise<void> {
    return this.page.getByRole(role, { name, exact: true }).click();
  }

  /** Chooses an item of a menu by the beginning of its text. */
  async choose(menu: string, item: string): Promise<void> {
    await this.click(menu);
    await this.item(item).click();
  }

  /** The first item of the open menu that contains a text. */
  item(text: string): Locator {
    return this.page.getByRole('menuitem').filter({ hasText: text }).first();
  }

  /** Opens an example or a lesson by the beginning of its title. */
  async openExample(title: string): Promise<void> {
    await this.click('Examples');
    await this.page
      .locator('dialog .card')
      .filter({ hasText: new RegExp(title) })
      .first()
      .click();
  }

  async see(text: string): Promise<void> {
    await this.page.getByText(text).filter({ visible: true }).first().waitFor();
  }

  /** Opens an example, and runs it. */
  async run(example: string): Promise<void> {
    await this.openExample(example);
    await this.see('Ready to run');
    await this.page.locator('button.run').click();
    await this.see('These draws can be relied on');
  }

  async summary(): Promise<readonly (readonly string[])[]> {
    await this.click('Summary', 'tab');
    await this.page.locator('.numbers tbody th').first().waitFor();
    return this.page.$$eval('.numbers tbody tr', (rows) =>
      rows.map((row) => [...row.children].map(({ textContent }) => textContent ?? '')),
    );
  }

  /** Waits until an element has the focus. */
  async focused(selector: string, text = ''): Promise<void> {
    await this.page.locator(`${selector}:focus`).filter({ hasText: text }).waitFor();
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Waits for the next file that the page saves. */
  async nextSaved(): Promise<{ readonly name: string; readonly text: string }> {
    await this.page.waitForFunction((count) => Reflect.get(globalThis, 'saved').length > count, this.saved);
    const [name, text] = await Promise.all(
      ['name', 'text'].map((member) => this.page.evaluate(`window.saved[${this.saved}].${member}`)),
    );
    this.saved++;
    assert.ok(typeof name === 'string' && typeof text === 'string');
    return { name, text };
  }

  /** Drops files on the page. */
  async drop(files: readonly (readonly [name: string, bytes: Uint8Array])[]): Promise<void> {
    const texts = files.map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]);
    await this.page.evaluate(`(() => { const transfer = new DataTransfer();
      for (const [name, text] of ${JSON.stringify(texts)})
        transfer.items.add(new File([Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0))], name));
      document.querySelector('.look').dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
    })()`);
  }
}

/** A server and a Firefox for all tests of a suite. After each test, its pages must not have reported errors. */
export function firefoxForAll(): {
  readonly server: TestServer;
  readonly open: (address?: string) => Promise<FirefoxBench>;
  /** A page before it navigates. */
  readonly openBlank: () => Promise<FirefoxBench>;
} {
  let server: TestServer | undefined;
  let browser: Browser | undefined;
  const complaints: string[] = [];
  before(async () => {
    [server, browser] = await Promise.all([TestServer.start({ web: true }), launchFirefox()]);
  });
  after(async () => {
    await browser?.close();
    await server?.remove();
    assert.deepEqual(complaints, []);
  });
  const openBlank = async () => {
    assert.ok(browser !== undefined, 'Firefox is started before the first test');
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(PATIENCE);
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.addInitScript(SAME_SEEDS + RECORD_SAVED);
    return new FirefoxBench(page);
  };
  const started = () => {
    assert.ok(server !== undefined, 'the server is started before the first test');
    return server;
  };
  return {
    get server() {
      return started();
    },
    openBlank,
    open: async (address = started().address) => {
      const bench = await openBlank();
      await bench.page.goto(address);
      await bench.page.locator('.header').first().waitFor();
      return bench;
    },
  };
}
