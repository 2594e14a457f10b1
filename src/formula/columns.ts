/** Checks the columns that a formula uses. */
import { nearestName } from '../language/suggestion.js';
import type { TableColumn } from '../tables/columns.js';
import { variableNames } from '../tables/names.js';
import { asCategories, type Table } from '../tables/table.js';
import { type Family, hasIdentityLink } from './families.js';
import { type FormulaFault, faultAt } from './faults.js';
import type { ColumnName, Formula, GroupTerm } from './formula.js';
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
function namesIn({ groups, outcome, terms }: Formula): readonly ColumnName[] {
  const others = [...terms.flat(), ...groups.flatMap((each) => [...each.terms.flat(), each.group])];
  return [outcome, ...others.sort((a, b) => a.span.start - b.span.start)];
}

/** The faults of predictors and groups in the rows without missing values. The outcome is checked by `outcomeOf`. */
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
    ...formula.groups.flatMap((term) => groupFault(term, columnOf(term.group.name), family) ?? []),
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

function groupFault({ group: { span }, intercept }: GroupTerm, column: TableColumn, family: Family) {
  const { kind, name } = column;
  if (kind === 'real') return faultAt(span, 'notGroups', { name });
  const { levels, values } = asCategories(column);
  if (levels.length < 2) return faultAt(span, 'oneGroup', { name });
  if (intercept && levels.length === values.length && hasIdentityLink(family))
    return faultAt(span, 'groupPerRow', { name });
  return undefined;
}
