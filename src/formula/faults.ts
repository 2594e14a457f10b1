/** Errors in formulas, and in the columns that they use. */
import { fill, type Statement } from '../base/statement.js';
import type { FormulaSpan } from './formula.js';

export const FORMULA_SENTENCES = {
  formulaExpected:
    '{found, select, end {The formula ends too early} other {"{found}" is not valid here}}: expected {expected, select, tilde {"~" after the outcome, as in y ~ x} column {the name of a column} bar {"|" and a column with groups, as in (1 | g)} close {")"} backtick {a closing backtick} other {"+" or the end of the formula}}.',
  formulaCall:
    '{name}() is not supported: a formula contains names of columns, factor(x) for numbers that are categories, and offset(x) or offset(log(x)). Add a column with the transformed values to the table.',
  formulaOperator:
    '"{operator}" is not supported. Use "+" for further terms, "x:z" for an interaction, and "x*z" for an interaction with its main effects.',
  formulaNumber: '{number} is not a term: 0 removes the intercept, and 1 keeps it.',
  formulaGroupsInside: 'Groups cannot be part of an interaction or of other groups: add them with "+".',
  formulaOffsetInside: 'An offset cannot be part of an interaction or of groups: add it with "+".',
  unknownColumn: 'The table has no column "{name}".{suggestion, select, none {} other { Did you mean "{suggestion}"?}}',
  outcomeAsPredictor: 'The outcome "{name}" cannot also be a predictor or a group.',
  outcomeIsText:
    'The outcome "{name}" is text, but this family needs numbers.{levels, plural, =2 { With two values, use the family bernoulli.} other { For ordered categories, use the family cumulative.}}',
  outcomeNotBinary:
    'The outcome "{name}" has {levels} different values, but the family bernoulli needs two, such as 0 and 1.',
  outcomeNotCount: 'The outcome "{name}" contains {value}, but counts are integers from 0.',
  outcomeNotOrdinal:
    'The outcome "{name}" has {levels} different values, but ordered categories are 3 to {most} integers or texts.',
  outcomeIsDate: 'The outcome "{name}" is a date. Use a column of numbers.',
  orderDiffers: 'The order of the categories lacks "{level}", which is a value of "{name}".',
  constantOutcome: 'The outcome "{name}" has the same value in all rows.',
  constantColumn: 'The column "{name}" has the same value in all rows, so its effect cannot be estimated.',
  emptyColumn:
    'The interaction {name} is the same in all rows, for example because a combination of categories has no row. Remove the interaction.',
  offsetNotNumbers: 'The offset "{name}" must be a column of numbers.',
  offsetNotPositive: 'The offset "{name}" contains {value}, but logarithms need positive numbers.',
  offsetIsPredictor: 'The column "{name}" is an offset and also a predictor or a group. Use it once.',
  oneGroup: 'The column "{name}" has only one group. Effects that vary need at least two.',
  groupPerRow:
    'The column "{name}" has a different group in each row, which cannot be distinguished from the residual of this family.',
  notGroups:
    'The column "{name}" has fractional numbers, which are not groups. Use it as a predictor, or choose a column of text or integers.',
  tooManyLevels: 'The predictor "{name}" has {levels} categories, more than {most}. Use it as groups: (1 | {name}).',
  tooFewRows:
    '{rows, plural, =0 {No row has} one {Only one row has} other {Only {rows} rows have}} values in all columns of the formula.',
} as const;

export type FormulaFault = Statement<keyof typeof FORMULA_SENTENCES> & { readonly span: FormulaSpan };

export function faultAt(
  span: FormulaSpan,
  key: FormulaFault['key'],
  values: FormulaFault['values'] = {},
): FormulaFault {
  return { key, values, span };
}

/** The faults in English, each with the part of the formula underlined. `shown` returns a text as it is printed. */
export function faultsReport(
  formula: string,
  faults: readonly FormulaFault[],
  shown: (text: string) => string = (text) => text,
): string {
  return faults.map((fault) => marked(formula, fault, shown)).join('\n\n');
}

function marked(formula: string, fault: FormulaFault, shown: (text: string) => string): string {
  const { end, start } = fault.span;
  const indent = ' '.repeat(shown(formula.slice(0, start)).length);
  const line = '^'.repeat(Math.max(1, shown(formula.slice(start, end)).length));
  return `${shown(formulaFaultText(fault))}\n  ${shown(formula)}\n  ${indent}${line}`;
}

/** A fault in English. */
export function formulaFaultText({ key, values }: FormulaFault): string {
  return fill(FORMULA_SENTENCES[key], values);
}
