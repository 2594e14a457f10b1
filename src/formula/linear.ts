/** The linear predictor as an expression of Stan. */
import type { DesignColumn, Predictor } from './coding.js';
import type { Design } from './design.js';

/** A centered column: a variable of the program that is a column of the design matrix minus a constant. */
export interface CenteredColumn {
  readonly name: string;
  /** The variable with the constant. */
  readonly meanName: string;
  readonly mean: number;
}

/** A summand: a coefficient times the product of predictors. */
export interface Summand {
  readonly coefficient: string;
  /** The data variable with the group of each row, if the coefficient is an effect of it. */
  readonly group?: string;
  /** The index, from 1, of the effect among those of a group; undefined if there is only one. */
  readonly position?: number;
  readonly predictors: readonly Predictor[];
  /** The product of the predictors, centered; undefined if the summand contains the predictors as they are. */
  readonly centered?: CenteredColumn;
}

/** The summands of the linear predictor without the intercept. */
export function summandsOf(
  { coefficients, groups }: Design,
  centered: ReadonlyMap<DesignColumn, CenteredColumn>,
): readonly Summand[] {
  return [
    ...coefficients.map(
      ({ column, name }): Summand => ({
        coefficient: name,
        predictors: column.predictors,
        centered: centered.get(column),
      }),
    ),
    ...groups.flatMap(({ columns, effects, group }) =>
      columns.map(
        ({ predictors }, place): Summand => ({
          coefficient: effects,
          group: group.index,
          ...(columns.length > 1 && { position: place + 1 }),
          predictors,
        }),
      ),
    ),
  ];
}

/** A summand as text. */
export function summandText(summand: Summand): string {
  const { centered, predictors } = summand;
  return timesText(summand, centered === undefined ? predictors.map(variableOf) : [centered.name]);
}

/** The change of a summand if a predictor increases by 1. */
export function incrementText(summand: Summand, predictor: Predictor): string {
  return timesText(
    summand,
    summand.predictors.flatMap((each) => (each === predictor ? [] : [variableOf(each)])),
  );
}

/** The variable with all values of a predictor. */
export function variableOf({ imputation, name }: Predictor): string {
  return imputation?.completed ?? name;
}

function timesText({ coefficient, group, position }: Summand, factors: readonly string[]): string {
  if (group !== undefined) {
    const effects =
      position === undefined ? `${coefficient}[${group}]` : `to_vector(${coefficient}[${group}, ${position}])`;
    return [effects, ...factors].join(' .* ');
  }
  if (factors.length === 0) return coefficient;
  return `${coefficient} * ${factors.length === 1 ? factors[0] : `(${productText(factors)})`}`;
}

export function productText(factors: readonly string[]): string {
  return factors.join(' .* ');
}
