/** The language of the page: the chosen one, otherwise the browser's. */
import { isLanguage, type Language, preferredLanguage } from '../words/languages.js';
import { loadLanguage } from '../words/messages.js';
import { update } from './store.js';

const CHOSEN = 'leapfrog.language';

/** Loads the messages of the language that was chosen earlier, otherwise of the browser's. */
export async function openLanguage(): Promise<void> {
  const language = chosenBefore() ?? preferredLanguage(navigator.languages);
  try {
    await show(language);
  } catch {
    // Its messages cannot be loaded, for example without a network: the page stays in English.
  }
}

/** Shows the page in a language, now and when it is opened again. */
export async function chooseLanguage(language: Language): Promise<void> {
  await show(language);
  try {
    localStorage.setItem(CHOSEN, language);
  } catch {
    // If the browser stores nothing, the choice lasts until the page is closed.
  }
}

async function show(language: Language): Promise<void> {
  await loadLanguage(language);
  document.documentElement.lang = language;
  update({ language });
}

function chosenBefore(): Language | undefined {
  try {
    const kept = localStorage.getItem(CHOSEN) ?? '';
    return isLanguage(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}
