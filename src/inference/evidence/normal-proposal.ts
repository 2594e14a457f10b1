import { logarithm } from '../../numbers/elementary.js';
import { choleskyFactor, solveLower } from '../linear/cholesky.js';
import type { Rng } from '../random/rng.js';

/** A normal distribution with the mean and the covariance matrix of draws. */
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

  /** Returns undefined if the covariance matrix is singular, for example because there are fewer draws than parameters. */
  static of(positions: readonly Float64Array[]): NormalProposal | undefined {
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
