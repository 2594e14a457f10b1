/** A Stan program with its data from a model formula and a table. */
import type { IndexLevels } from '../derive/level-labels.js';
import type { Table } from '../tables/table.js';
import { designOf } from './design.js';
import type { Family } from './families.js';
import type { FormulaFault } from './faults.js';
import { formulaText } from './formula.js';
import type { MissingValues } from './imputation.js';
import type { ModelTerms } from './model-terms.js';
import { parseFormula } from './parse.js';
import { writeProgram } from './program.js';

export interface FormulaModel {
  readonly program: string;
  /** JSON with one member for each variable of the data block. */
  readonly data: string;
  /** The labels of the variables with codes. */
  readonly levels: readonly IndexLevels[];
  readonly terms: ModelTerms;
  /** Number of rows that are left out because a column of the formula lacks a value that cannot be a parameter. */
  readonly omitted: number;
}

export interface FormulaRequest {
  readonly formula: string;
  readonly table: Table;
  readonly family: Family;
  /** The categories of an ordinal outcome in order; without it, integers and texts are sorted. */
  readonly order?: readonly string[];
  /** `omit` by default. */
  readonly missing?: MissingValues;
}

/** The program and its data, or the errors in the formula and its columns. */
export function modelFromFormula({
  family,
  formula: text,
  missing,
  order,
  table,
}: FormulaRequest): FormulaModel | { readonly faults: readonly FormulaFault[] } {
  const formula = parseFormula(text);
  if ('fault' in formula) return { faults: [formula.fault] };
  const design = designOf(formula, table, { family, missing, order });
  if ('faults' in design) return design;
  const members = design.data.map(({ json, name }) => `  ${JSON.stringify(name)}: ${json}`);
  return {
    ...writeProgram(design, formulaText(formula)),
    data: `{\n${members.join(',\n')}\n}\n`,
    levels: design.levels,
    omitted: design.omitted,
  };
}
