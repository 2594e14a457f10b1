/**
 * Average effects on the scale of the outcome: the mean over the rows of the difference between the expected outcomes with and without a change of one
 * predictor, all else being as in the row (Gelman and Pardoe, 2007, Average predictive comparisons for models with nonlinearity, interactions, and
 * variance components). Numbers change by 1, categories from the first one to each other.
 */
import type { Predictor } from './coding.js';
import type { Design } from './design.js';
import { hasIdentityLink } from './families.js';
import { incrementText, type Summand, summandText } from './linear.js';

export interface Effect {
  readonly name: string;
  readonly predictor: Predictor;
  readonly note: string;
  /** Statements that compute it. */
  readonly statements: readonly string[];
}

/** The effects that differ from the coefficients. `eta` is the name of the linear predictor, `average` the mean outcome as a function of it. */
export function effectsOf(
  design: Design,
  summands: readonly Summand[],
  eta: string,
  average: (eta: string) => string,
): readonly Effect[] {
  const isIdentity = hasIdentityLink(design.family);
  const predictors = [...new Set(design.coefficients.flatMap(({ column }) => column.predictors))];
  const bases = new Map<string, string>();
  return predictors.flatMap((predictor): readonly Effect[] => {
    const { heading, level, name, reference } = predictor;
    if (level !== undefined && level === reference) return [];
    const changed = summands.filter((each) => each.predictors.includes(predictor));
    const increments = changed.map((each) => incrementText(each, predictor));
    const opposite = predictors.find(
      (each) => each.heading === heading && each.level === reference && level !== undefined,
    );
    const removed = opposite === undefined ? [] : summands.filter((each) => each.predictors.includes(opposite));
    const decrements = opposite === undefined ? [] : removed.map((each) => incrementText(each, opposite));
    if (isIdentity && !changed.some((each) => each.predictors.length > 1)) return [];
    const effect = design.names.free(`effect_${name}`);
    if (isIdentity) {
      const difference = [increments.join(' + '), ...decrements].join(' - ');
      return [{ name: effect, predictor, note: noteOf(predictor), statements: [`${effect} = mean(${difference});`] }];
    }
    const isSwitched = level !== undefined || predictor.values.every((value) => value === 0 || value === 1);
    if (!isSwitched) {
      const higher = [eta, ...increments].join(' + ');
      return [
        {
          name: effect,
          predictor,
          note: noteOf(predictor),
          statements: [`${effect} = ${average(higher)} - ${average(eta)};`],
        },
      ];
    }
    // The linear predictor without the terms of the column is the same for all levels.
    const key = JSON.stringify([heading, level === undefined]);
    const known = bases.get(key);
    const base = known ?? design.names.free('rest');
    bases.set(key, base);
    const own = summands.filter((each) => each.predictors.some((one) => isSameColumn(one, predictor)));
    const value = [eta, ...own.map((each) => summandText({ ...each, centered: undefined }))].join(' - ');
    return [
      {
        name: effect,
        predictor,
        note: noteOf(predictor),
        statements: [
          ...(known === undefined ? [`vector[${design.size}] ${base} = ${value};`] : []),
          `${effect} = ${average([base, ...increments].join(' + '))} - ${average([base, ...decrements].join(' + '))};`,
        ],
      },
    ];
  });
}

function isSameColumn(a: Predictor, b: Predictor): boolean {
  return a.heading === b.heading && (a.level === undefined) === (b.level === undefined);
}

function noteOf({ heading, level, reference, values }: Predictor): string {
  if (level !== undefined) return `${heading}: ${level} instead of ${reference}`;
  return values.every((value) => value === 0 || value === 1)
    ? `${heading}: 1 instead of 0`
    : `one unit more of ${heading}`;
}
