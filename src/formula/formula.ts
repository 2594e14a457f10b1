/** Model formulas, as in R: their terms, and their text. */

/** Offsets of a part of a formula: from `start`, up to but not including `end`. */
export interface FormulaSpan {
  readonly start: number;
  readonly end: number;
}

/** A column of the table. */
export interface ColumnName {
  readonly name: string;
  /** Whether its values are categories: `factor(x)`. */
  readonly isFactor: boolean;
  readonly span: FormulaSpan;
}

/** A main effect (one column) or an interaction (the product of several columns). */
export type Term = readonly ColumnName[];

/** Effects that vary between groups: `(1 + x | g)`. */
export interface GroupTerm {
  readonly intercept: boolean;
  readonly terms: readonly Term[];
  /** The column with groups; several for their combinations: `(1 | a:b)`. */
  readonly group: Term;
  /** False for `(1 + x || g)`, whose effects are independent. */
  readonly correlated: boolean;
}

/** A summand of the linear predictor without a coefficient: `offset(x)`, `offset(log(x))`. */
export interface Offset {
  readonly column: ColumnName;
  readonly isLog: boolean;
}

export interface Formula {
  readonly outcome: ColumnName;
  readonly intercept: boolean;
  readonly terms: readonly Term[];
  readonly groups: readonly GroupTerm[];
  readonly offsets: readonly Offset[];
}

/** Whether two terms have the same columns, in any order. */
export function isSameTerm(a: Term, b: Term): boolean {
  return a.length === b.length && a.every((column) => hasColumn(b, column));
}

function hasColumn(term: Term, { isFactor, name }: Pick<ColumnName, 'name' | 'isFactor'>): boolean {
  return term.some((each) => each.name === name && each.isFactor === isFactor);
}

/** The formula as text. Terms keep their order; offsets and groups follow the other terms. */
export function formulaText({ groups, intercept, offsets, outcome, terms }: Formula): string {
  const varying = groups.map((each) => {
    const bar = each.correlated ? '|' : '||';
    const effects = [each.intercept ? '1' : '0', ...each.terms.map(termText)].join(' + ');
    return `(${effects} ${bar} ${termText(each.group)})`;
  });
  const fixed = [...(intercept ? [] : ['0']), ...terms.map(termText), ...offsets.map(offsetText)];
  const first = fixed.length === 0 && varying.length === 0 ? ['1'] : fixed;
  return `${columnText(outcome)} ~ ${[...first, ...varying].join(' + ')}`;
}

function offsetText({ column, isLog }: Offset): string {
  const text = columnText(column);
  return `offset(${isLog ? `log(${text})` : text})`;
}

function termText(term: Term): string {
  return term.map(columnText).join(':');
}

/** A name as a formula contains it: in backticks, unless it consists of letters, digits, `_` and `.`. */
function columnText({ isFactor, name }: Pick<ColumnName, 'name' | 'isFactor'>): string {
  const quoted = /^[\p{L}_.][\p{L}\p{M}\p{N}_.]*$/u.test(name) ? name : `\`${name.replace(/[\\`]/g, '\\$&')}\``;
  return isFactor ? `factor(${quoted})` : quoted;
}
