/** Types and names of derived quantities, and the name of what they replace. */

/**
 * The types of derived programs, which compute: the log likelihood of each observation, replicated data, the prior
 * distribution, and the posterior without some observations.
 */
export type DerivedKind = 'log_lik' | 'replicated' | 'prior' | 'held_out';

/** The conventional name for the log likelihood of each observation. */
export const LOG_LIKELIHOOD = 'log_lik';

/** Prefixes of the variables for an outcome, as in `log_lik__y`. */
export const LOG_LIKELIHOOD_OF = 'log_lik__';
export const TERMS_OF = 'terms__';

/**
 * Prefixes of the data variables with the left-out observations of an outcome: how many there are, and their indices in
 * row-major order from 1.
 */
export const HELD_OUT_SIZE_OF = 'held_out_size__';
export const HELD_OUT_OF = 'held_out__';
