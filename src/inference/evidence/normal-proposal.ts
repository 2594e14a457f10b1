import { logarithm } from '../../base/elementary.js';
import { choleskyFactor, solveLower } from '../linear/cholesky.js';
import type { Rng } from '../random/rng.js';

/** A normal distribution with the mean and the covariance matrix of draws, whose correlations are shrunk towards 0. */
export class NormalProposal {
  readonly mean: Float64Array;
  /** The lower Cholesky factor of the covariance matrix, row-major. */
  private readonly factor: Float64Array;
  private readonly logNormalizer: number;
  private readonly scores: Float64Array;

  private constructor(mean: Float64Array, factor: Float64Array) {
    const size = mean.length;
    this.mean = mean;
    this.factor = factor;
    this.scores = new Float64Array(size);
    let logDeterminant = 0;
    for (let k = 0; k < size; k++) logDeterminant += logarithm(factor[k * (size + 1)]);
    this.logNormalizer = -logDeterminant - 0.5 * size * logarithm(2 * Math.PI);
  }

  /**
   * `effectiveDraws` is the effective number of draws. Returns undefined if there are not more draws than parameters, or if draws do
   * not vary.
   */
  static of(positions: readonly Float64Array[], effectiveDraws: number): NormalProposal | undefined {
    const size = positions[0]?.length ?? 0;
    if (positions.length <= size) return undefined;
    const mean = new Float64Array(size);
    for (const position of positions) for (let k = 0; k < size; k++) mean[k] += position[k] / positions.length;
    const covariance = new Float64Array(size * size);
    const centered = new Float64Array(size);
    for (const position of positions) {
      for (let k = 0; k < size; k++) centered[k] = position[k] - mean[k];
      for (let i = 0; i < size; i++) {
        for (let j = 0; j <= i; j++) covariance[i * size + j] += (centered[i] * centered[j]) / (positions.length - 1);
      }
    }
    shrinkCorrelations(covariance, size, effectiveDraws);
    const factor = choleskyFactor(covariance, size);
    return factor && new NormalProposal(mean, factor);
  }

  logDensity(position: Float64Array): number {
    const { mean, scores } = this;
    for (let k = 0; k < mean.length; k++) scores[k] = position[k] - mean[k];
    solveLower(this.factor, scores);
    return this.logDensityOfScores();
  }

  /** Writes a draw to `position` and returns its log density. */
  draw(rng: Rng, position: Float64Array): number {
    const { factor, mean, scores } = this;
    const size = mean.length;
    for (let k = 0; k < size; k++) scores[k] = rng.normal();
    for (let i = 0; i < size; i++) {
      let sum = mean[i];
      for (let j = 0; j <= i; j++) sum += factor[i * size + j] * scores[j];
      position[i] = sum;
    }
    return this.logDensityOfScores();
  }

  private logDensityOfScores(): number {
    let squares = 0;
    for (const score of this.scores) squares += score * score;
    return this.logNormalizer - 0.5 * squares;
  }
}

/**
 * Multiplies the correlations of a covariance matrix by the factor that minimizes the expected squared error, if they are estimated from
 * `effectiveDraws` independent normal draws (J. Schäfer and K. Strimmer, "A shrinkage approach to large-scale covariance matrix estimation and
 * implications for functional genomics", Statistical Applications in Genetics and Molecular Biology 4, 2005). Reads and writes the lower
 * triangle.
 */
function shrinkCorrelations(covariance: Float64Array, size: number, effectiveDraws: number): void {
  let [squares, variances] = [0, 0];
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < i; j++) {
      const square = covariance[i * size + j] ** 2 / (covariance[i * (size + 1)] * covariance[j * (size + 1)]);
      squares += square;
      variances += (1 - square) ** 2 / effectiveDraws;
    }
  }
  const kept = squares > variances ? 1 - variances / squares : 0;
  for (let i = 0; i < size; i++) for (let j = 0; j < i; j++) covariance[i * size + j] *= kept;
}
