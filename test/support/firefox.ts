/** The system's Firefox, if installed, driven over WebDriver BiDi. */
import puppeteer, { type Browser } from 'puppeteer-core';
import { installed } from './installed.js';

const PLACES: readonly string[] = [
  '/usr/bin/firefox-esr',
  '/usr/bin/firefox',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
];

const path = installed('FIREFOX_PATH', PLACES);

/** For the option `skip` of a test: the reason why it cannot run here, or false. */
export const withoutFirefox: string | false =
  path === undefined && 'there is no Firefox: install it, or name it in FIREFOX_PATH';

export function launchFirefox(): Promise<Browser> {
  if (path === undefined) throw new Error('there is no Firefox');
  return puppeteer.launch({ browser: 'firefox', executablePath: path, headless: true });
}
