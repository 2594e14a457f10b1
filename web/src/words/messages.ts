/** The page's messages in the current language, in ICU message syntax. */
import { IntlMessageFormat } from 'intl-messageformat';
import { english } from './en/index.js';
import { type Language, languages } from './languages.js';
import type { Given, Key, TextKey, Translation } from './types.js';

let current: Language = 'en';
let catalogue: Translation = english;
const parsed = new Map<Key, IntlMessageFormat>();

/** Loads a language's messages. Later calls return texts in this language. */
export async function loadLanguage(language: Language): Promise<void> {
  catalogue = await languages[language].load();
  current = language;
  parsed.clear();
}

/** A message as text. */
export function t<K extends TextKey>(key: K, ...[values]: Given<K, string | number>): string {
  return String(messageOf(key).format(values));
}

/** A message in its parsed form. */
export function messageOf(key: Key): IntlMessageFormat {
  const known = parsed.get(key);
  if (known !== undefined) return known;
  const [area = '', name = ''] = key.split('.');
  const areas: Readonly<Record<string, Readonly<Record<string, string>>>> = catalogue;
  const made = new IntlMessageFormat(areas[area]?.[name] ?? key, current);
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
