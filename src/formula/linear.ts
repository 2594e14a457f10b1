/** The linear predictor as an expression of Stan. */
import type { DesignColumn, Predictor } from './coding.js';
import type { Design } from './design.js';

/** A summand: a coefficient times the product of predictors. */
export interface Summand {
  readonly coefficient: string;
  /** Whether there is a coefficient for each row: an effect of its group. */
  readonly isVector: boolean;
  readonly predictors: readonly Predictor[];
  /** The product of the predictors, centered, if it is a variable; undefined if it is an expression of the predictors. */
  readonly centered?: string;
}

/** The summands of the linear predictor without the intercept. `centered` are the names of centered columns. */
export function summandsOf(
  { coefficients, groups }: Design,
  centered: ReadonlyMap<DesignColumn, string>,
): readonly Summand[] {
  return [
    ...coefficients.map(
      ({ column, name }): Summand => ({
        coefficient: name,
        isVector: false,
        predictors: column.predictors,
        centered: centered.get(column),
      }),
    ),
    ...groups.flatMap(({ columns, effects, group }) =>
      columns.map(
        ({ predictors }, place): Summand => ({
          coefficient:
            columns.length === 1 ? `${effects}[${group.index}]` : `to_vector(${effects}[${group.index}, ${place + 1}])`,
          isVector: true,
          predictors,
        }),
      ),
    ),
  ];
}

/** A summand as text. */
export function summandText({ centered, coefficient, isVector, predictors }: Summand): string {
  return timesText(coefficient, isVector, centered === undefined ? predictors.map(({ name }) => name) : [centered]);
}

/** The change of a summand if a predictor increases by 1. */
export function incrementText({ coefficient, isVector, predictors }: Summand, predictor: Predictor): string {
  return timesText(
    coefficient,
    isVector,
    predictors.flatMap((each) => (each === predictor ? [] : [each.name])),
  );
}

function timesText(coefficient: string, isVector: boolean, factors: readonly string[]): string {
  if (factors.length === 0) return coefficient;
  if (isVector) return [coefficient, ...factors].join(' .* ');
  return `${coefficient} * ${factors.length === 1 ? factors[0] : `(${productText(factors)})`}`;
}

export function productText(factors: readonly string[]): string {
  return factors.join(' .* ');
}
