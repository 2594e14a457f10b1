/** Takes data from the opened table, whose values are in the worker that has read it. */
import type { TableOutline } from '#engine/tables/outline.js';
import { showTab } from '../actions/panes.js';
import { notify, update, updateProject, useStore } from '../state/store.js';
import { t } from '../words/messages.js';
import { beginWith } from './declaring.js';
import { openFormulaModel } from './formula-program.js';
import { tableReader } from './reading-tables.js';
import type { ColumnChoice, SourceChoice } from './table-data.js';
import type { FormulaQuestion } from './table-worker.js';

/** Whether the table's window is still open: the user may close it before data have been written. */
function isOpen(opened: TableOutline): boolean {
  const { overlay, table } = useStore.getState();
  return overlay === 'table' && table === opened;
}

/** Starts a program that declares the chosen columns. */
export async function takeColumns(table: TableOutline, choice: ColumnChoice): Promise<void> {
  const { data, levels, members, notes } = await tableReader().dataOfColumns(choice);
  if (!isOpen(table)) return;
  beginWith({ data, members, file: table.name, notes, levels });
  update({ table: undefined });
  notify(t('data.begun', { file: table.name }));
}

/** Adds the sources of variables to the data. */
export async function takeSources(table: TableOutline, choice: SourceChoice): Promise<void> {
  const { data: before, id } = useStore.getState().project;
  const taken = await tableReader().dataOfSources(choice, before);
  const { data, id: now, levels = [] } = useStore.getState().project;
  if (!isOpen(table) || data !== before || now !== id) return;
  const others = levels.filter(({ variable }) => !choice.used.some(({ name }) => name === variable));
  updateProject({ data: taken.data, levels: [...others, ...taken.levels] });
  update({ table: undefined });
  showTab({ leftTab: 'data' });
  notify(t('data.taken', { names: choice.used.map(({ name }) => name).join(', '), file: table.name }));
}

/** Opens the program of a formula; resolves to false if the formula has faults. */
export async function takeFormula(table: TableOutline, question: FormulaQuestion): Promise<boolean> {
  const made = await tableReader().modelFromFormula(question);
  if ('faults' in made) return false;
  if (isOpen(table)) openFormulaModel(made, table.name);
  return true;
}
