/** Comparison of runs by leave-one-out cross-validation. */
import type { LeaveOneOut } from 'leapfrog';
import { type Comparison, compareFits, IncomparableFits } from '#engine/fits/comparison.js';
import type { ComparedModel } from '#engine/plots/comparison.js';
import { reasonOf } from '../reasons.js';
import { nameOf, type Run } from '../state/run.js';
import { stated } from '../words/messages.js';
import { observedIn } from './comparable.js';

/** A run with its cross-validation. */
export interface ValidatedRun {
  readonly run: Run;
  readonly loo: LeaveOneOut;
  /** Names of the observations that refits have left out. */
  readonly exact: ReadonlySet<string>;
}

export interface ComparedRuns extends Pick<Comparison, 'cautions' | 'statements'> {
  /** Best first. */
  readonly models: readonly (ComparedModel & {
    /** Places of the observations that refits have left out. */
    readonly exact: ReadonlySet<number>;
  })[];
  /** Names of the observations in the best run. */
  readonly names: readonly string[];
}

export interface Refused {
  readonly refused: string;
}

/** Why runs could not be compared. */
export function refusedBy(error: unknown): Refused {
  return { refused: error instanceof IncomparableFits ? stated([error.reason]) : reasonOf(error) };
}

/** Compares at least two runs. Rejects with `IncomparableFits`. */
export async function compareRuns(validated: readonly ValidatedRun[]): Promise<ComparedRuns> {
  const fits = await Promise.all(
    validated.map(async ({ exact, loo, run }) => ({
      ...loo,
      exact,
      name: nameOf(run),
      observed: await observedIn(run, loo.observations.length),
    })),
  );
  const { comparison, ranked } = compareFits(fits);
  const models = ranked.map(({ exact, greatestK, observations }, k) => ({
    ...comparison.models[k],
    observations,
    greatestK,
    exact: new Set(observations.flatMap(({ name }, place) => (exact.has(name) ? [place] : []))),
  }));
  return { ...comparison, models, names: ranked[0].observations.map(({ name }) => name) };
}

/** An observation with a high Pareto k in at least one model. */
export interface HighObservation {
  readonly name: string;
  /** Pareto k in each model, which is meaningless if the estimate comes from a refit. */
  readonly values: readonly { readonly paretoK: number; readonly isHigh: boolean; readonly isExact: boolean }[];
}

/** Observations with a high or unknown Pareto k in at least one model, the highest first. */
export function highObservations({ models, names }: ComparedRuns): readonly HighObservation[] {
  const rows = names.map((name, place) => ({
    name,
    values: models.map(({ exact, greatestK, observations }) => {
      const paretoK = observations[place]?.paretoK ?? Number.NaN;
      return { paretoK, isHigh: !(paretoK <= greatestK), isExact: exact.has(place) };
    }),
  }));
  const greatest = ({ values }: HighObservation) =>
    values.reduce((most, { paretoK }) => Math.max(most, Number.isNaN(paretoK) ? Infinity : paretoK), -Infinity);
  return rows
    .filter(({ values }) => values.some(({ isHigh }) => isHigh))
    .sort((a, b) => (greatest(a) === greatest(b) ? 0 : greatest(b) - greatest(a)));
}
