import type { LeaveOneOut, Refits } from 'leapfrog';

/** Refits of a run that are in progress, or have ended without a result. */
export type Unfinished =
  | {
      readonly kind: 'running';
      readonly done: number;
      /** Number of refits; undefined until it is known. */
      readonly count: number | undefined;
    }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly problem: string };

/** Refits of a run without the observations whose Pareto k is high. */
export type Refitting =
  | Unfinished
  | {
      readonly kind: 'done';
      /** With the estimates of the refits. */
      readonly loo: LeaveOneOut;
      /** Names of the observations that refits have left out. */
      readonly names: ReadonlySet<string>;
      /** The estimate of `elpd` without refits. */
      readonly approximate: number;
    };

/** The folds of a K-fold cross-validation: a number of them at random, or the distinct values of a data variable in ascending order. */
export type Folds = { readonly count: number } | { readonly variable: string; readonly values: readonly number[] };

/** The folds that are chosen for a run but not yet those of a result: a data variable, or '' for random ones, and the number of random ones. */
export interface FoldChoice {
  readonly variable: string;
  readonly count: number;
}

/** K-fold cross-validation of a run. */
export type Folding =
  | Unfinished
  | {
      readonly kind: 'done';
      readonly folds: Folds;
      readonly refits: Refits;
    };
