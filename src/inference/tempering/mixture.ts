import { exponential, logarithm } from '../../base/elementary.js';
import type { Rng } from '../random/rng.js';

/** A normal distribution with a diagonal covariance matrix, and its share of a mixture. */
export interface Component {
  readonly weight: number;
  readonly mean: Float64Array;
  readonly variances: Float64Array;
}

const LOG_TWO_PI = logarithm(2 * Math.PI);

/** A mixture of normal distributions with diagonal covariance matrices. Its log density is normalized. */
export class NormalMixture {
  readonly components: readonly Component[];
  private readonly precisions: readonly Float64Array[];
  /** Logarithms of weight and normalizing constant. */
  private readonly constants: Float64Array;
  private readonly logTerms: Float64Array;

  /** The weights must add up to 1. */
  constructor(components: readonly Component[]) {
    this.components = components;
    this.precisions = components.map(({ variances }) => variances.map((variance) => 1 / variance));
    this.constants = Float64Array.from(components, ({ variances, weight }) =>
      variances.reduce((sum, variance) => sum - 0.5 * (logarithm(variance) + LOG_TWO_PI), logarithm(weight)),
    );
    this.logTerms = new Float64Array(components.length);
  }

  logDensity(position: Float64Array): number {
    const { components, constants, logTerms, precisions } = this;
    let highest = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < logTerms.length; k++) {
      const { mean } = components[k];
      const precision = precisions[k];
      let squares = 0;
      for (let i = 0; i < position.length; i++) squares += precision[i] * (position[i] - mean[i]) ** 2;
      logTerms[k] = constants[k] - 0.5 * squares;
      if (logTerms[k] > highest) highest = logTerms[k];
    }
    let sum = 0;
    for (let k = 0; k < logTerms.length; k++) sum += exponential(logTerms[k] - highest);
    return highest + logarithm(sum);
  }

  /** Returns the log density and writes its gradient. */
  logDensityGradient(position: Float64Array, gradient: Float64Array): number {
    const logDensity = this.logDensity(position);
    const { components, logTerms, precisions } = this;
    gradient.fill(0);
    for (let k = 0; k < logTerms.length; k++) {
      const share = exponential(logTerms[k] - logDensity);
      const { mean } = components[k];
      const precision = precisions[k];
      for (let i = 0; i < position.length; i++) gradient[i] += share * precision[i] * (mean[i] - position[i]);
    }
    return logDensity;
  }

  /** Writes the probability of each component at a position, and returns the log density. */
  shares(position: Float64Array, shares: Float64Array): number {
    const logDensity = this.logDensity(position);
    for (let k = 0; k < shares.length; k++) shares[k] = exponential(this.logTerms[k] - logDensity);
    return logDensity;
  }

  draw(rng: Rng, position: Float64Array): void {
    const { components } = this;
    let left = rng.uniform();
    let k = 0;
    while (k < components.length - 1 && left >= components[k].weight) left -= components[k++].weight;
    const { mean, variances } = components[k];
    for (let i = 0; i < position.length; i++) position[i] = mean[i] + Math.sqrt(variances[i]) * rng.normal();
  }
}
