/** One quantity's draws, an array for each chain, all of one length. */
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

/** How draws differ: not at all, only between chains, or within a chain; unknown if some are not finite. */
export type Variation = 'none' | 'between chains' | 'within chains' | 'not finite';

/** Relative differences that are rounding errors, as on the diagonal of a correlation matrix of a hundred rows. */
const ROUNDING = 1e-13;

/** Differences of the size of rounding errors do not count. */
export function variationOf(chains: Chains): Variation {
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  let areFinite = true;
  let varyWithin = false;
  for (const chain of chains) {
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < chain.length; i++) {
      const value = chain[i];
      if (value < low) low = value;
      if (value > high) high = value;
      if (Number.isNaN(value)) return 'not finite';
    }
    if (chain.length > 0 && !(Number.isFinite(low) && Number.isFinite(high))) areFinite = false;
    varyWithin ||= vary(low, high);
    if (low < least) least = low;
    if (high > greatest) greatest = high;
  }
  if (least >= greatest) return 'none';
  if (!areFinite) return 'not finite';
  if (varyWithin) return 'within chains';
  return vary(least, greatest) ? 'between chains' : 'none';
}

function vary(least: number, greatest: number): boolean {
  return greatest - least > ROUNDING * Math.max(Math.abs(least), Math.abs(greatest));
}
