/** Texts by their keys, in English where a translation lacks them. */
import { english } from './en/index.js';
import type { Key, Translation } from './types.js';

export interface FoundText {
  readonly text: string;
  /** The language of the text. */
  readonly language: string;
}

/** The text of a message in a translation into a language; the key if even English lacks it, as in a page of another version. */
export function findText(messages: Translation, language: string, key: Key): FoundText {
  const text = textIn(messages, key);
  return text === undefined ? { text: textIn(english, key) ?? key, language: 'en' } : { text, language };
}

function textIn(messages: Translation, key: Key): string | undefined {
  const [area = '', name = ''] = key.split('.');
  const areas: Readonly<Record<string, Readonly<Record<string, string>>>> = messages;
  return areas[area]?.[name];
}
