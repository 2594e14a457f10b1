/**
 * The optimal bridge estimator of a ratio of normalizing constants (X.-L. Meng and W. H. Wong, "Simulating ratios of normalizing constants
 * via a simple identity: a theoretical exploration", Statistica Sinica 6, 1996), as in the R package bridgesampling (Q. F. Gronau, H. Singmann
 * and E.-J. Wagenmakers, Journal of Statistical Software 92, 2020).
 */
import { exponential, logarithm } from '../../base/elementary.js';
import { type Chains, pool } from '../diagnostics/chains.js';
import { essMean } from '../diagnostics/effective-sample-size.js';
import { mean, quantiles, variance } from '../diagnostics/moments.js';

/** Logarithms of the unnormalized density of the posterior, divided by the normalized density of the proposal. */
export interface LogRatios {
  /** At draws of the posterior, with an array per chain. Must be finite. */
  readonly posterior: Chains;
  /** At independent draws of the proposal; -∞ outside of the posterior's support. */
  readonly proposal: Float64Array;
  /** The effective number of draws of the posterior, which determines the weights of the two samples. */
  readonly effectiveDraws: number;
}

export interface BridgeEstimate {
  /** The logarithm of the normalizing constant of the posterior. */
  readonly logConstant: number;
  /**
   * The parts of the relative mean squared error of the constant, which is approximately the variance of its logarithm, from the draws of the
   * posterior and from those of the proposal.
   */
  readonly variances: { readonly posterior: number; readonly proposal: number };
}

const TOLERANCE = 1e-10;
const MOST_ITERATIONS = 1000;

/** Runs the iteration to its fixed point. Returns undefined if it does not converge because the two densities hardly overlap. */
export function bridgeEstimate({ effectiveDraws, posterior, proposal }: LogRatios): BridgeEstimate | undefined {
  const drawn = pool(posterior);
  const ownShare = effectiveDraws / (effectiveDraws + proposal.length);
  const otherShare = 1 - ownShare;
  const proposalTerm = (logRatio: number) => 1 / (ownShare + otherShare * exponential(-logRatio));
  const posteriorTerm = (logRatio: number) => 1 / (ownShare * exponential(logRatio) + otherShare);
  const changeAt = (constant: number) =>
    logarithm(mean(proposal.map((ratio) => proposalTerm(ratio - constant)))) -
    logarithm(mean(drawn.map((ratio) => posteriorTerm(ratio - constant))));
  let [constant] = quantiles(drawn, [0.5]);
  for (let iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
    const change = changeAt(constant);
    if (!Number.isFinite(change)) return undefined;
    constant += change;
    if (Math.abs(change) > TOLERANCE) continue;
    const ofProposal = proposal.map((ratio) => proposalTerm(ratio - constant));
    const ofPosterior = posterior.map((ratios) => ratios.map((ratio) => posteriorTerm(ratio - constant)));
    return {
      logConstant: constant,
      variances: {
        posterior: relativeVariance(pool(ofPosterior)) / effectiveSize(ofPosterior),
        proposal: relativeVariance(ofProposal) / proposal.length,
      },
    };
  }
  return undefined;
}

/**
 * The relative mean squared error of the mean of each sample (S. Frühwirth-Schnatter, "Estimating marginal likelihoods for mixture and Markov
 * switching models using bridge sampling techniques", Econometrics Journal 7, 2004) is this, divided by the effective number of draws.
 */
function relativeVariance(terms: Float64Array): number {
  return variance(terms) / mean(terms) ** 2;
}

/** The effective number of draws for the mean; their number if it cannot be estimated, for example because all are equal. */
export function effectiveSize(chains: Chains): number {
  const size = essMean(chains);
  return Number.isNaN(size) ? pool(chains).length : size;
}
