/** The system's Firefox, if installed, driven over WebDriver BiDi. */
import { type Browser, firefox } from 'playwright-core';
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
  // Without the channel, Playwright requires its own build of Firefox.
  return firefox.launch({ channel: 'moz-firefox', executablePath: path });
}
