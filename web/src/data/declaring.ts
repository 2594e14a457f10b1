/** Creates programs from data: a data block for the contents of a file. */
import { dataBlockFor, isVariableName } from '#engine/analysis/data-block.js';
import { parseStanData } from '#engine/model/json.js';
import { jumpTo } from '../language/editors.js';
import { PROGRAM_FILE } from '../state/file-names.js';
import { emptyProject } from '../state/project.js';
import { updateProject, useStore } from '../state/store.js';
import { withMembers } from './members.js';
import { shapesOf } from './shapes.js';
import { indicatorJson, levelsOf, sourceJson, type Table, type TableColumn } from './table.js';

/** Whether the project has no program yet, so that one can be created from data. */
export function isWithoutProgram(): boolean {
  return useStore.getState().project.program.trim() === '';
}

const PARAMETERS = 'parameters {\n  ';

/** Starts a program that declares the data of a file, with the cursor in the parameters block; false if the file is not JSON. */
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

/** How a text column becomes data: as codes from 1 for an index, or as a vector of 0 and 1 for each level except the first. */
export type TextUse = 'index' | 'indicators';

/** Data from the chosen columns of a table. Text columns become an index, with the number of levels, unless `uses` specifies otherwise. */
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

/** A vector for each level except the first, which is the reference: 1 in rows with the level, otherwise 0. */
function indicatorsOf(column: TableColumn, name: string): readonly (readonly [name: string, json: string])[] {
  const [, ...levels] = levelsOf(column);
  const names = variableNames({ columns: levels.map((level) => ({ name: `${name}_${level}` })) });
  return levels.map((level) => [names.get(`${name}_${level}`) ?? name, indicatorJson(column, level, '1.0', '0.0')]);
}

/** Valid variable names for the columns, by column name. */
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
