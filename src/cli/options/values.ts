/** Parsers for values of flags, the environment and settings files. They throw commander's error for invalid values. */
import { InvalidArgumentError } from 'commander';

export function integer(least: number, most = Number.POSITIVE_INFINITY): (value: unknown) => number {
  return (value) => {
    const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
    if (typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most) return number;
    const range = most === Number.POSITIVE_INFINITY ? `, ${least} or more` : ` from ${least} to ${most}`;
    throw new InvalidArgumentError(`It must be an integer${range}.`);
  };
}

/** Maximum number of digits of a number with a fraction in a file. */
export const significantDigits = integer(1, 18);

/** A number strictly between 0 and 1. */
export function fraction(value: unknown): number {
  const read = Number(value);
  if (!(read > 0 && read < 1)) throw new InvalidArgumentError('It must be between 0 and 1.');
  return read;
}

/** A positive number of seconds within the range of Node's timers: 2^31 - 1 milliseconds. */
export function seconds(value: unknown): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && number > 0 && number <= 2147483) return number;
  throw new InvalidArgumentError('It must be a number of seconds greater than 0, at most 2147483.');
}

export function text(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new InvalidArgumentError('It must not be empty.');
}

/** A bearer token: characters that a header can contain and that have only one encoding. */
export function token(value: unknown): string {
  if (typeof value === 'string' && /^[!-~]+$/.test(value)) return value;
  throw new InvalidArgumentError('It must consist of visible ASCII characters without spaces.');
}

/** A list of texts: comma-separated, or an array in a file. */
export function texts(value: unknown): readonly string[] {
  const parts: unknown[] = typeof value === 'string' ? value.split(',').map((part) => part.trim()) : [value].flat();
  return parts.map(text);
}

/** Origins in the syntax of `frame-ancestors` in a Content Security Policy (Level 3, section 6.4.2). */
export function frameAncestors(value: unknown): readonly string[] {
  const wrong = texts(value).find((each) => !/^(?:\*|https?:\/\/(?:\*\.)?[\w.-]+(?::\d+)?)$/i.test(each));
  if (wrong === undefined) return texts(value);
  throw new InvalidArgumentError(`${wrong} is not an origin such as https://example.org or https://*.example.org.`);
}

/** A boolean. In the environment: true or 1, false, 0 or empty. */
export function flag(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0' || value === '') return false;
  throw new InvalidArgumentError('It must be true or false.');
}

export function oneOf<Choice extends string>(choices: readonly Choice[]): (value: unknown) => Choice {
  return (value) => {
    const found = choices.find((choice) => choice === value);
    if (found !== undefined) return found;
    throw new InvalidArgumentError(`It must be one of ${choices.join(', ')}.`);
  };
}
