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

/** Whether the draws can say nothing: one is not finite, or all are the same. */
export function isDegenerate(chains: Chains): boolean {
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  for (const chain of chains) {
    for (const value of chain) {
      if (!Number.isFinite(value)) return true;
      if (value < least) least = value;
      if (value > greatest) greatest = value;
    }
  }
  return !(greatest - least >= Number.EPSILON);
}
