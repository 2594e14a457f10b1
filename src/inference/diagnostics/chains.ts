/** The draws of one quantity: an array per chain, all of the same length. */
export type Chains = readonly Float64Array[];

/** All draws of all chains. */
export function pool(chains: Chains): Float64Array {
  const pooled = new Float64Array(chains.reduce((length, chain) => length + chain.length, 0));
  let offset = 0;
  for (const chain of chains) {
    pooled.set(chain, offset);
    offset += chain.length;
  }
  return pooled;
}

/** How draws vary: not at all, only between chains, or within a chain; `not finite` if some are not finite. */
export type Variation = 'none' | 'between chains' | 'within chains' | 'not finite';

/** Maximum relative difference that counts as a rounding error, as on the diagonal of a correlation matrix with a hundred rows. */
const ROUNDING = 1e-13;

/** The least and the greatest of some numbers. Both are NaN if a number is NaN; they are ∞ and -∞ for no numbers. */
export interface Range {
  readonly least: number;
  readonly greatest: number;
}

/** The range of all numbers. */
export function rangeOf(ranges: readonly Range[]): Range {
  return {
    least: Math.min(...ranges.map(({ least }) => least)),
    greatest: Math.max(...ranges.map(({ greatest }) => greatest)),
  };
}

/** How draws vary, given the ranges of their chains. Differences of the size of rounding errors do not count. */
export function variationOf(chains: readonly Range[]): Variation {
  const { least, greatest } = rangeOf(chains);
  if (Number.isNaN(least)) return 'not finite';
  if (least >= greatest) return 'none';
  if (!Number.isFinite(least) || !Number.isFinite(greatest)) return 'not finite';
  if (chains.some((chain) => vary(chain.least, chain.greatest))) return 'within chains';
  return vary(least, greatest) ? 'between chains' : 'none';
}

function vary(least: number, greatest: number): boolean {
  return greatest - least > ROUNDING * Math.max(Math.abs(least), Math.abs(greatest));
}
