/** What programs of derived quantities compute, and the names of it. */

/** What is derived from a program: the terms of its likelihood for each observation, replicated data, or its prior distribution. */
export type DerivedKind = 'log_lik' | 'replicated' | 'prior';

/** Beginnings of the names of variables by outcome: `log_lik__y`. */
export const LOG_LIKELIHOOD_OF = 'log_lik__';
export const TERMS_OF = 'terms__';
