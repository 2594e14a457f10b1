/** The terms of a model by the names of its program, so that results can show effects and fitted values. */
import type { Predictor } from './coding.js';
import type { Design } from './design.js';
import type { Effect } from './effects.js';
import type { Family } from './families.js';
import type { Summand } from './linear.js';

/** A variable of the data block that is a predictor: numbers, or the indicator of a level. */
export interface PredictorTerm {
  readonly name: string;
  /** The column of the table. */
  readonly heading: string;
  readonly level?: string;
  readonly reference?: string;
}

/** A summand of the linear predictor: a coefficient, or an effect of the row's group, times the product of predictors. */
export interface SummandTerm {
  /** A scalar; with a group, an array or vector. */
  readonly coefficient: string;
  /** The data variable with the group of each row. */
  readonly group?: string;
  /** The index, from 1, of the effect among those of a group; undefined if there is only one. */
  readonly position?: number;
  /** Names of data variables. */
  readonly predictors: readonly string[];
  /** The constant that the program subtracts from the product. */
  readonly center: number;
}

/** A summand without a coefficient. */
interface OffsetTerm {
  /** The data variable. */
  readonly variable: string;
  readonly isLog: boolean;
}

export interface ModelTerms {
  readonly family: Family;
  /** The data variable. */
  readonly outcome: string;
  /** If the outcome is missing in some rows: the data variable with the rows of its elements, and with the other rows. */
  readonly outcomeRows?: { readonly known: string; readonly missing: string };
  /** The column of the outcome. */
  readonly heading: string;
  /** The texts for 0 and 1, or for the codes of ordered categories. */
  readonly labels?: readonly string[];
  /** Parameters; undefined without an intercept. */
  readonly intercept?: string;
  readonly cutpoints?: string;
  readonly predictors: readonly PredictorTerm[];
  readonly summands: readonly SummandTerm[];
  readonly offsets: readonly OffsetTerm[];
  /** Data variables with the rows in which a predictor is missing. */
  readonly missing?: readonly string[];
  /** Quantities with the effects of predictors on the expected outcome. */
  readonly effects: readonly { readonly quantity: string; readonly predictor: string }[];
  /** The statements of the program that compute the linear predictor and the likelihood. */
  readonly statements: readonly string[];
}

/** What only the program's writer knows. */
interface Written {
  readonly intercept: string | undefined;
  readonly cutpoints: string | undefined;
  readonly summands: readonly Summand[];
  readonly effects: readonly Effect[];
  readonly statements: readonly string[];
}

export function termsOf(design: Design, { cutpoints, effects, intercept, statements, summands }: Written): ModelTerms {
  const { coefficients, family, offsets, outcome } = design;
  const predictors = [...new Set(summands.flatMap((summand) => summand.predictors))];
  const missing = predictors.flatMap(({ imputation }) => imputation?.rows ?? []);
  const coefficientOf = (predictor: Predictor) =>
    coefficients.find(
      ({ column }) => !column.isMean && column.predictors.length === 1 && column.predictors[0] === predictor,
    );
  return {
    family,
    outcome: outcome.name,
    ...(outcome.missing && { outcomeRows: { known: outcome.missing.knownRows, missing: outcome.missing.rows } }),
    heading: outcome.heading,
    ...(outcome.labels && { labels: outcome.labels }),
    ...(intercept !== undefined && { intercept }),
    ...(cutpoints !== undefined && { cutpoints }),
    predictors: predictors.map(({ heading, level, name, reference }) => ({
      name,
      heading,
      ...(level !== undefined && { level, reference }),
    })),
    summands: summands.map(({ centered, coefficient, group, position, predictors }) => ({
      coefficient,
      ...(group !== undefined && { group }),
      ...(position !== undefined && { position }),
      predictors: predictors.map(({ name }) => name),
      center: centered?.mean ?? 0,
    })),
    ...(missing.length > 0 && { missing }),
    offsets: offsets.map(({ isLog, predictor: { name } }) => ({ variable: name, isLog })),
    effects: predictors.flatMap((predictor) => {
      const quantity = effects.find((effect) => effect.predictor === predictor)?.name ?? coefficientOf(predictor)?.name;
      return quantity === undefined ? [] : [{ quantity, predictor: predictor.name }];
    }),
    statements,
  };
}

/** Whether a program contains the statements on which the terms rely, apart from spaces: it may have been changed. */
export function areTermsOf({ statements }: ModelTerms, program: string): boolean {
  const text = withoutSpaces(program);
  return statements.every((statement) => text.includes(withoutSpaces(statement)));
}

function withoutSpaces(text: string): string {
  return text.replace(/\s+/g, '');
}
