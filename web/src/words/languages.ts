/** The languages of the page. English is part of the page; the others are loaded on demand. */
import { english } from './en/index.js';
import type { Translation } from './types.js';

interface LanguageEntry {
  /** Its own name. */
  readonly name: string;
  readonly load: () => Promise<Translation>;
}

export const languages = {
  en: { name: 'English', load: async () => english },
  de: { name: 'Deutsch', load: async () => (await import('./de/index.js')).german },
} as const satisfies Readonly<Record<string, LanguageEntry>>;

export type Language = keyof typeof languages;

export function isLanguage(tag: string): tag is Language {
  return Object.hasOwn(languages, tag);
}

/** The first of the preferred languages that the page has; English if it has none of them. */
export function preferredLanguage(tags: readonly string[]): Language {
  return tags.map((tag) => tag.toLowerCase().split('-')[0] ?? '').find(isLanguage) ?? 'en';
}
