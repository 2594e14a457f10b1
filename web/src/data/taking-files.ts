/** Imports data from files: JSON unchanged, R dumps as JSON, and tables, whose columns the user assigns. */

import { jsonOfDump } from '#engine/formats/r-dump.js';
import { notify, update, useStore } from '../state/store.js';
import { t } from '../words/messages.js';
import { beginWith, isWithoutProgram } from './declaring.js';
import { membersIn } from './large-data.js';
import { membersOf, withMembers } from './members.js';
import { openTable } from './reading-tables.js';
import { replaceData } from './replacing.js';

const JSON_FILE = /\.json$/i;
const TABLE = /\.(?:csv|tsv|tab|txt|xlsx|xlsm)$/i;
/** Workbooks in Excel's binary format, and those of OpenDocument. */
const OTHER_WORKBOOK = /\.(?:xls|xlsb|ods|numbers)$/i;
const DUMP = /\.r(?:dump)?$/i;

/**
 * Imports the data of files into the project: the variables of all JSON files and R dumps together, and one table. Throws an `Error` if files cannot
 * be read or cannot be combined.
 */
export async function takeDataFiles(files: readonly File[]): Promise<void> {
  const other = files.find(({ name }) => ![JSON_FILE, TABLE, DUMP].some((pattern) => pattern.test(name)));
  if (other !== undefined && OTHER_WORKBOOK.test(other.name)) throw new Error(t('data.otherWorkbook'));
  if (other !== undefined)
    throw new Error(files.length === 1 ? t('data.notData') : t('data.notDataOf', { file: other.name }));
  const tables = files.filter(({ name }) => TABLE.test(name));
  const variables = files.filter((file) => !tables.includes(file));
  if (variables.length > 0) await take(await merged(variables), variables.map(({ name }) => name).join(', '));
  const [table, ...more] = tables;
  if (table !== undefined) await openTable(await table.arrayBuffer(), table.name);
  if (more.length > 0)
    throw new Error(t('data.oneTable', { opened: table.name, others: more.map(({ name }) => name).join(', ') }));
}

/** The variables of several files as one JSON text; a single JSON file unchanged. */
async function merged(files: readonly File[]): Promise<string> {
  const texts = await Promise.all(
    files.map(async (file) => {
      const text = await file.text();
      return { name: file.name, text: DUMP.test(file.name) ? jsonOfDump(text) : text };
    }),
  );
  const [first, ...others] = texts;
  if (first !== undefined && others.length === 0 && JSON_FILE.test(first.name)) return first.text;
  const members = new Map<string, string>();
  const origins = new Map<string, string>();
  for (const { name, text } of texts)
    for (const [variable, value] of membersOf(text)) {
      const origin = origins.get(variable);
      if (origin !== undefined) throw new Error(t('data.sameVariable', { first: origin, second: name, variable }));
      origins.set(variable, name);
      members.set(variable, value);
    }
  return withMembers('{}', members);
}

async function take(data: string, file: string): Promise<void> {
  const members = isWithoutProgram() ? await membersIn(data) : undefined;
  if (members !== undefined && isWithoutProgram()) {
    beginWith({ data, members, file });
    notify(t('data.dataBegun', { file }));
    return;
  }
  const before = useStore.getState().project.data.trim();
  update({ side: 'left' });
  replaceData(data, t('data.dataTaken', { file }), { canUndo: before !== '{}' && before !== '' });
}
