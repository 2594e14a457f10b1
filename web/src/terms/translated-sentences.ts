import type { FoundText } from '../words/lookup.js';

/** The sentences of a translation into a language, each in English where it is lacking. */
export function translatedSentences(
  english: readonly string[],
  translated: readonly (string | undefined)[] | undefined,
  language: string,
): readonly FoundText[] {
  return english.map((text, place) => {
    const own = translated?.[place];
    return own === undefined ? { text, language: 'en' } : { text: own, language };
  });
}
