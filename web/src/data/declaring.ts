/** Programs that begin with data: a data block for the contents of a file. */
import { dataBlockFor, isVariableName } from '#engine/analysis/data-block.js';
import { parseStanData } from '#engine/model/json.js';
import { jumpTo } from '../language/editors.js';
import { PROGRAM_FILE } from '../state/file-names.js';
import { emptyProject } from '../state/project.js';
import { updateProject, useStore } from '../state/store.js';
import { withMembers } from './members.js';
import { shapesOf } from './shapes.js';
import { indicatorJson, levelsOf, sourceJson, type Table, type TableColumn } from './table.js';

/** Whether there is no program yet, so that data may begin one. */
export function isWithoutProgram(): boolean {
  return useStore.getState().project.program.trim() === '';
}

const PARAMETERS = 'parameters {\n  ';

/** Begins a program that declares the data of a file; false where they are not JSON. The cursor is then placed where parameters go. */
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

/** How a column of texts becomes data: as codes from 1, for an index, or as a vector of 0 and 1 for each text but the first. */
export type TextUse = 'index' | 'indicators';

/** Data of the chosen columns of a table. Columns of texts are an index, with the number of different texts, unless `uses` names them. */
export function dataOfTable(
  table: Table,
  columns: readonly string[],
  uses: ReadonlyMap<string, TextUse> = new Map(),
): string {
  const names = variableNames(table);
  const members = new Map<string, string>([[names.has('N') ? 'N_rows' : 'N', `${table.rows}`]]);
  for (const column of table.columns.filter(({ name }) => columns.includes(name))) {
    const name = names.get(column.name) ?? column.name;
    if (column.kind === 'text' && uses.get(column.name) === 'indicators') {
      for (const [indicator, json] of indicatorsOf(column, name)) members.set(indicator, json);
      continue;
    }
    if (column.kind === 'text') members.set(`N_${name}`, `${levelsOf(column).length}`);
    members.set(name, sourceJson(table, { kind: 'column', column: column.name }) ?? '[]');
  }
  return withMembers('{}', members);
}

/** A vector for each text but the first, which is the reference: 1 in rows with the text, otherwise 0. */
function indicatorsOf(column: TableColumn, name: string): readonly (readonly [name: string, json: string])[] {
  const [, ...levels] = levelsOf(column);
  const names = variableNames({ columns: levels.map((level) => ({ name: `${name}_${level}` })) });
  return levels.map((level) => [names.get(`${name}_${level}`) ?? name, indicatorJson(column, level, '1.0', '0.0')]);
}

/** What variables of a program may be called that hold the columns, by the names of these. */
export function variableNames({
  columns,
}: {
  readonly columns: readonly Pick<TableColumn, 'name'>[];
}): ReadonlyMap<string, string> {
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
