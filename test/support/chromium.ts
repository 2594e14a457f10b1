/** The system's Chromium, if installed, for tests of pages. */
import { type Browser, chromium } from 'playwright-core';
import { installed } from './installed.js';

const PLACES: readonly string[] = [
  // As Playwright's own headless browser; it takes about 0.7 of the processor time of the whole browser.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];

const path = installed('CHROMIUM_PATH', PLACES);

/** For the option `skip` of a test: the reason why it cannot run here, or false. */
export const withoutChromium: string | false =
  path === undefined && 'there is no Chromium: install it, or name it in CHROMIUM_PATH';

export function launchChromium(): Promise<Browser> {
  if (path === undefined) throw new Error('there is no Chromium');
  return chromium.launch({ executablePath: path, args: FLAGS });
}
