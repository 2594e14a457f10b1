/** The page's messages in the current language, in ICU message syntax. */
import { IntlMessageFormat } from 'intl-messageformat';
import { numeralsOf } from '#engine/base/numerals.js';
import type { Statement } from '#engine/base/statement.js';
import type { PLOT_WORDS, PlotWords } from '#engine/plots/words.js';
import { english } from './en/index.js';
import { type Language, languages, type Words } from './languages.js';
import { findText } from './lookup.js';
import type { Descriptions, Given, Key, TextKey } from './types.js';

type PlotKey = keyof typeof PLOT_WORDS;

let current: Language = 'en';
let decimal = '.';
let words: Words = { messages: english };
const parsed = new Map<Key, IntlMessageFormat>();

/** Loads a language's messages. Later calls return texts in this language. */
export async function loadLanguage(language: Language): Promise<void> {
  words = await languages[language].load();
  current = language;
  decimal = decimalMark(language);
  parsed.clear();
}

export function currentLanguage(): Language {
  return current;
}

/** A message as text. */
export function t<K extends TextKey>(key: K, ...[values]: Given<K, string | number>): string {
  const message = messageOf(key);
  return String(message.format(localized(message, values)));
}

/** Numbers in the current language. */
export const numerals = numeralsOf(() => decimal);

/** Sentences that the engine states as data. */
export function stated(statements: readonly Statement<keyof typeof english.engine>[], between = ' '): string {
  const texts = statements.map(({ key, values }) => {
    const message = messageOf(`engine.${key}`);
    return String(message.format(localized(message, values)));
  });
  return texts.join(between);
}

/** Texts and numbers of plots. */
export const plotWords: PlotWords = Object.assign((key: PlotKey, values: Statement['values'] = {}) => {
  const message = messageOf(`figures.${key}`);
  return String(message.format(localized(message, values)));
}, numerals);

const NUMBER = /^[-−]?\d+\.\d+(?:e[-−]?\d+)?$/;
/** A number after a name, as in `mu (1.05)`. */
const IN_PARENTHESES = /\(([-−]?\d+)\.(\d+)\)/g;

/**
 * Values of a message, with decimal numbers in its language. Integers remain numbers, which choose plural forms, and so do the numbers that
 * the message formats itself.
 */
function localized<Value>(message: IntlMessageFormat, values: Readonly<Record<string, Value>> | undefined) {
  const formatted = formattedIn(message.getAst());
  return Object.fromEntries(
    Object.entries(values ?? {}).map(([name, value]) => {
      if (formatted.has(name)) return [name, value];
      const text = typeof value === 'number' && !Number.isInteger(value) ? `${value}` : value;
      if (typeof text !== 'string') return [name, text];
      return [name, NUMBER.test(text) ? text.replace('.', decimal) : text.replace(IN_PARENTHESES, `($1${decimal}$2)`)];
    }),
  );
}

/** Names of the arguments that the message formats, such as `{count, number}`, also inside of alternatives. */
function formattedIn(elements: ReturnType<IntlMessageFormat['getAst']>): ReadonlySet<string> {
  return new Set(
    elements.flatMap((element) => {
      if ('options' in element) return Object.values(element.options).flatMap(({ value }) => [...formattedIn(value)]);
      return 'style' in element ? [element.value] : [];
    }),
  );
}

function decimalMark(language: string): string {
  return new Intl.NumberFormat(language).formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.';
}

/** Whether the page knows all sentences: another version of the engine may have stated them. */
export function areKnown(
  statements: readonly Statement[],
): statements is readonly Statement<keyof typeof english.engine>[] {
  return statements.every(({ key }) => Object.hasOwn(english.engine, key));
}

export function translatedDescriptions(): Descriptions | undefined {
  return words.descriptions;
}

/** A message in its parsed form. */
export function messageOf(key: Key): IntlMessageFormat {
  const known = parsed.get(key);
  if (known !== undefined) return known;
  const { language, text } = findText(words.messages, current, key);
  const made = new IntlMessageFormat(text, language);
  parsed.set(key, made);
  return made;
}

/** Items as an enumeration: “a, b and c”. */
export function enumeration(items: readonly string[]): string {
  return new Intl.ListFormat(current).format(items);
}

/** Items as alternatives: “a, b or c”. */
export function alternatives(items: readonly string[]): string {
  return new Intl.ListFormat(current, { type: 'disjunction' }).format(items);
}
