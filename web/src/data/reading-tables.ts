/** Opens tables (CSV, tab-separated, workbooks, or pasted from a spreadsheet), whose columns become data variables. */
import { type Remote, wrap } from 'comlink';
import type { TableFault } from '#engine/tables/rows.js';
import type { TableChoices } from '#engine/tables/table.js';
import { notify, update, useStore } from '../state/store.js';
import { t } from '../words/messages.js';
import type { TableReader } from './table-worker.js';

let reader: Remote<TableReader> | undefined;
/** The number of readings that were begun: only the latest one is shown. */
let begun = 0;

export function tableReader(): Remote<TableReader> {
  reader ??= wrap<TableReader>(new Worker(new URL('./table-worker.ts', import.meta.url), { type: 'module' }));
  return reader;
}

/** Shows the columns of a table. Throws an `Error` if it is none. */
export async function openTable(content: ArrayBuffer | string, name: string): Promise<void> {
  const reading = ++begun;
  const isWorkbook = typeof content !== 'string' && WORKBOOK.test(name);
  const table = isWorkbook ? await openedWorkbook(content, name) : await tableReader().open(content, name);
  if (table === undefined) return;
  if ('kind' in table) throw new Error(faultText(table));
  if (reading === begun) update({ table, tableChoices: {}, overlay: 'table' });
}

/** Names of workbooks. */
const WORKBOOK = /\.xls[xm]$/i;

async function openedWorkbook(content: ArrayBuffer, name: string): ReturnType<TableReader['openWorkbook']> {
  try {
    return await tableReader().openWorkbook(content, name);
  } catch {
    throw new Error(t('data.notWorkbook'));
  }
}

/** Shows another sheet of the opened workbook. */
export async function openSheet(name: string): Promise<void> {
  const reading = ++begun;
  const table = await tableReader().readSheet(name);
  if (table === undefined || reading !== begun || useStore.getState().table === undefined) return;
  if ('kind' in table) notify(t('data.notSheet', { sheet: name, reason: faultText(table) }));
  else update({ table, tableChoices: {} });
}

/** Reads the opened table again, with other choices. */
export async function rereadTable(changes: TableChoices): Promise<void> {
  const reading = ++begun;
  const tableChoices = { ...useStore.getState().tableChoices, ...changes };
  update({ tableChoices });
  const table = await tableReader().read(tableChoices);
  if (reading === begun && useStore.getState().table !== undefined) update({ table });
}

function faultText(fault: TableFault): string {
  if (fault.kind === 'noRows') return t('data.noRows');
  const { row } = fault;
  if (fault.kind === 'unclosedQuote') return t('data.unclosedQuote', { row });
  return t('data.rowDiffers', { row, reason: t('data.fieldCount', fault) });
}
