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

/** Halves each chain, so that a chain that drifts disagrees with itself; the middle draw of an odd number is left out. */
export function splitChains(chains: Chains): Float64Array[] {
  return chains.flatMap((chain) => {
    const half = Math.floor(chain.length / 2);
    return [chain.subarray(0, half), chain.subarray(chain.length - half)];
  });
}

/** Where draws differ: nowhere, from chain to chain alone, or within a chain; not known of those that are not finite. */
export type Variation = 'none' | 'between chains' | 'within chains' | 'not finite';

/** Relative differences that are rounding errors, as on the diagonal of a correlation matrix of a hundred rows. */
const ROUNDING = 1e-13;

/** Differences of the size of rounding errors are none. */
export function variationOf(chains: Chains): Variation {
  const first = chains.find(({ length }) => length > 0)?.[0];
  if (chains.every((chain) => chain.every((value) => value === first))) return 'none';
  if (!rangeOf(chains).areFinite) return 'not finite';
  if (chains.some((chain) => varies([chain]))) return 'within chains';
  return varies(chains) ? 'between chains' : 'none';
}

function varies(chains: Chains): boolean {
  const { least, greatest } = rangeOf(chains);
  return greatest - least > ROUNDING * Math.max(Math.abs(least), Math.abs(greatest));
}

interface Range {
  readonly least: number;
  readonly greatest: number;
  /** Whether all draws are. */
  readonly areFinite: boolean;
}

function rangeOf(chains: Chains): Range {
  let areFinite = true;
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  for (const chain of chains) {
    for (const value of chain) {
      if (value < least) least = value;
      if (value > greatest) greatest = value;
      if (!Number.isFinite(value)) areFinite = false;
    }
  }
  return { least, greatest, areFinite };
}

/** Whether the draws can say nothing, by the rule of the R package posterior: one is not finite, or all are the same. */
export function isDegenerate(chains: Chains): boolean {
  const { areFinite, greatest, least } = rangeOf(chains);
  return !areFinite || !(greatest - least >= Number.EPSILON);
}
