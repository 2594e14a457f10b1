/** What the columns of a table do in a formula, as a form shows it. */
import type { Family } from '#engine/formula/families.js';
import type { ColumnName, Formula } from '#engine/formula/formula.js';
import type { ColumnOutline, TableOutline } from '#engine/tables/outline.js';

export const roles = ['none', 'predictor', 'intercepts', 'slopes'] as const;

/** A predictor, or groups with intercepts that vary, or with intercepts and slopes. */
export type Role = (typeof roles)[number];

/** Columns that can be in a formula. */
export function usableColumns({ columns, rows }: TableOutline): readonly ColumnOutline[] {
  return columns.filter(({ isUsable, missing }) => isUsable && missing < rows);
}

/** The possible roles of a column. */
export function rolesFor(column: ColumnOutline): readonly Role[] {
  const isGroup = column.kind === 'integer' || column.isGrouping;
  return isGroup ? roles : roles.filter((role) => role === 'none' || role === 'predictor');
}

/** The role of a column in a formula; the first one if it has several. */
export function roleOf({ groups, terms }: Formula, name: string): Role {
  if (terms.some((term) => term.some((each) => each.name === name))) return 'predictor';
  const found = groups.find(({ group }) => group.some((each) => each.name === name));
  if (found === undefined) return 'none';
  return found.terms.length > 0 ? 'slopes' : 'intercepts';
}

/** The formula in which a column has a role. Interactions, offsets and nested groups of the column are removed. */
export function withRole(formula: Formula, name: string, role: Role): Formula {
  const offsets = formula.offsets.filter(({ column }) => column.name !== name);
  const others = formula.terms.filter((term) => !term.some((each) => each.name === name));
  const groups = formula.groups
    .filter(({ group }) => !group.some((each) => each.name === name))
    .map((each) => ({ ...each, terms: each.terms.filter((term) => !term.some((part) => part.name === name)) }));
  const column = columnName(name);
  if (role === 'predictor') return { ...formula, offsets, terms: [...others, [column]] };
  if (role === 'none') return { ...formula, offsets, groups, terms: others };
  const slopes = role === 'slopes' ? others.filter((term) => term.length === 1) : [];
  const varying = { intercept: true, terms: slopes, group: [column], correlated: true };
  return { ...formula, offsets, terms: others, groups: [...groups, varying] };
}

/** The formula with another outcome, which is then no predictor. */
export function withOutcome(formula: Formula, name: string): Formula {
  return { ...withRole(formula, name, 'none'), outcome: columnName(name) };
}

function columnName(name: string): ColumnName {
  return { name, isFactor: false, span: { start: 0, end: 0 } };
}

/** A formula for the likely outcome: a column with this name, else the first one with decimals, else the last one of numbers. */
export function likelyFormula(columns: readonly ColumnOutline[]): Formula | undefined {
  const outcome =
    columns.find(({ name }) => /^(?:y|outcome|response|score|result)$/i.test(name)) ??
    columns.find(({ kind }) => kind === 'real') ??
    columns.findLast(({ kind }) => kind === 'integer') ??
    columns[0];
  return outcome && { outcome: columnName(outcome.name), intercept: true, terms: [], groups: [], offsets: [] };
}

/** A family for an outcome. */
export function likelyFamily({ isBinary, kind }: ColumnOutline): Family {
  if (isBinary) return 'bernoulli';
  return kind === 'text' ? 'cumulative' : 'normal';
}
