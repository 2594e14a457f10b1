/** Checks the columns that a formula uses. */
import { nearestName } from '../language/suggestion.js';
import type { TableColumn } from '../tables/columns.js';
import { variableNames } from '../tables/names.js';
import { asCategories, type Table } from '../tables/table.js';
import { type Family, hasIdentityLink } from './families.js';
import { type FormulaFault, faultAt } from './faults.js';
import type { ColumnName, Formula, GroupTerm, Offset } from './formula.js';
import { combinedGroups } from './groups.js';
import { isConstant } from './statistics.js';

/** Maximum number of levels of a predictor. */
const MOST_LEVELS = 30;
/** Minimum number of rows. */
const FEWEST_ROWS = 2;

/** The headings of the columns by their names in the formula: the heading itself, or its name as a variable. */
export function headingsOf(
  formula: Formula,
  table: Table,
): ReadonlyMap<string, string> | { readonly faults: readonly FormulaFault[] } {
  const variables = variableNames(table.columns.map(({ name }) => name));
  const known = new Map([...variables].map(([heading, variable]) => [variable, heading]));
  for (const heading of variables.keys()) known.set(heading, heading);
  const headings = new Map<string, string>();
  const faults: FormulaFault[] = [];
  for (const { name, span } of namesIn(formula)) {
    const heading = known.get(name);
    if (heading !== undefined) headings.set(name, heading);
    else faults.push(faultAt(span, 'unknownColumn', { name, suggestion: suggestionFor(name, table) }));
  }
  for (const { name, span } of namesIn(formula).slice(1)) {
    const heading = headings.get(name);
    if (heading !== undefined && heading === headings.get(formula.outcome.name))
      faults.push(faultAt(span, 'outcomeAsPredictor', { name }));
  }
  return faults.length > 0 ? { faults } : headings;
}

/** The heading that is the name in other case, or is closest to it. */
function suggestionFor(name: string, { columns }: Table): string {
  const headings = columns.map((column) => column.name);
  return headings.find((each) => each.toLowerCase() === name.toLowerCase()) ?? nearestName(name, headings) ?? 'none';
}

/** All names, the outcome first. */
function namesIn({ groups, offsets, outcome, terms }: Formula): readonly ColumnName[] {
  const others = [
    ...terms.flat(),
    ...offsets.map(({ column }) => column),
    ...groups.flatMap((each) => [...each.terms.flat(), ...each.group]),
  ];
  return [outcome, ...others.sort((a, b) => a.span.start - b.span.start)];
}

/** The faults of predictors, offsets and groups in the rows without missing values. The outcome is checked by `outcomeOf`. */
export function columnFaults(
  formula: Formula,
  columnOf: (name: string) => TableColumn,
  rows: number,
  family: Family,
): readonly FormulaFault[] {
  if (rows < FEWEST_ROWS) return [faultAt(formula.outcome.span, 'tooFewRows', { rows })];
  const predictors = [...formula.terms, ...formula.groups.flatMap(({ terms }) => terms)].flat();
  return [
    ...predictors.flatMap((name) => predictorFault(name, columnOf(name.name)) ?? []),
    ...formula.offsets.flatMap((offset) => offsetFault(offset, formula, columnOf) ?? []),
    ...formula.groups.flatMap((term) => groupFault(term, columnOf, family) ?? []),
  ];
}

function predictorFault({ isFactor, span }: ColumnName, column: TableColumn): FormulaFault | undefined {
  const { kind, name, values } = column;
  if (isConstant(values)) return faultAt(span, 'constantColumn', { name });
  if (!isFactor && kind !== 'text') return undefined;
  const { levels } = asCategories(column);
  return levels.length > MOST_LEVELS
    ? faultAt(span, 'tooManyLevels', { name, levels: levels.length, most: MOST_LEVELS })
    : undefined;
}

function offsetFault(
  { column: { name, span }, isLog }: Offset,
  { groups, terms }: Formula,
  columnOf: (name: string) => TableColumn,
): FormulaFault | undefined {
  const column = columnOf(name);
  if (column.kind !== 'integer' && column.kind !== 'real')
    return faultAt(span, 'offsetNotNumbers', { name: column.name });
  const wrong = column.values.find((value) => value <= 0);
  if (isLog && wrong !== undefined) return faultAt(span, 'offsetNotPositive', { name: column.name, value: wrong });
  const others = [...terms.flat(), ...groups.flatMap((each) => [...each.terms.flat(), ...each.group])];
  const isUsed = others.some((other) => columnOf(other.name).name === column.name);
  return isUsed ? faultAt(span, 'offsetIsPredictor', { name: column.name }) : undefined;
}

function groupFault(
  { group, intercept }: GroupTerm,
  columnOf: (name: string) => TableColumn,
  family: Family,
): FormulaFault | undefined {
  const columns = group.map(({ name }) => columnOf(name));
  const fractional = columns.findIndex(({ kind }) => kind === 'real');
  if (fractional >= 0) return faultAt(group[fractional].span, 'notGroups', { name: columns[fractional].name });
  const { codes, heading: name, labels } = combinedGroups(columns);
  const span = { start: group[0].span.start, end: group[group.length - 1].span.end };
  if (labels.length < 2) return faultAt(span, 'oneGroup', { name });
  if (intercept && labels.length === codes.length && hasIdentityLink(family))
    return faultAt(span, 'groupPerRow', { name });
  return undefined;
}
