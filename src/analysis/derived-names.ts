/** What programs of derived quantities compute, and the names of it. */

/** What is derived from the likelihood: its terms for each observation, or replicated data. */
export type DerivedKind = 'log_lik' | 'replicated';

/** Beginnings of the names of variables by outcome: `log_lik__y`. */
export const LOG_LIKELIHOOD_OF = 'log_lik__';
export const TERMS_OF = 'terms__';
