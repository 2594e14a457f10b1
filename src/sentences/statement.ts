/**
 * Sentences as data: a key and the values that the sentence names. A catalogue contains the sentences of one area in English, in ICU message
 * syntax; the page has the same keys in other languages.
 */

/** A sentence before it is written in a language. */
export interface Statement<Key extends string = string> {
  readonly key: Key;
  readonly values: Readonly<Record<string, string | number>>;
}

/** Statements in English. */
export function write<Key extends string>(
  catalogue: Readonly<Record<Key, string>>,
  statements: readonly Statement<Key>[],
  between = ' ',
): string {
  return statements.map(({ key, values }) => fill(catalogue[key], values)).join(between);
}

/**
 * An argument `{name}`, or a choice, `{name, plural, =0 {…} one {…} other {…}}` or `{name, select, a {…} other {…}}`, whose texts contain arguments
 * only.
 */
const ARGUMENT = /\{(\w+)(?:, (?:plural|select), ((?:=?\w+ \{(?:[^{}]|\{\w+\})*\} ?)+))?\}/g;
const CHOICE = /(=?\w+) \{((?:[^{}]|\{\w+\})*)\}/g;

/** An English sentence with its values. It may use the part of ICU message syntax that `ARGUMENT` describes. */
export function fill(sentence: string, values: Statement['values']): string {
  return sentence.replaceAll(ARGUMENT, (_, name: string, choices: string | undefined) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the sentence "${sentence}" lacks ${name}`);
    return choices === undefined ? `${value}` : fill(chosen(choices, value), values);
  });
}

function chosen(choices: string, value: string | number): string {
  const texts = new Map(Array.from(choices.matchAll(CHOICE), ([, when, text]) => [when, text]));
  return texts.get(`=${value}`) ?? texts.get(value === 1 ? 'one' : `${value}`) ?? texts.get('other') ?? '';
}

/** The first names of an enumeration, how many more there are, and how many there are in all. */
export interface Named extends Record<string, string | number> {
  readonly names: string;
  readonly more: number;
  readonly count: number;
}

/** At most this many names are in a sentence. */
const MOST_NAMED = 5;

export function named(names: readonly string[]): Named {
  const shown = names.slice(0, MOST_NAMED);
  return { names: shown.join(', '), more: names.length - shown.length, count: names.length };
}

/** An enumeration by `named`. */
export const NAMES = '{names}{more, plural, =0 {} other { and {more} more}}';
