/** The design of a model: outcome, columns of the design matrix and effects of groups, from a formula and a table. */
import type { TableColumn } from '../tables/columns.js';
import { variableNames } from '../tables/names.js';
import { completeRows, countIncomplete, type Table } from '../tables/table.js';
import { Coding, type DesignColumn, interceptColumn, type NamedColumn } from './coding.js';
import { columnFaults, headingsOf } from './columns.js';
import { codesNote, type DataVariable } from './data-variable.js';
import { type Family, hasIdentityLink } from './families.js';
import { type FormulaFault, faultAt } from './faults.js';
import type { Formula, Term } from './formula.js';
import { type CombinedGroups, combinedGroups } from './groups.js';
import { imputableHeadings, type MissingValues, missingOutcome } from './imputation.js';
import { Names } from './names.js';
import { type DesignOffset, shiftsOf } from './offsets.js';
import { type Outcome, outcomeOf } from './outcome.js';
import { isConstant } from './statistics.js';

/** A coefficient that is the same in all groups. */
interface Coefficient {
  readonly name: string;
  readonly column: DesignColumn;
}

/** The groups of a column, or of combinations of columns, as data. */
interface GroupIndex {
  /** The headings of the columns. */
  readonly heading: string;
  /** The data variables with the group of each row, and with the number of groups. */
  readonly index: string;
  readonly count: string;
  readonly labels: readonly string[];
  readonly data: readonly DataVariable[];
}

/** Effects that vary between groups: one, or several correlated ones. */
export interface GroupEffects {
  readonly group: GroupIndex;
  readonly columns: readonly DesignColumn[];
  /** The parameters: standard deviations, effects and, for several effects, the Cholesky factor of their correlations. */
  readonly scale: string;
  readonly effects: string;
  readonly factor: string;
  readonly correlation: string;
}

export interface Design {
  readonly family: Family;
  readonly outcome: Outcome;
  /** The name of the number of rows. */
  readonly size: string;
  /** Number of rows that are left out because of missing values. */
  readonly omitted: number;
  readonly intercept: boolean;
  readonly coefficients: readonly Coefficient[];
  readonly offsets: readonly DesignOffset[];
  readonly groups: readonly GroupEffects[];
  readonly data: readonly DataVariable[];
  /** The labels of the data variables with codes. */
  readonly levels: readonly { readonly variable: string; readonly labels: readonly string[] }[];
  readonly names: Names;
}

export interface DesignChoices {
  readonly family: Family;
  readonly missing?: MissingValues;
  /** The categories of an ordinal outcome. */
  readonly order?: readonly string[];
}

/** The design, or all faults of the columns. */
export function designOf(
  formula: Formula,
  table: Table,
  { family, missing, order }: DesignChoices,
): Design | { readonly faults: readonly FormulaFault[] } {
  const headings = headingsOf(formula, table);
  if ('faults' in headings) return headings;
  const used = [...new Set(headings.values())];
  const headingOf = (name: string) => headings.get(name) ?? name;
  const imputable = missing === 'parameters' ? imputableHeadings(formula, table, headingOf) : new Set<string>();
  const outcomeHeading = headingOf(formula.outcome.name);
  // The rows of offsets are those of the outcome.
  const isOutcomeKept = missing === 'parameters' && hasIdentityLink(family) && formula.offsets.length === 0;
  const required = used.filter((heading) => !imputable.has(heading) && !(isOutcomeKept && heading === outcomeHeading));
  const complete = completeRows(table, required);
  const variables = variableNames(table.columns.map(({ name }) => name));
  const columnOf = (name: string): NamedColumn => {
    const heading = headingOf(name);
    return { column: columnIn(complete, heading), name: variables.get(heading) ?? heading };
  };
  const faults = columnFaults(formula, (name) => columnOf(name).column, complete.rows, family);
  if (faults.length > 0) return { faults };

  const names = new Names(used.map((heading) => variables.get(heading) ?? heading));
  const size = names.free('N', 'N_rows');
  const named = columnOf(formula.outcome.name);
  const unknown = missingOutcome(named.column, named.name, names, size);
  const known = { ...named, column: columnIn(completeRows(complete, [outcomeHeading]), outcomeHeading) };
  const found = outcomeOf(formula.outcome, known, family, names, unknown?.knownCount ?? size, order);
  if ('fault' in found) return { faults: [found.fault] };
  const coding = new Coding(columnOf, names, size);
  // The cutpoints of ordered categories are their intercepts.
  const intercept = formula.intercept || family === 'cumulative';
  const coefficients = coding.columns(formula.terms, intercept).map((column) => ({
    name: names.free(`b_${column.name}`),
    column,
  }));
  const offsets = formula.offsets.map(({ column, isLog }) => ({ predictor: coding.numbers(column), isLog }));
  const shifts = shiftsOf(offsets, complete.rows);
  if (hasIdentityLink(family) && isConstant(found.outcome.values.map((value, row) => value - shifts[row])))
    return { faults: [faultAt(formula.outcome.span, 'constantOutcome', { name: found.outcome.heading })] };
  const groups = groupEffects(formula, coding, columnOf, names, size, complete.rows);
  const columns = [...coefficients.map(({ column }) => column), ...groups.flatMap((each) => each.columns)];
  const empty = columns.filter(({ predictors, values }) => predictors.length > 0 && isConstant(values));
  if (empty.length > 0)
    return {
      faults: empty.map(({ predictors, span }) => faultAt(span, 'emptyColumn', { name: columnLabel(predictors) })),
    };
  const indexes = [...new Set(groups.map(({ group }) => group))];
  const predictors = new Set([
    ...columns.flatMap((column) => column.predictors),
    ...offsets.map(({ predictor }) => predictor),
  ]);
  return {
    family,
    outcome: { ...found.outcome, ...(unknown && { missing: unknown }) },
    size,
    omitted: countIncomplete(table, required),
    intercept,
    coefficients,
    offsets,
    groups,
    data: [
      { name: size, type: 'int<lower=0>', json: `${complete.rows}`, note: 'rows' },
      ...(unknown?.data ?? []),
      ...found.outcome.data,
      ...[...predictors].flatMap(({ data }) => data),
      ...indexes.flatMap(({ data }) => data),
    ],
    levels: [
      ...(found.outcome.labels === undefined || family !== 'cumulative'
        ? []
        : [{ variable: found.outcome.name, labels: found.outcome.labels }]),
      ...indexes.map(({ index, labels }) => ({ variable: index, labels })),
    ],
    names,
  };
}

function columnIn({ columns }: Table, heading: string): TableColumn {
  const column = columns.find(({ name }) => name === heading);
  if (column === undefined) throw new Error(`the table has no column ${heading}`);
  return column;
}

function groupEffects(
  formula: Formula,
  coding: Coding,
  columnOf: (name: string) => NamedColumn,
  names: Names,
  size: string,
  rows: number,
): readonly GroupEffects[] {
  const numbers = [...formula.terms, ...formula.groups.flatMap(({ terms }) => terms)].flat();
  const isNumber = (heading: string) => numbers.some(({ name }) => columnOf(name).column.name === heading);
  const indexOf = (term: Term) => {
    const columns = term.map(({ name }) => columnOf(name));
    const found = combinedGroups(columns.map(({ column }) => column));
    const [first] = columns;
    if (columns.length > 1) {
      const name = names.free(columns.map((each) => each.name).join('_'));
      return groupIndex(found, name, name, names, size);
    }
    const index = isNumber(first.column.name) ? names.free(`${first.name}_group`) : first.name;
    return groupIndex(found, first.name, index, names, size);
  };
  const known = new Map<string, GroupIndex>();
  return formula.groups.flatMap((term) => {
    const key = JSON.stringify(term.group.map(({ name }) => columnOf(name).column.name));
    const group = known.get(key) ?? indexOf(term.group);
    known.set(key, group);
    const columns = [...(term.intercept ? [interceptColumn(rows)] : []), ...coding.columns(term.terms, term.intercept)];
    const sets = term.correlated ? [columns] : columns.map((each) => [each]);
    return sets.flatMap((set): readonly GroupEffects[] => {
      const [first] = set;
      if (first === undefined) return [];
      const suffix = first.name === '' || set.length > 1 ? group.index : `${group.index}_${first.name}`;
      return [
        {
          group,
          columns: set,
          scale: names.free(`sd_${suffix}`),
          effects: names.free(`r_${suffix}`),
          factor: names.free(`L_${suffix}`),
          correlation: names.free(`cor_${suffix}`),
        },
      ];
    });
  });
}

function groupIndex(
  { codes, heading, labels }: CombinedGroups,
  name: string,
  index: string,
  names: Names,
  size: string,
): GroupIndex {
  const count = names.free(`N_${name}`);
  return {
    heading,
    index,
    count,
    labels,
    data: [
      { name: count, type: 'int<lower=1>', json: `${labels.length}`, note: `groups of ${heading}` },
      {
        name: index,
        type: `array[${size}] int<lower=1, upper=${count}>`,
        json: `[${codes.join(', ')}]`,
        note: codesNote(labels),
      },
    ],
  };
}

function columnLabel(predictors: DesignColumn['predictors']): string {
  return predictors.map(({ heading, level }) => (level === undefined ? heading : `${heading} ${level}`)).join(':');
}
