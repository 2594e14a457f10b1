import type { NamedSummary } from 'leapfrog';

/** The statistics of a quantity that tables show, with its name in their form (`theta[1]`). */
export type QuantitySummary = Omit<NamedSummary, 'variation' | 'isSeparated'>;
