/**
 * Sentences as data: a key and the values to insert. A catalog contains the sentences of one area in English, in ICU message syntax. The
 * page has catalogs with the same keys in other languages.
 */

/** A sentence, independent of a language. */
export interface Statement<Key extends string = string> {
  readonly key: Key;
  readonly values: Readonly<Record<string, string | number>>;
}

/** The statements in English. */
export function write<Key extends string>(
  catalog: Readonly<Record<Key, string>>,
  statements: readonly Statement<Key>[],
  between = ' ',
): string {
  return statements.map(({ key, values }) => fill(catalog[key], values)).join(between);
}

/**
 * An argument `{name}`, or a choice, `{name, plural, =0 {…} one {…} other {…}}` or `{name, select, a {…} other {…}}`. The texts of a choice
 * may contain arguments, but no choices.
 */
const ARGUMENT = /\{(\w+)(?:, (?:plural|select), ((?:=?\w+ \{(?:[^{}]|\{\w+\})*\} ?)+))?\}/g;
const CHOICE = /(=?\w+) \{((?:[^{}]|\{\w+\})*)\}/g;

/** Inserts values into an English sentence. Supports the subset of ICU message syntax that `ARGUMENT` describes. */
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

/** The first names of an enumeration, the number of further names, and the total. */
export interface Named extends Record<string, string | number> {
  readonly names: string;
  readonly more: number;
  readonly count: number;
}

/** Maximum number of names in a sentence. */
const MOST_NAMED = 5;

export function named(names: readonly string[]): Named {
  const shown = names.slice(0, MOST_NAMED);
  return { names: shown.join(', '), more: names.length - shown.length, count: names.length };
}

/** The placeholder for an enumeration from `named`. */
export const NAMES = '{names}{more, plural, =0 {} other { and {more} more}}';
