/** Fills in data: with placeholder values, or from the clipboard. */

import { language } from '../language/analysis.js';
import { reasonOf } from '../reasons.js';
import { notify, updateProject, useStore } from '../state/store.js';
import { t } from '../words/messages.js';

/** Writes a placeholder value for each variable of the data block without one. */
export async function writeExampleData(): Promise<void> {
  const [example, { dataText }, { membersOf, withMembers }] = await Promise.all([
    language().exampleData(),
    import('./json-text.js'),
    import('./members.js'),
  ]);
  if (example === undefined) return;
  const { data } = useStore.getState().project;
  const added = new Map([...membersOf(dataText(example)), ...membersOf(data)]);
  updateProject({ data: withMembers('{}', added) });
}

/** Reads a table from the clipboard; without permission, explains how to paste it. */
export async function pasteTable(): Promise<void> {
  try {
    const text = await navigator.clipboard.readText();
    const { openTable } = await import('./reading-tables.js');
    await openTable(text, t('data.clipboard'));
  } catch (error) {
    const reason = error instanceof DOMException ? t('data.clipboardRefused') : reasonOf(error);
    notify(t('data.clipboardProblem', { reason }));
  }
}
