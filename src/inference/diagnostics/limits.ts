/** Limits of Vehtari and others, "Rank-normalization, folding, and localization" (2021), section 4. */
export const GREATEST_RHAT = 1.01;
export const LEAST_ESS_PER_CHAIN = 100;
