/**
 * Missing values as parameters (Gelman and others, Bayesian Data Analysis, 3rd edition, chapter 18). Those of an outcome have the distribution of the
 * outcome. The prior of those of a predictor, which must be numbers, is normal with the mean and the standard deviation of the other values, as if
 * no other column informed about them; the outcome does.
 */
import { countMissing, type TableColumn } from '../tables/columns.js';
import { valuesJson } from '../tables/members.js';
import type { Table } from '../tables/table.js';
import type { DataVariable } from './data-variable.js';
import type { Formula } from './formula.js';
import type { Names } from './names.js';
import { literal, numeral, roundedTo } from './numerals.js';
import { isConstant, mean, standardDeviation } from './statistics.js';

/** What a program does about missing values: leave their rows out, or make missing numbers of predictors parameters. */
export const missingValues = ['omit', 'parameters'] as const;
export type MissingValues = (typeof missingValues)[number];

/** The names of the variables that replace missing values of a column. */
export interface Imputation {
  /** The local variable with all values. */
  readonly completed: string;
  readonly parameters: string;
  /** The data variables with the number and the rows of missing values. */
  readonly count: string;
  readonly rows: string;
  readonly prior: string;
  /** The data of the column, in which the mean stands for missing values, and of the rows. */
  readonly data: readonly DataVariable[];
}

/** The names of the variables for an outcome that is missing in some rows. */
export interface MissingOutcome {
  /** The data variables with the number of rows in which it is known, and with these rows. */
  readonly knownCount: string;
  readonly knownRows: string;
  /** The same of the other rows. */
  readonly count: string;
  readonly rows: string;
  readonly parameters: string;
  readonly data: readonly DataVariable[];
}

/** Missing values of an outcome as parameters; undefined if none is missing. */
export function missingOutcome(
  { name: heading, values }: TableColumn,
  name: string,
  names: Names,
  size: string,
): MissingOutcome | undefined {
  const rows = [...values.keys()];
  const known = rows.filter((row) => !Number.isNaN(values[row]));
  const missing = rows.filter((row) => Number.isNaN(values[row]));
  if (missing.length === 0) return undefined;
  const [knownCount, knownRows] = [names.free(`N_${name}_obs`), names.free(`${name}_obs_rows`)];
  const [count, missingRows] = [names.free(`N_${name}_mis`), names.free(`${name}_mis_rows`)];
  return {
    knownCount,
    knownRows,
    count,
    rows: missingRows,
    parameters: names.free(`${name}_mis`),
    data: [
      ...rowsData(knownCount, knownRows, known, size, `observed values of ${heading}`),
      ...rowsData(count, missingRows, missing, size, `missing values of ${heading}`),
    ],
  };
}

/** The number of some rows, and the rows. */
function rowsData(
  count: string,
  rows: string,
  values: readonly number[],
  size: string,
  note: string,
): readonly DataVariable[] {
  return [
    { name: count, type: 'int<lower=0>', json: `${values.length}`, note },
    {
      name: rows,
      type: `array[${count}] int<lower=1, upper=${size}>`,
      json: `[${values.map((row) => row + 1).join(', ')}]`,
      note: 'their rows',
    },
  ];
}

/**
 * The headings of columns whose missing values can be parameters: predictors with numbers that are not all 0 or 1. Columns that are also a category, a
 * group, an offset or the outcome cannot.
 */
export function imputableHeadings(
  { groups, offsets, outcome, terms }: Formula,
  { columns }: Table,
  headingOf: (name: string) => string,
): ReadonlySet<string> {
  const predictors = [...terms.flat(), ...groups.flatMap((each) => each.terms.flat())];
  const others = [
    outcome,
    ...predictors.filter(({ isFactor }) => isFactor),
    ...groups.flatMap(({ group }) => group),
    ...offsets.map(({ column }) => column),
  ].map(({ name }) => headingOf(name));
  const headings = new Set(predictors.map(({ name }) => headingOf(name)));
  const found = columns.filter(({ kind, name, values }) => {
    const isNumbers = kind === 'integer' || kind === 'real';
    return isNumbers && headings.has(name) && !others.includes(name) && isImputable(values);
  });
  return new Set(found.map(({ name }) => name));
}

function isImputable(values: Float64Array): boolean {
  const known = observed(values);
  return known.length < values.length && !isConstant(known) && known.some((value) => value !== 0 && value !== 1);
}

/** The values that are not missing. */
export function observed(values: Float64Array): Float64Array {
  return values.filter((value) => !Number.isNaN(value));
}

/** The imputation of a column; undefined if no value is missing. `size` is the name of the number of rows. */
export function imputationOf(
  column: TableColumn,
  name: string,
  names: Names,
  size: string,
  note: string,
): Imputation | undefined {
  if (countMissing(column.values) === 0) return undefined;
  const known = observed(column.values);
  const spread = standardDeviation(known);
  const center = roundedTo(mean(known), spread, 2);
  const missing = [...column.values.keys()].filter((row) => Number.isNaN(column.values[row]));
  const count = names.free(`N_${name}_mis`);
  const rows = names.free(`${name}_mis_rows`);
  const values = column.values.map((value) => (Number.isNaN(value) ? center : value));
  return {
    completed: names.free(`${name}_full`),
    parameters: names.free(`${name}_mis`),
    count,
    rows,
    prior: `normal(${literal(center)}, ${numeral(spread)})`,
    data: [
      {
        name,
        type: `vector[${size}]`,
        json: valuesJson({ ...column, kind: 'real', values, exact: undefined }),
        note: [note, `${literal(center)} where it is missing`].filter((part) => part !== '').join(', '),
      },
      ...rowsData(count, rows, missing, size, `missing values of ${column.name}`),
    ],
  };
}

/** Statements that declare the variable with all values. */
export function completionLines(
  name: string,
  { completed, parameters, rows }: Imputation,
  size: string,
): readonly string[] {
  return [`vector[${size}] ${completed} = ${name};`, `${completed}[${rows}] = ${parameters};`];
}
