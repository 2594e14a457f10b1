/** A table for tests of formulas. */
import { readFileSync } from 'node:fs';
import papaparse from 'papaparse';
import { splitWith } from '../../src/tables/separator.js';
import { readTable, type Table, tableCells } from '../../src/tables/table.js';

const split = splitWith((text, options) => papaparse.parse<unknown>(text, options));

/** The table with these lines, the header first. */
export function tableOf(lines: readonly string[]): Table {
  return readTable(tableCells(lines.join('\n'), 'table.csv', split));
}

/** A column as one number for each row; for texts the codes of the levels, from 1. */
export function columnOf(table: Table, name: string): readonly number[] {
  const column = table.columns.find((each) => each.name === name);
  if (column === undefined) throw new Error(`no column ${name}`);
  return [...column.values];
}

/** Twelve pupils in four schools. */
export const PUPILS = tableOf(
  readFileSync(new URL('../../../test/formula/pupils.csv', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n'),
);
