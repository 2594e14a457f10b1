/** Drives the workbench of a real server in a real browser. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { TestServer } from '../service/harness.js';
import { launchChromium } from '../support/chromium.js';
import { SAME_SEEDS } from './drawn-seeds.js';

/** Milliseconds after which a step counts as failed; a run on a busy machine takes a long time. */
const PATIENCE = 180_000;

/** A service worker would download all files of the page, in each browser context. */
const NO_SERVICE_WORKER = 'delete Navigator.prototype.serviceWorker;';

/** Half of the processor time that the server needs to open a page is for compression. */
const UNCOMPRESSED = { 'accept-encoding': 'identity' };

export class Workbench {
  readonly page: Page;
  /** Messages in the browser's console, including errors of the page. */
  readonly complaints: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(String(error.stack)));
  }

  /**
   * Opens the page in its own browser context, in which `script` runs before the page's own. The page has no service worker unless
   * `options` allow it.
   */
  static async open(
    browser: Browser,
    address: string,
    options: BrowserContextOptions = {},
    script = '',
  ): Promise<Workbench> {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      extraHTTPHeaders: UNCOMPRESSED,
      ...options,
    });
    context.setDefaultTimeout(PATIENCE);
    const scripts = SAME_SEEDS + script;
    await context.addInitScript({
      content: options.serviceWorkers === 'allow' ? scripts : NO_SERVICE_WORKER + scripts,
    });
    const bench = new Workbench(await context.newPage());
    await bench.page.goto(address);
    await bench.page.locator('.menus').waitFor();
    return bench;
  }

  /** Opens an example by the beginning of its title, and waits until its files are loaded. */
  async openExample(title: RegExp): Promise<void> {
    await this.page.getByRole('button', { name: 'Examples' }).click();
    const item = this.page.getByRole('dialog', { name: 'Examples' }).getByRole('button', { name: title });
    const words = (await item.textContent()) ?? '';
    await item.click();
    const name = this.page.getByLabel('Name of the project');
    while (!words.startsWith(await name.inputValue())) await setTimeout(10);
  }

  /** Replaces the program, or the data if their tab is open. */
  async write(text: string): Promise<void> {
    const editor = this.page.locator('.write .cm-content:visible');
    await editor.click();
    await this.page.keyboard.press('ControlOrMeta+a');
    await this.page.keyboard.insertText(text);
  }

  async run(): Promise<void> {
    await this.page.keyboard.press('ControlOrMeta+Enter');
  }

  /** Runs although the data are invalid: the first click shows the problems. */
  async runAnyway(): Promise<void> {
    await this.run();
    await this.page.getByText('press Run again to run anyway').waitFor();
    await this.run();
  }

  async tab(name: string): Promise<void> {
    await this.page.getByRole('tab', { name }).click();
  }

  /** Waits for a verdict without problems. */
  async reliable(): Promise<void> {
    await this.page.getByRole('heading', { name: 'These draws can be relied on' }).waitFor();
  }

  /** The text of the summary's table. */
  async summary(): Promise<string | null> {
    await this.tab('Summary');
    await this.page.locator('.numbers tbody th').first().waitFor();
    return this.page.locator('.numbers tbody').textContent();
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}

/** The page with a reliable run of the eight schools, the same in each test. */
export async function ranSchools(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<Workbench> {
  const bench = await Workbench.open(browser, address, options);
  await bench.openExample(/^Eight schools Partial/);
  await bench.page.getByText('Ready to run').waitFor();
  await bench.page.getByLabel('seed').fill('1');
  await bench.run();
  await bench.reliable();
  return bench;
}

/** A server with the page, and a browser. */
export interface Opened {
  readonly server: TestServer;
  readonly browser: Browser;
}

/** Opens a server and a browser before the tests of a suite, for all of them, and closes them after the tests. */
export function browserForAll(): Opened {
  let server: TestServer | undefined;
  let browser: Browser | undefined;
  before(async () => {
    [server, browser] = await Promise.all([TestServer.start({ web: true }), launchChromium()]);
  });
  after(async () => {
    await browser?.close();
    await server?.remove();
  });
  return {
    get server() {
      assert.ok(server !== undefined, 'the server is started before the first test');
      return server;
    },
    get browser() {
      assert.ok(browser !== undefined, 'the browser is started before the first test');
      return browser;
    },
  };
}

/**
 * Opens a page before the tests of a suite, for all of them; after them, it must not have reported errors. `prepare` brings it into the
 * initial state of the first test.
 */
export function benchForAll(
  prepare: (bench: Workbench) => Promise<void> = async () => undefined,
  options: BrowserContextOptions = {},
): () => Workbench {
  const opened = browserForAll();
  let bench: Workbench | undefined;
  before(async () => {
    bench = await Workbench.open(opened.browser, opened.server.address, options);
    await prepare(bench);
  });
  after(() => assert.deepEqual(bench?.complaints, []));
  return () => {
    assert.ok(bench !== undefined, 'the page is opened before the first test');
    return bench;
  };
}
