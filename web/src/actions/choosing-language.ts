/** Shows the page in another language, with the built-in text above the program. */
import { chooseLanguage as show } from '../state/language.js';
import { updateProject, useStore } from '../state/store.js';
import type { Language } from '../words/languages.js';

export async function chooseLanguage(language: Language): Promise<void> {
  await show(language);
  const { builtIn, id } = useStore.getState().project;
  if (builtIn === undefined) return;
  const { builtInText } = await import('../examples/built-in-texts.js');
  const text = await builtInText(builtIn);
  if (useStore.getState().project.id === id) updateProject(text);
}
