/** The system's Firefox, if installed, driven over WebDriver BiDi. */
import { existsSync } from 'node:fs';
import puppeteer, { type Browser } from 'puppeteer-core';

const PLACES: readonly string[] = [
  '/usr/bin/firefox-esr',
  '/usr/bin/firefox',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
];

function findFirefox(): string | undefined {
  const { FIREFOX_PATH } = process.env;
  return [...(FIREFOX_PATH === undefined ? [] : [FIREFOX_PATH]), ...PLACES].find((path) => existsSync(path));
}

const path = findFirefox();

/** For the option `skip` of a test: why it cannot run here, or false. */
export const withoutFirefox: string | false =
  path === undefined && 'there is no Firefox: install it, or name it in FIREFOX_PATH';

export function launchFirefox(): Promise<Browser> {
  if (path === undefined) throw new Error('there is no Firefox');
  return puppeteer.launch({ browser: 'firefox', executablePath: path, headless: true });
}
