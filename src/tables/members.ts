/** Data variables from the columns of a table, as JSON. */
import type { TableColumn } from './columns.js';
import { variableNames } from './names.js';
import { asGroups, type Table } from './table.js';

/** How a column of text or dates becomes data: as codes from 1 for an index, as a vector of 0 and 1 for each level except the first, or as days. */
export type ColumnUse = 'index' | 'indicators' | 'days';

/** A variable from a table. */
export interface TableMember {
  readonly name: string;
  readonly json: string;
  /** For codes: the levels in the order of the codes, from 1. */
  readonly labels?: readonly string[];
  /** What the values are, if the column's name does not show it: a comment of the data block. */
  readonly note?: string;
}

/** The variables of the chosen columns, after the number of rows. */
export function membersOfTable(
  table: Table,
  columns: readonly string[],
  uses: ReadonlyMap<string, ColumnUse> = new Map(),
): readonly TableMember[] {
  const names = variableNames(table.columns.map(({ name }) => name));
  const isTaken = [...names.values()].includes('N');
  const members: TableMember[] = [{ name: isTaken ? 'N_rows' : 'N', json: `${table.rows}` }];
  for (const column of table.columns.filter(({ name }) => columns.includes(name)))
    members.push(...membersOfColumn(column, names.get(column.name) ?? column.name, uses.get(column.name)));
  return members;
}

function membersOfColumn(column: TableColumn, name: string, use: ColumnUse | undefined): readonly TableMember[] {
  const heading = /^[\w .-]*$/.test(column.name) ? '' : column.name;
  if (column.kind === 'integer' || column.kind === 'real') {
    const note = [heading, column.sign === undefined || heading.includes(column.sign) ? '' : column.sign];
    return [withNote({ name, json: valuesJson(column) }, note)];
  }
  if (column.kind === 'date' && use !== 'index')
    return [withNote({ name, json: valuesJson(column) }, [heading, `days since ${column.origin}`])];
  const groups = asGroups(column);
  if (use === 'indicators') return indicatorsOf(groups, name);
  return [
    { name: `N_${name}`, json: `${groups.levels.length}` },
    withNote({ name, json: valuesJson(groups), labels: groups.levels }, [heading, levelsNote(groups.levels)]),
  ];
}

/** Number of levels that a comment lists. */
const MOST_LISTED = 20;

function levelsNote(levels: readonly string[]): string {
  const listed = levels.slice(0, MOST_LISTED).map((level, index) => `${index + 1} = ${level}`);
  return [...listed, ...(levels.length > MOST_LISTED ? ['…'] : [])].join(', ');
}

function withNote(member: TableMember, parts: readonly string[]): TableMember {
  const note = parts.filter((part) => part !== '').join(', ');
  return note === '' ? member : { ...member, note };
}

/** A vector for each level except the first, which is the reference: 1 in rows with the level, otherwise 0. */
function indicatorsOf(column: TableColumn, name: string): readonly TableMember[] {
  const [reference, ...levels] = column.levels;
  const names = variableNames(levels.map((level) => `${name}_${level}`));
  return levels.map((level, index) => ({
    name: names.get(`${name}_${level}`) ?? name,
    json: indicatorJson(column, index + 2, '1.0', '0.0'),
    note: `1 if ${column.name} is ${level}; the reference is ${reference}`,
  }));
}

/** The values of a column as a JSON array. Reals that all are whole have a decimal point, which makes them a vector. */
export function valuesJson({ kind, values, exact }: TableColumn): string {
  if (exact !== undefined)
    return `[${exact.map((text, row) => (Number.isNaN(values[row]) ? '"NaN"' : text)).join(', ')}]`;
  const areWhole = kind === 'real' && values.every((value) => Number.isNaN(value) || Number.isInteger(value));
  const texts = Array.from(values, (value) =>
    Number.isNaN(value) ? '"NaN"' : areWhole && Math.abs(value) < 1e21 ? `${value}.0` : `${value}`,
  );
  return `[${texts.join(', ')}]`;
}

/** 1 in rows with the level of a code, otherwise 0. With a decimal point, the data block declares a vector. */
export function indicatorJson({ values }: TableColumn, code: number, one = '1', zero = '0'): string {
  return `[${Array.from(values, (value) => (value === code ? one : Number.isNaN(value) ? '"NaN"' : zero)).join(', ')}]`;
}
