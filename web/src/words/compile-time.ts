import { t } from './messages.js';

const SECOND = 1000;

/** How long a program took to compile: `compiled in 130 ms`, or in seconds from one on. */
export function compileTimeWords(milliseconds: number): string {
  if (milliseconds < SECOND) return t('frame.compiled', { time: milliseconds });
  return t('frame.compiledSlowly', { time: milliseconds / SECOND });
}
