/** Types and names of derived quantities. */

/** The types of derived quantities: the log likelihood of each observation, replicated data, and the prior distribution. */
export type DerivedKind = 'log_lik' | 'replicated' | 'prior';

/** Prefixes of the variables for an outcome, as in `log_lik__y`. */
export const LOG_LIKELIHOOD_OF = 'log_lik__';
export const TERMS_OF = 'terms__';
