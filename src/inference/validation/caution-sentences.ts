/** The English sentences of cautions. */
export const CAUTION_SENTENCES = {
  fewObservations: 'There are {count} observations: below {least}, the standard errors are too small.',
  smallDifferences: '{names}: differences below {least} are small, and their errors are not normal.',
} as const;
