import { exponential, logarithm } from '../../base/elementary.js';
import { WelfordVariance } from '../adaptation/welford.js';
import { type Component, NormalMixture } from './mixture.js';

const MOST_COMPONENTS = 8;
const STEPS = 20;
/** Change of the log likelihood below which the fit has converged. */
const CONVERGED = 0.1;
/** Shares below which a draw does not belong to a component. */
const NEGLIGIBLE = 1e-6;
/** Least ratio of the variance of a component to that of all draws. */
const LEAST_RATIO = 1e-12;
/** Minimum number of draws from which a component starts. */
const LEAST_DRAWS = 4;
/** Share of the draws from which a component starts. */
const SEED_SHARE = 0.02;
/** Number of draws that the variances of a component count for before its own draws: those of all draws, scaled to the component. */
const PRIOR_DRAWS = 1;

/**
 * Fits a mixture of normal distributions to draws by expectation maximization. Components are added, each at the draw with the lowest
 * density, while they improve the Bayesian information criterion (Schwarz 1978). There must be at least one draw.
 */
export function fitMixture(draws: readonly Float64Array[]): NormalMixture {
  const sample = { draws, spread: spreadOf(draws) };
  const penalty = 0.5 * (2 * draws[0].length + 1) * logarithm(draws.length);
  const whole = draws.map(() => Float64Array.of(1));
  let best = maximize(sample, new NormalMixture(componentsOf(sample, whole)));
  while (best.mixture.components.length < MOST_COMPONENTS && draws.length > 2 * LEAST_DRAWS) {
    const found = maximize(sample, extended(sample, best.mixture));
    if (!(found.logLikelihood > best.logLikelihood + penalty)) break;
    best = found;
  }
  return best.mixture;
}

interface Sample {
  readonly draws: readonly Float64Array[];
  /** Their variances, which are positive. */
  readonly spread: Float64Array;
}

interface Fit {
  readonly mixture: NormalMixture;
  readonly logLikelihood: number;
}

function maximize(sample: Sample, start: NormalMixture): Fit {
  const shares = sample.draws.map(() => new Float64Array(start.components.length));
  let mixture = start;
  let logLikelihood = writeShares(sample, mixture, shares);
  for (let step = 0; step < STEPS && shares[0].length > 1; step++) {
    const before = logLikelihood;
    mixture = new NormalMixture(componentsOf(sample, shares));
    logLikelihood = writeShares(sample, mixture, shares);
    if (Math.abs(logLikelihood - before) < CONVERGED) break;
  }
  return { mixture, logLikelihood };
}

/** Writes the shares of the components at each draw, and returns the log likelihood. */
function writeShares({ draws }: Sample, mixture: NormalMixture, shares: readonly Float64Array[]): number {
  let logLikelihood = 0;
  for (let index = 0; index < draws.length; index++) logLikelihood += mixture.shares(draws[index], shares[index]);
  return logLikelihood;
}

/** The mixture with a further component at the draws near the one with the lowest density. */
function extended(sample: Sample, mixture: NormalMixture): NormalMixture {
  const { draws, spread } = sample;
  const densities = draws.map((draw) => mixture.logDensity(draw));
  const lowest = draws[densities.indexOf(Math.min(...densities))];
  const distances = draws.map((draw) => draw.reduce((sum, value, i) => sum + (value - lowest[i]) ** 2 / spread[i], 0));
  const count = Math.max(LEAST_DRAWS, Math.ceil(SEED_SHARE * draws.length));
  const limit = distances.toSorted((a, b) => a - b)[count - 1];
  const size = mixture.components.length;
  const shares = draws.map((draw, index) => {
    const share = new Float64Array(size + 1);
    if (distances[index] <= limit) share[size] = 1;
    else mixture.shares(draw, share.subarray(0, size));
    return share;
  });
  return new NormalMixture(componentsOf(sample, shares));
}

/** The components with the moments of the draws, weighted by their shares. The least weight is that of one draw. */
function componentsOf({ draws, spread }: Sample, shares: readonly Float64Array[]): Component[] {
  return Array.from({ length: shares[0].length }, (_, k) => {
    const mean = new Float64Array(spread.length);
    const variances = new Float64Array(spread.length);
    let total = 0;
    for (let index = 0; index < draws.length; index++) {
      const share = shares[index][k];
      if (share < NEGLIGIBLE) continue;
      total += share;
      for (let i = 0; i < mean.length; i++) {
        // The weighted form of Welford's recurrence.
        const delta = draws[index][i] - mean[i];
        mean[i] += (share / total) * delta;
        variances[i] += share * delta * (draws[index][i] - mean[i]);
      }
    }
    // The shape of all draws, at the size of the component, steadies variances that few draws determine.
    let logRatio = 0;
    for (let i = 0; i < mean.length; i++) {
      variances[i] = Math.max(variances[i] / Math.max(total, 1), LEAST_RATIO * spread[i]);
      logRatio += logarithm(variances[i] / spread[i]) / mean.length;
    }
    const ratio = exponential(logRatio);
    for (let i = 0; i < mean.length; i++) {
      variances[i] = (total * variances[i] + PRIOR_DRAWS * ratio * spread[i]) / (total + PRIOR_DRAWS);
    }
    return { weight: Math.max(total, 1) / draws.length, mean, variances };
  }).map(({ weight, ...component }, _, all) => ({
    ...component,
    weight: weight / all.reduce((sum, each) => sum + each.weight, 0),
  }));
}

/** The variances of the draws; 1 if they do not vary. */
function spreadOf(draws: readonly Float64Array[]): Float64Array {
  const variances = new WelfordVariance(draws[0].length);
  for (const draw of draws) variances.add(draw);
  const spread = new Float64Array(draws[0].length);
  variances.writeVariance(spread);
  return spread.map((variance) => (variance > 0 ? variance : 1));
}
