/** The numbers and statements of a profile as text. */

/** A fraction in percent. */
export function shareText(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** A duration with three digits, in the largest unit in which it is at least 1. */
export function durationText(nanoseconds: number): string {
  const [unit, factor] = UNITS.find(([, size]) => nanoseconds >= size) ?? UNITS[UNITS.length - 1];
  return `${(nanoseconds / factor).toPrecision(3)} ${unit}`;
}

const UNITS = [
  ['s', 1e9],
  ['ms', 1e6],
  ['µs', 1e3],
  ['ns', 1],
] as const;

const LONGEST_STATEMENT = 100;

/** A statement on one line. */
export function firstLine(text: string): string {
  const [first = '', ...others] = text.trim().split('\n');
  return first.length > LONGEST_STATEMENT || others.length > 0 ? `${first.slice(0, LONGEST_STATEMENT)} …` : first;
}
