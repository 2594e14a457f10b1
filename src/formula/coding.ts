/**
 * Columns of the design matrix. Categories are coded as in R: each level except the first has an indicator, but all levels have one where the term
 * without the factor is not in the model (Chambers and Hastie, 1992, Statistical Models in S, section 2.4.1; R's `model.matrix`).
 */
import type { TableColumn } from '../tables/columns.js';
import { indicatorJson, valuesJson } from '../tables/members.js';
import { variableNames } from '../tables/names.js';
import { asCategories } from '../tables/table.js';
import type { DataVariable } from './data-variable.js';
import type { ColumnName, FormulaSpan, Term } from './formula.js';
import { type Imputation, imputationOf, observed } from './imputation.js';
import type { Names } from './names.js';

/** A predictor as the program contains it: a vector of numbers, or of indicators of a level. */
export interface Predictor {
  readonly name: string;
  /** The column of the table. */
  readonly heading: string;
  /** NaN where a value is missing. */
  readonly values: Float64Array;
  /** If values are missing: what replaces them. */
  readonly imputation?: Imputation;
  /** For indicators: the level, and the level with which it is compared. */
  readonly level?: string;
  readonly reference?: string;
  /** The variables of the data block. */
  readonly data: readonly DataVariable[];
}

/** A column of the design matrix: the product of predictors, without predictors the intercept. */
export interface DesignColumn {
  /** The names of the predictors, joined by `_`. */
  readonly name: string;
  readonly predictors: readonly Predictor[];
  /** In the rows in which no predictor is missing. */
  readonly values: Float64Array;
  /** Whether its coefficient is a mean of a category, not a difference. */
  readonly isMean: boolean;
  readonly span: FormulaSpan;
}

/** A column of the table with the name of its variable. */
export interface NamedColumn {
  readonly column: TableColumn;
  readonly name: string;
}

export class Coding {
  readonly #columnOf: (name: string) => NamedColumn;
  readonly #names: Names;
  readonly #size: string;
  readonly #predictors = new Map<string, readonly Predictor[]>();

  /** `size` is the name of the number of rows. */
  constructor(columnOf: (name: string) => NamedColumn, names: Names, size: string) {
    this.#columnOf = columnOf;
    this.#names = names;
    this.#size = size;
  }

  /** The columns of terms in the order of their degree, without the intercept. */
  columns(terms: readonly Term[], intercept: boolean): readonly DesignColumn[] {
    const present = new Set(terms.map(keyOf));
    if (intercept) present.add('');
    return terms
      .toSorted((a, b) => a.length - b.length)
      .flatMap((term) => {
        const choices = term.map((factor) => {
          const predictors = this.#predictorsOf(factor);
          const isFull = !present.has(keyOf(term.filter((each) => each !== factor)));
          return isFull
            ? predictors
            : predictors.filter(({ level, reference }) => level === undefined || level !== reference);
        });
        const isMean = term.every(
          (factor, place) => choices[place] === this.#predictorsOf(factor) && this.#isCategorical(factor),
        );
        // The indicators of all levels add up to an intercept.
        if (isMean && term.length === 1) present.add('');
        const span = { start: term[0]?.span.start ?? 0, end: term.at(-1)?.span.end ?? 0 };
        return productsOf(choices).map((predictors) => designColumn(predictors, isMean, span));
      });
  }

  /** The predictor of a column of numbers. */
  numbers(column: ColumnName): Predictor {
    const [predictor] = this.#predictorsOf({ ...column, isFactor: false });
    return predictor;
  }

  #isCategorical({ isFactor, name }: ColumnName): boolean {
    return isFactor || this.#columnOf(name).column.kind === 'text';
  }

  /** The predictor of a column of numbers, or an indicator for each level. */
  #predictorsOf(factor: ColumnName): readonly Predictor[] {
    const found = this.#columnOf(factor.name);
    const isCategorical = this.#isCategorical(factor);
    const key = `${isCategorical} ${found.column.name}`;
    const made = this.#predictors.get(key) ?? (isCategorical ? this.#indicators(found) : [this.#numbers(found)]);
    this.#predictors.set(key, made);
    return made;
  }

  #numbers({ column, name }: NamedColumn): Predictor {
    const unit = column.kind === 'date' ? `days since ${column.origin}` : (column.sign ?? '');
    const note = [column.name === name ? '' : column.name, unit].filter((part) => part !== '').join(', ');
    const imputation = imputationOf(column, name, this.#names, this.#size, note);
    const data = imputation?.data ?? [{ name, type: `vector[${this.#size}]`, json: valuesJson(column), note }];
    return { name, heading: column.name, values: column.values, data, ...(imputation && { imputation }) };
  }

  #indicators({ column, name }: NamedColumn): readonly Predictor[] {
    const categories = asCategories(column);
    const [reference = ''] = categories.levels;
    const preferred = variableNames(categories.levels.map((level) => `${name}_${level}`));
    return categories.levels.map((level, index): Predictor => {
      const free = this.#names.free(preferred.get(`${name}_${level}`) ?? name);
      const note = `1 if ${column.name} is ${level}${level === reference ? '' : `, compared with ${reference}`}`;
      return {
        name: free,
        heading: column.name,
        values: categories.values.map((code) => (code === index + 1 ? 1 : 0)),
        level,
        reference,
        data: [
          {
            name: free,
            type: `vector<lower=0, upper=1>[${this.#size}]`,
            json: indicatorJson(categories, index + 1),
            note,
          },
        ],
      };
    });
  }
}

/** The column of ones. */
export function interceptColumn(rows: number): DesignColumn {
  return {
    name: '',
    predictors: [],
    values: new Float64Array(rows).fill(1),
    isMean: true,
    span: { start: 0, end: 0 },
  };
}

function designColumn(predictors: readonly Predictor[], isMean: boolean, span: FormulaSpan): DesignColumn {
  const [first, ...others] = predictors;
  const values = first.values.map((value, row) => others.reduce((product, { values }) => product * values[row], value));
  const name = predictors.map((each) => each.name).join('_');
  return { name, predictors, values: observed(values), isMean, span };
}

function productsOf(choices: readonly (readonly Predictor[])[]): readonly (readonly Predictor[])[] {
  return choices.reduce<readonly (readonly Predictor[])[]>(
    (products, predictors) => predictors.flatMap((predictor) => products.map((product) => [...product, predictor])),
    [[]],
  );
}

/** The same for terms with the same columns. */
function keyOf(term: Term): string {
  return term
    .map(({ isFactor, name }) => JSON.stringify([isFactor, name]))
    .sort()
    .join();
}
