/** The languages of the page. English is part of the page; the others are loaded on demand. */
import { english } from './en/index.js';
import type { Descriptions, TranslatedExplanations, Translation } from './types.js';

/** The texts of a language. */
export interface Words {
  readonly messages: Translation;
  /** Absent in English: the engine has them. */
  readonly descriptions?: Descriptions;
}

interface LanguageEntry {
  /** Its own name. */
  readonly name: string;
  readonly load: () => Promise<Words>;
  /** Explanations of terms; empty in English, which is always loaded with them. */
  readonly loadTerms: () => Promise<TranslatedExplanations>;
}

export const languages = {
  en: { name: 'English', load: async () => ({ messages: english }), loadTerms: async () => ({}) },
  de: {
    name: 'Deutsch',
    load: async () => {
      const [{ german }, { descriptions }] = await Promise.all([
        import('./de/index.js'),
        import('./de/descriptions.js'),
      ]);
      return { messages: german, descriptions };
    },
    loadTerms: async () => (await import('./de/terms.js')).terms,
  },
} as const satisfies Readonly<Record<string, LanguageEntry>>;

export type Language = keyof typeof languages;

export function isLanguage(tag: string): tag is Language {
  return Object.hasOwn(languages, tag);
}

/** The first of the preferred languages that the page has; English if it has none of them. */
export function preferredLanguage(tags: readonly string[]): Language {
  return tags.map((tag) => tag.toLowerCase().split('-')[0] ?? '').find(isLanguage) ?? 'en';
}
