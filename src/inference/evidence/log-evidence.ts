/**
 * The log evidence from draws of a posterior, by bridge sampling with a normal proposal that is symmetrized around its mean: "warp-III" of
 * X.-L. Meng and S. Schilling, "Warp bridge sampling", Journal of Computational and Graphical Statistics 11, 2002.
 */
import { exponential, logarithm, logarithmPlusOne } from '../../base/elementary.js';
import { pool } from '../diagnostics/chains.js';
import { mean, quantiles } from '../diagnostics/moments.js';
import type { Rng } from '../random/rng.js';
import { type BridgeEstimate, bridgeEstimate, effectiveSize } from './bridge.js';
import { NormalProposal } from './normal-proposal.js';

/** A posterior at unconstrained positions. */
export interface EvidenceTarget {
  /** The log density with all constants and the Jacobian; -∞ outside of the support. */
  logDensity(position: Float64Array): number;
}

/** Draws of one chain. */
export interface EvidenceDraws {
  readonly positions: readonly Float64Array[];
  /** The log density of the target at each position. Must be finite. */
  readonly logDensities: Float64Array;
}

export interface EvidenceEstimate {
  readonly logEvidence: number;
  readonly standardError: number;
  /** The estimates from the two halves of the draws, whose mean is `logEvidence`, and the standard error of their difference if they are independent. */
  readonly halves: readonly [number, number];
  readonly differenceError: number;
}

/** Why there is no estimate: too few draws for a covariance matrix, or a posterior that hardly overlaps with its normal approximation. */
export type EvidenceFailure = 'few draws' | 'no overlap';

/**
 * Estimates the log evidence twice: the proposal has the mean and the covariance matrix of the first half of each chain, and is compared with
 * the second half; then the halves are exchanged. All chains must have the same number of draws. `rngs` provide the draws of the proposals.
 */
export function estimateEvidence(
  target: EvidenceTarget,
  chains: readonly EvidenceDraws[],
  rngs: readonly [Rng, Rng],
): EvidenceEstimate | EvidenceFailure {
  const middle = Math.floor((chains[0]?.positions.length ?? 0) / 2);
  const part = (from: number, to?: number) =>
    chains.map(({ logDensities, positions }) => ({
      positions: positions.slice(from, to),
      logDensities: logDensities.subarray(from, to),
    }));
  const [early, late] = [part(0, middle), part(middle)];
  const [first, second] = [estimateFrom(target, early, late, rngs[0]), estimateFrom(target, late, early, rngs[1])];
  if (typeof first === 'string') return first;
  if (typeof second === 'string') return second;
  const [ofPosterior, ofProposal] = (['posterior', 'proposal'] as const).map((sample) => [
    first.variances[sample],
    second.variances[sample],
  ]);
  const independent = [...ofPosterior, ...ofProposal].reduce((sum, variance) => sum + variance, 0);
  return {
    logEvidence: (first.logConstant + second.logConstant) / 2,
    // For a posterior that is nearly normal, both estimates depend on the same products of the moments of both halves.
    standardError: Math.sqrt(independent + 2 * Math.sqrt(ofPosterior[0] * ofPosterior[1])) / 2,
    halves: [first.logConstant, second.logConstant],
    differenceError: Math.sqrt(independent),
  };
}

/** `fitted` are the draws whose moments the proposal has, and `compared` those that are compared with its draws. */
function estimateFrom(
  target: EvidenceTarget,
  fitted: readonly EvidenceDraws[],
  compared: readonly EvidenceDraws[],
  rng: Rng,
): BridgeEstimate | EvidenceFailure {
  const proposal = NormalProposal.of(
    fitted.flatMap(({ positions }) => positions),
    effectiveDrawsOf(fitted, 2),
  );
  if (proposal === undefined) return 'few draws';
  const center = proposal.mean;
  const count = compared.reduce((sum, { positions }) => sum + positions.length, 0);
  const mirrored = new Float64Array(center.length);
  /** The log density of the posterior, symmetrized around the proposal's mean. */
  const symmetrized = (position: Float64Array, logDensity: number) => {
    for (let k = 0; k < center.length; k++) mirrored[k] = 2 * center[k] - position[k];
    return logAverage(logDensity, target.logDensity(mirrored));
  };
  const posterior = compared.map(({ logDensities, positions }) =>
    logDensities.map((value, draw) => symmetrized(positions[draw], value) - proposal.logDensity(positions[draw])),
  );
  const position = new Float64Array(center.length);
  const proposed = Float64Array.from({ length: count }, () => {
    const logProposal = proposal.draw(rng, position);
    return symmetrized(position, target.logDensity(position)) - logProposal;
  });
  return (
    bridgeEstimate({ posterior, proposal: proposed, effectiveDraws: effectiveDrawsOf(compared, 1) }) ?? 'no overlap'
  );
}

/** The median of the effective sample sizes of the coordinates, for their means or for their variances (power 1 or 2). */
function effectiveDrawsOf(draws: readonly EvidenceDraws[], power: 1 | 2): number {
  const dimension = draws[0]?.positions[0]?.length ?? 0;
  const sizes = Float64Array.from({ length: dimension }, (_, k) => {
    const chains = draws.map(({ positions }) => Float64Array.from(positions, (position) => position[k]));
    const center = power === 2 ? mean(pool(chains)) : 0;
    return effectiveSize(power === 2 ? chains.map((chain) => chain.map((value) => (value - center) ** 2)) : chains);
  });
  return quantiles(sizes, [0.5])[0];
}

/** The logarithm of the mean of two densities. */
function logAverage(a: number, b: number): number {
  const [more, less] = a > b ? [a, b] : [b, a];
  if (more === Number.NEGATIVE_INFINITY) return more;
  return more + logarithmPlusOne(exponential(less - more)) - LOG_TWO;
}

const LOG_TWO = logarithm(2);
