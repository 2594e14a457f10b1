/** Programs that begin with data: a data block for what a file holds. */
import { dataBlockFor, isVariableName } from '#engine/analysis/data-block.js';
import { parseStanData } from '#engine/model/json.js';
import { jumpTo } from '../language/editors.js';
import { PROGRAM_FILE } from '../state/file-names.js';
import { emptyProject } from '../state/project.js';
import { updateProject, useStore } from '../state/store.js';
import { withMembers } from './members.js';
import { shapesOf } from './shapes.js';
import { levelsOf, sourceJson, type Table } from './table.js';

/** Whether there is no program yet, so that data may begin one. */
export function isWithoutProgram(): boolean {
  return useStore.getState().project.program.trim() === '';
}

const PARAMETERS = 'parameters {\n  ';

/** Begins a program that declares the data of a file; false where they are not JSON. The cursor then stands where parameters go. */
export function beginWith(data: string, file: string): boolean {
  const { name } = useStore.getState().project;
  const called = name === emptyProject().name ? file.replace(/\.[^.]*$/, '') : name;
  try {
    updateProject({
      name: called,
      data,
      program: `${dataBlockFor(shapesOf(parseStanData(data)))}${PARAMETERS}\n}\nmodel {\n  \n}\n`,
    });
  } catch {
    return false;
  }
  const { program } = useStore.getState().project;
  jumpTo(PROGRAM_FILE, program.indexOf(PARAMETERS) + PARAMETERS.length);
  return true;
}

/** Data of the chosen columns of a table: texts as numbers from 1 on, with the number of different ones. */
export function dataOfTable(table: Table, columns: readonly string[]): string {
  const names = variableNames(table);
  const members = new Map<string, string>([[names.has('N') ? 'N_rows' : 'N', `${table.rows}`]]);
  for (const column of table.columns.filter(({ name }) => columns.includes(name))) {
    const name = names.get(column.name) ?? column.name;
    if (column.kind === 'text') members.set(`N_${name}`, `${levelsOf(column).length}`);
    members.set(name, sourceJson(table, { kind: 'column', column: column.name }) ?? '[]');
  }
  return withMembers('{}', members);
}

/** What variables of a program may be called that hold the columns, by the names of these. */
export function variableNames({ columns }: Table): ReadonlyMap<string, string> {
  const taken = new Map<string, string>();
  for (const { name } of columns) {
    const plain = name
      .normalize('NFKD')
      .replace(/[^A-Za-z0-9]+/g, '_')
      .replace(/^_+|_+$/g, '');
    const begun = /^[A-Za-z]/.test(plain) ? plain : `x_${plain}`;
    const free = isVariableName(begun) ? begun : `${begun}_value`;
    const isTaken = [...taken.values()].includes(free);
    taken.set(name, isTaken ? `${free}_${taken.size + 1}` : free);
  }
  return taken;
}
