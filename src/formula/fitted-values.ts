/**
 * The expected outcome as a function of a predictor, averaged over the rows of the data: all rows get the same value of the predictor, and all else is as
 * in the row. Rows in which a predictor is missing do not count. With a link function, this differs from the outcome expected at the means of the predictors. The average effects of the program are
 * differences of these values.
 */
import { hasIdentityLink } from './families.js';
import type { ModelTerms, SummandTerm } from './model-terms.js';
import { mean as meanOf } from './statistics.js';

/** The numbers of a data variable; undefined if there is no array of numbers of this name. */
export type DataValues = (variable: string) => ArrayLike<number> | undefined;

/** Draws of a quantity such as `alpha` or `r_school[2]`; undefined for an unknown one. All quantities have the same number of draws. */
export type QuantityDraws = (quantity: string) => Float64Array | undefined;

/** What is the same in all rows: a level of a column, and a group from 1. */
export interface Setting {
  readonly level?: { readonly heading: string; readonly level: string };
  readonly group?: { readonly variable: string; readonly code: number };
}

/** Maximum number of rows over which values are averaged; rows between them are left out. */
const MOST_ROWS = 1000;
/** Maximum number of evaluations of a link function, over all draws, rows and values of the predictor. */
const MOST_EVALUATIONS = 2e6;

interface Part {
  readonly predictors: readonly string[];
  readonly products: (rows: readonly number[], without: string | undefined, setting: Setting) => Float64Array;
  /** The constant that is subtracted from the product. */
  readonly center: number;
  readonly group?: { readonly variable: string; readonly codes: ArrayLike<number> };
  /** An array of draws for each group, or a single one. */
  readonly draws: readonly Float64Array[];
}

export class FittedModel {
  readonly #terms: ModelTerms;
  readonly #parts: readonly Part[];
  /** The rows without missing values. */
  readonly #rows: readonly number[];
  readonly #draws: number;
  readonly #intercept: Float64Array;
  readonly #cutpoints: readonly Float64Array[];
  /** The sum of the offsets in each row. */
  readonly #shifts: Float64Array;

  private constructor(
    terms: ModelTerms,
    parts: readonly Part[],
    rows: readonly number[],
    shifts: Float64Array,
    intercept: Float64Array,
    cutpoints: readonly Float64Array[],
  ) {
    this.#terms = terms;
    this.#parts = parts;
    this.#shifts = shifts;
    this.#rows = rows;
    this.#draws = intercept.length;
    this.#intercept = intercept;
    this.#cutpoints = cutpoints;
  }

  /** Undefined if the data or the draws lack a variable of the terms. */
  static of(terms: ModelTerms, data: DataValues, draws: QuantityDraws): FittedModel | undefined {
    const outcome = outcomeIn(terms, data);
    if (outcome === undefined) return undefined;
    const parts = terms.summands.map((summand) => partOf(summand, terms, outcome.length, data, draws));
    const whole = parts.filter((part) => part !== undefined);
    const cutpoints = terms.cutpoints === undefined ? [] : elementsOf(terms.cutpoints, draws);
    const count = cutpoints[0]?.length ?? whole[0]?.draws[0]?.length ?? 0;
    const intercept = terms.intercept === undefined ? new Float64Array(count) : draws(terms.intercept);
    const shifts = shiftsIn(terms, outcome.length, data);
    const isWhole = whole.length === parts.length && (terms.cutpoints === undefined || cutpoints.length > 0);
    if (!isWhole || shifts === undefined || intercept === undefined || intercept.length === 0) return undefined;
    return new FittedModel(terms, whole, observedRows(terms, outcome.length, data), shifts, intercept, cutpoints);
  }

  /**
   * Draws of the expected outcome at values of a numeric predictor, an array of draws for each value; for ordered categories, the probabilities of
   * each category. Without a predictor, there is one value, with the setting alone.
   */
  expected(
    predictor: string | undefined,
    at: ArrayLike<number>,
    setting: Setting = {},
  ): readonly (readonly Float64Array[])[] {
    const { family } = this.#terms;
    const values = predictor === undefined ? [0] : Array.from(at);
    const categories = family === 'cumulative' ? this.#cutpoints.length + 1 : 1;
    const isIdentity = hasIdentityLink(family);
    const rows = this.#chosenRows(isIdentity ? 1 : values.length * categories);
    const result = Array.from({ length: categories }, () => values.map(() => new Float64Array(this.#draws)));
    const constant = new Float64Array(rows.length);
    const slope = new Float64Array(rows.length);
    const shifts = rows.map((row) => this.#shifts[row]);
    const products = this.#parts.map((part) => part.products(rows, predictor, setting));
    const codes = this.#parts.map(({ group }) => this.#codes(group, rows, setting));
    for (let draw = 0; draw < this.#draws; draw++) {
      const intercept = this.#intercept[draw] - this.#centers(draw);
      for (const [place, shift] of shifts.entries()) constant[place] = intercept + shift;
      slope.fill(0);
      for (const [place, part] of this.#parts.entries()) {
        const into = predictor !== undefined && part.predictors.includes(predictor) ? slope : constant;
        addTo(into, part, products[place], codes[place], draw);
      }
      // The mean of a linear function is a linear function.
      const [a, b] = isIdentity ? [constant, slope].map((each) => Float64Array.of(meanOf(each))) : [constant, slope];
      for (const [place, value] of values.entries()) {
        const means = this.#means(a, b, value, draw);
        for (const [category, mean] of means.entries()) result[category][place][draw] = mean;
      }
    }
    return result;
  }

  /** The constants of the centered columns times their coefficients. */
  #centers(draw: number): number {
    return this.#parts.reduce((sum, { center, draws }) => sum + (center === 0 ? 0 : center * draws[0][draw]), 0);
  }

  /**
   * The group of each row. If the setting has a group of another column, and one of the two is nested in the other, the groups are those of the rows of
   * the setting's group.
   */
  #codes(group: Part['group'], rows: readonly number[], { group: fixed }: Setting): readonly number[] | undefined {
    if (group === undefined) return undefined;
    if (fixed?.variable === group.variable) return rows.map(() => fixed.code);
    const other = this.#parts.find((part) => part.group?.variable === fixed?.variable)?.group;
    if (fixed === undefined || other === undefined) return rows.map((row) => group.codes[row]);
    const isNested = determines(other.codes, group.codes) || determines(group.codes, other.codes);
    const own = Array.from(group.codes).filter((_, row) => other.codes[row] === fixed.code);
    return rows.map((row, place) => (isNested && own.length > 0 ? own[place % own.length] : group.codes[row]));
  }

  #chosenRows(evaluations: number): readonly number[] {
    const most = Math.max(20, Math.min(MOST_ROWS, Math.floor(MOST_EVALUATIONS / (evaluations * this.#draws))));
    const { length } = this.#rows;
    const count = Math.min(length, most);
    return Array.from({ length: count }, (_, place) => this.#rows[Math.floor((place * length) / count)]);
  }

  /** The mean over the rows of the expected outcome, or of the probability of each category. */
  #means(constant: Float64Array, slope: Float64Array, value: number, draw: number): readonly number[] {
    const rows = constant.length;
    const mean = (inverse: (eta: number) => number) => {
      let sum = 0;
      for (let row = 0; row < rows; row++) sum += inverse(constant[row] + slope[row] * value);
      return sum / rows;
    };
    switch (this.#terms.family) {
      case 'bernoulli':
        return [mean(logistic)];
      case 'poisson':
      case 'negbinomial':
        return [mean(Math.exp)];
      case 'cumulative': {
        const below = this.#cutpoints.map((cutpoint) => mean((eta) => logistic(cutpoint[draw] - eta)));
        return [...below, 1].map((upper, category) => upper - (below[category - 1] ?? 0));
      }
      default:
        return [mean((eta) => eta)];
    }
  }
}

function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** Adds the coefficients times the products of predictors of each row. */
function addTo(
  into: Float64Array,
  { draws }: Part,
  products: Float64Array,
  codes: readonly number[] | undefined,
  draw: number,
): void {
  for (let place = 0; place < into.length; place++) {
    const code = codes?.[place] ?? 1;
    into[place] += draws[code - 1][draw] * products[place];
  }
}

/** Whether rows with the same code in `codes` have the same code in `others`. */
function determines(codes: ArrayLike<number>, others: ArrayLike<number>): boolean {
  const known = new Map<number, number>();
  return Array.prototype.every.call(codes, (code, row) => {
    const first = known.get(code) ?? others[row];
    known.set(code, first);
    return first === others[row];
  });
}

/** The outcome in each row, NaN where it is missing; undefined if the data lack a variable. */
export function outcomeIn({ outcome, outcomeRows }: ModelTerms, data: DataValues): ArrayLike<number> | undefined {
  const values = data(outcome);
  if (outcomeRows === undefined || values === undefined) return values;
  const [known, missing] = [data(outcomeRows.known), data(outcomeRows.missing)];
  if (known?.length !== values.length || missing === undefined) return undefined;
  const all = new Float64Array(known.length + missing.length).fill(Number.NaN);
  for (let place = 0; place < known.length; place++) all[known[place] - 1] = values[place];
  return all;
}

/** The rows, from 0, in which no predictor is missing. */
export function observedRows({ missing = [] }: ModelTerms, rows: number, data: DataValues): readonly number[] {
  const incomplete = new Set(missing.flatMap((name) => Array.from(data(name) ?? [], (row) => row - 1)));
  return Array.from({ length: rows }, (_, row) => row).filter((row) => !incomplete.has(row));
}

/** The sum of the offsets in each row; undefined if the data lack a variable. */
function shiftsIn({ offsets }: ModelTerms, rows: number, data: DataValues): Float64Array | undefined {
  const shifts = new Float64Array(rows);
  for (const { isLog, variable } of offsets) {
    const values = data(variable);
    if (values?.length !== rows) return undefined;
    for (let row = 0; row < rows; row++) shifts[row] += isLog ? Math.log(values[row]) : values[row];
  }
  return shifts;
}

function partOf(
  { center, coefficient, group, position, predictors }: SummandTerm,
  terms: ModelTerms,
  rows: number,
  data: DataValues,
  draws: QuantityDraws,
): Part | undefined {
  const columns = predictors.map((name) => data(name));
  const codes = group === undefined ? undefined : data(group);
  const effects =
    group === undefined
      ? [draws(coefficient)].filter((each) => each !== undefined)
      : elementsOf(coefficient, draws, position);
  const known = columns.filter((column) => column?.length === rows);
  if (known.length < predictors.length || effects.length === 0) return undefined;
  if (group !== undefined && (codes?.length !== rows || !areCodes(codes, effects.length))) return undefined;
  const products = (chosen: readonly number[], without: string | undefined, { level }: Setting) => {
    const factors = predictors.flatMap((name, place) => {
      const term = terms.predictors.find((each) => each.name === name);
      if (name === without) return [];
      if (level !== undefined && term?.heading === level.heading && term.level !== undefined)
        return [() => (term.level === level.level ? 1 : 0)];
      return [(row: number) => known[place]?.[row] ?? Number.NaN];
    });
    return Float64Array.from(chosen, (row) => factors.reduce((product, factor) => product * factor(row), 1));
  };
  return {
    predictors,
    products,
    center,
    draws: effects,
    ...(group !== undefined && codes !== undefined && { group: { variable: group, codes } }),
  };
}

function areCodes(codes: ArrayLike<number>, most: number): boolean {
  return Array.prototype.every.call(codes, (code) => Number.isInteger(code) && code >= 1 && code <= most);
}

/** The draws of all elements of a vector, or of one position of each element of an array. */
function elementsOf(name: string, draws: QuantityDraws, position?: number): readonly Float64Array[] {
  const found: Float64Array[] = [];
  for (;;) {
    const index = found.length + 1;
    const element = draws(`${name}[${position === undefined ? index : `${index},${position}`}]`);
    if (element === undefined) return found;
    found.push(element);
  }
}

/** The variables whose draws are needed. */
export function variablesOf({ cutpoints, effects, intercept, summands }: ModelTerms): ReadonlySet<string> {
  const names = [
    intercept,
    cutpoints,
    ...summands.map(({ coefficient }) => coefficient),
    ...effects.map(({ quantity }) => quantity),
  ];
  return new Set(names.filter((name) => name !== undefined));
}
