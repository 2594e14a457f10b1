/** The explanations of terms, sentence by sentence in the language of the page, otherwise in English. */
import { terms as english } from '../words/en/terms.js';
import { languages } from '../words/languages.js';
import type { FoundText } from '../words/lookup.js';
import { currentLanguage } from '../words/messages.js';
import type { TranslatedExplanations } from '../words/types.js';
import type { TermName } from './term-names.js';
import { translatedSentences } from './translated-sentences.js';

export async function explanationOf(name: TermName): Promise<readonly FoundText[]> {
  const language = currentLanguage();
  const { [name]: translated }: TranslatedExplanations = await languages[language].loadTerms();
  return translatedSentences(english[name], translated, language);
}
