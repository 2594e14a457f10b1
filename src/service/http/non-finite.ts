import type { NonFinite } from '../../formats/numbers.js';

const nonFiniteStyles: readonly NonFinite[] = ['string', 'literal', 'null'];

/** The style that a query requests. Validation rejects an unknown one later. */
export function nonFiniteStyle(query: unknown, otherwise: NonFinite): NonFinite {
  const asked = typeof query === 'object' && query !== null && 'nonfinite' in query ? query.nonfinite : undefined;
  return nonFiniteStyles.find((style) => style === asked) ?? otherwise;
}
