/** The system's Chromium, if installed, for tests of pages. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PLACES: readonly string[] = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];

function findChromium(): string | undefined {
  const { CHROMIUM_PATH } = process.env;
  return [...(CHROMIUM_PATH === undefined ? [] : [CHROMIUM_PATH]), ...PLACES].find((path) => existsSync(path));
}

const path = findChromium();

/** For the option `skip` of a test: why it cannot run here, or false. */
export const withoutChromium: string | false =
  path === undefined && 'there is no Chromium: install it, or name it in CHROMIUM_PATH';

export function launchChromium(): Promise<Browser> {
  if (path === undefined) throw new Error('there is no Chromium');
  return chromium.launch({ executablePath: path, args: FLAGS });
}
