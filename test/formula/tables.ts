/** A table for tests of formulas. */
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
export const PUPILS = tableOf([
  'score,hours,sex,school,room,fails,passed,grade',
  '52.5,1.5,f,Aue,1,3,no,low',
  '61.0,3.0,m,Aue,2,1,yes,mid',
  '57.5,2.5,f,Aue,3,2,yes,mid',
  '48.0,0.5,m,Bern,1,6,no,low',
  '66.0,4.0,f,Bern,2,0,yes,high',
  '59.5,2.0,m,Bern,3,2,no,mid',
  '71.0,5.0,m,Chur,1,0,yes,high',
  '64.5,3.5,f,Chur,2,1,yes,high',
  '55.0,1.0,f,Chur,3,4,no,low',
  '62.0,4.5,m,Davos,1,1,yes,mid',
  '50.5,2.0,f,Davos,2,5,no,low',
  '58.0,3.0,m,Davos,3,2,yes,mid',
]);
