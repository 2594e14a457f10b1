import type { LeaveOneOut } from 'leapfrog';

/** Refits of a run without the observations whose Pareto k is high: in progress, or how they ended. */
export type Refitting =
  | {
      readonly kind: 'running';
      readonly done: number;
      /** Number of refits; undefined until it is known. */
      readonly count: number | undefined;
    }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly problem: string }
  | {
      readonly kind: 'done';
      /** With the estimates of the refits. */
      readonly loo: LeaveOneOut;
      /** Names of the observations that refits have left out. */
      readonly names: ReadonlySet<string>;
      /** The estimate of `elpd` without refits. */
      readonly approximate: number;
    };
