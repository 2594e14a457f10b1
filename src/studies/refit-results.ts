/** Results of cross-validation with refits, from the draws of its fit, which contain one row per left-out observation. */

import { named, type Statement, write } from '../base/statement.js';
import { concludeLeavingOut, type LeaveOneOut, type Observation } from '../fits/cross-validation.js';
import type { NamedDraws } from '../fits/statistics.js';
import { displayName, variableOf } from '../formats/columns.js';
import { rounded } from '../inference/diagnostics/words.js';
import { type Estimate, sumOf } from '../inference/validation/leave-one-out.js';
import { REFIT_SENTENCES } from './refit-sentences.js';

/** Columns before those with the indexes of the observation. */
export const REFIT_COLUMNS = ['fold__', 'elpd__', 'mcse__', 'rhat__', 'divergences__'] as const;

const INDEX_OF = 'index__';

/** The column, or columns, with the indexes of an observation of an outcome. */
export function indexColumn(outcome: string): string {
  return INDEX_OF + outcome;
}

/** Maximum R-hat of a refit whose chains agree. The R-hat of a refit is the greatest of many quantities. */
export const MOST_RHAT = 1.05;

/** An observation that a refit left out. */
export interface RefittedObservation {
  readonly name: string;
  /** The one-based number of its refit. */
  readonly fold: number;
  /** Expected log pointwise predictive density. */
  readonly elpd: number;
  /** Monte Carlo standard error of `elpd`. */
  readonly mcse: number;
}

/** A fit of the program without some observations. */
export interface Refit {
  readonly fold: number;
  /** Number of left-out observations. */
  readonly observations: number;
  /** The greatest R-hat of the log density and the parameters. */
  readonly rhat: number;
  /** Number of divergent transitions after warmup. */
  readonly divergences: number;
}

/** Estimates of cross-validation with refits, as in `kfold` of the R package loo. */
export interface Refits {
  readonly elpd: Estimate;
  /** Monte Carlo standard error of `elpd`. */
  readonly mcse: number;
  /** -2 `elpd`, on the scale of deviances. */
  readonly kfoldic: Estimate;
  /** Observations in the order of the program and the data, which does not depend on the refits. */
  readonly observations: readonly RefittedObservation[];
  readonly refits: readonly Refit[];
  /** Whether the chains of all refits agree. */
  readonly ok: boolean;
  readonly message: string;
  /** The sentences of the message. */
  readonly statements: readonly Statement[];
}

/** The result of refits, from all columns of their draws. Chains may have different numbers of draws. */
export function refitsOf(columns: readonly NamedDraws[]): Refits {
  const values = new Map(columns.map(({ chains, name }) => [name, chains.flatMap((chain) => [...chain])] as const));
  const [folds, elpds, mcses, rhats, divergences] = REFIT_COLUMNS.map((name) => values.get(name) ?? []);
  const indexes = [...values].filter(([name]) => name.startsWith(INDEX_OF));
  const refits = new Map<number, Refit>();
  for (const row of [...folds.keys()].sort((a, b) => folds[a] - folds[b])) {
    const [fold, before] = [folds[row], refits.get(folds[row])?.observations ?? 0];
    refits.set(fold, { fold, observations: before + 1, rhat: rhats[row], divergences: divergences[row] });
  }
  const rows = [...folds.keys()].sort((a, b) => compareIndexes(indexes, a, b));
  const observations = rows.map(
    (row): RefittedObservation => ({
      name: nameIn(indexes, row),
      fold: folds[row],
      elpd: elpds[row],
      mcse: mcses[row],
    }),
  );
  const elpd = sumOf(elpds);
  const all = [...refits.values()];
  const statements = reliability(all);
  return {
    elpd,
    mcse: Math.sqrt(mcses.reduce((sum, mcse) => sum + mcse ** 2, 0)),
    kfoldic: { estimate: -2 * elpd.estimate, standardError: 2 * elpd.standardError },
    observations,
    refits: all,
    ok: all.every(isReliable),
    message: write(REFIT_SENTENCES, statements),
    statements,
  };
}

/** Columns with indexes of observations, by name of the outcome. In each row, the indexes of other outcomes are 0. */
type IndexColumns = readonly (readonly [string, readonly number[]])[];

/** Orders rows by outcome, in the order of the program, and index. */
function compareIndexes(indexes: IndexColumns, a: number, b: number): number {
  const [, values = []] = indexes.find(([, each]) => each[a] !== each[b]) ?? [];
  return (values[a] || Infinity) - (values[b] || Infinity);
}

/** The name of the observation with the indexes in a row. */
function nameIn(indexes: IndexColumns, row: number): string {
  const own = indexes.filter(([, values]) => values[row] > 0);
  const outcome = variableOf(own[0]?.[0] ?? INDEX_OF).slice(INDEX_OF.length);
  const isScalar = own.length === 1 && own[0][0] === indexColumn(outcome);
  return isScalar ? outcome : displayName([outcome, ...own.map(([, values]) => values[row])].join('.'));
}

function isReliable({ rhat }: Refit): boolean {
  return !(rhat > MOST_RHAT);
}

type RefitStatement = Statement<keyof typeof REFIT_SENTENCES>;

function reliability(refits: readonly Refit[]): readonly RefitStatement[] {
  const all = refits.length;
  const wrong = refits.filter((refit) => !isReliable(refit));
  const divergent = refits.filter(({ divergences }) => divergences > 0);
  const limit = rounded(MOST_RHAT);
  const names = named(wrong.map(({ fold, rhat }) => `${fold} (${rounded(rhat)})`));
  return [
    wrong.length === 0
      ? { key: 'refitsGood', values: { all, limit } }
      : { key: 'refitsHigh', values: { all, limit, ...names } },
    ...(divergent.length > 0 ? [{ key: 'refitsDivergent', values: { all, count: divergent.length } } as const] : []),
  ];
}

/** Names of the observations whose estimates by importance sampling are unreliable. */
export function unreliableNames({ observations, unreliable }: LeaveOneOut): readonly string[] {
  return unreliable.map((place) => observations[place].name);
}

/** Leave-one-out cross-validation of `draws` draws, where refits replace the estimates of the observations that they left out. */
export function withRefits(loo: LeaveOneOut, refits: Refits, draws: number): LeaveOneOut {
  const exact = new Map(refits.observations.map((each) => [each.name, each]));
  const observations = loo.observations.map((observation): Observation => {
    const found = exact.get(displayName(observation.name));
    if (found === undefined) return observation;
    const { elpd, mcse } = found;
    const effectiveParameters = observation.elpd + observation.effectiveParameters - elpd;
    // Nothing is weighted by importance ratios.
    return { name: observation.name, elpd, mcse, effectiveParameters, paretoK: 0 };
  });
  const concluded = concludeLeavingOut(observations, draws);
  const replaced = { key: 'looRefitted', values: { all: observations.length, ...named([...exact.keys()]) } } as const;
  const statements: readonly Statement[] = [...concluded.statements, replaced, ...refits.statements];
  return {
    ...concluded,
    ...(loo.observed && { observed: loo.observed }),
    ok: concluded.ok && refits.ok,
    message: `${concluded.message} ${write(REFIT_SENTENCES, [replaced])} ${refits.message}`,
    statements,
  };
}
