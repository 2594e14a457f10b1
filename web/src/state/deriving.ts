/** What is being computed for predictive checks of a run: for draws, or in cross-validation for observations. */
export interface Deriving {
  readonly kind: 'replicated' | 'terms' | 'loo';
  readonly done: number;
  readonly count: number;
}

/** How the user wants predictive checks of a run to be computed. */
export interface DerivingChoice {
  /** Maximum number of draws to use; all if absent. */
  readonly most?: number;
  readonly isCancelled?: boolean;
}
