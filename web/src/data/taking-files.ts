/** Data from files: JSON as it is, R dumps as JSON, tables by the columns that a person assigns. */
import { jsonOfDump } from '#engine/run/r-dump.js';
import { notify, update, updateProject } from '../state/store.js';
import { beginWith, isWithoutProgram } from './declaring.js';
import { membersOf, withMembers } from './members.js';
import { readTable } from './table.js';

/** Takes a file's data into the project. Throws an `Error` for what cannot be read. */
export async function takeDataFile(file: File): Promise<void> {
  const text = await file.text();
  if (/\.json$/i.test(file.name)) {
    take(text, file.name);
  } else if (/\.(csv|tsv|txt)$/i.test(file.name)) {
    update({ table: readTable(text, file.name), overlay: 'table' });
  } else if (/\.r(dump)?$/i.test(file.name) || /\.data\.r$/i.test(file.name)) {
    take(withMembers('{}', membersOf(jsonOfDump(text))), file.name);
  } else {
    throw new Error('it is neither JSON nor an R dump nor a table (CSV)');
  }
}

function take(data: string, name: string): void {
  if (isWithoutProgram() && beginWith(data, name)) {
    notify(`The program declares the data of ${name}. Parameters and model are next.`);
    return;
  }
  updateProject({ data });
  update({ leftTab: 'data', side: 'left' });
  notify(`The data are those of ${name} now.`);
}
