import { exponential, logarithm } from '../../base/elementary.js';

/**
 * A family of normal distributions. Its parameters, which are optimized, form one vector: the mean, followed by the parameters of the
 * scale.
 */
export interface Family {
  readonly parameters: Float64Array;
  /** The mean: the first parameters. */
  readonly mean: Float64Array;
  /** Centers at a point with unit scale. */
  reset(center: Float64Array): void;
  /** Transforms standard normals to a draw. */
  transform(z: Float64Array, draw: Float64Array): void;
  /** Adds the derivatives of the log density at the draw for `z` with respect to the parameters to `sum`. */
  addGradient(densityGradient: Float64Array, z: Float64Array, sum: Float64Array): void;
  /** Converts a sum over draws to the gradient of the ELBO: the mean over the draws, plus the gradient of the entropy. */
  finishGradient(sum: Float64Array, draws: number): void;
  entropy(): number;
}

/** Independent normals, with log scales as parameters (Kucukelbir et al., JMLR 18, 2017, section 2.4). */
export class MeanField implements Family {
  readonly parameters: Float64Array;
  readonly mean: Float64Array;
  private readonly logScale: Float64Array;

  constructor(dimension: number) {
    this.parameters = new Float64Array(2 * dimension);
    this.mean = this.parameters.subarray(0, dimension);
    this.logScale = this.parameters.subarray(dimension);
  }

  reset(center: Float64Array): void {
    this.mean.set(center);
    this.logScale.fill(0);
  }

  transform(z: Float64Array, draw: Float64Array): void {
    for (let i = 0; i < z.length; i++) draw[i] = this.mean[i] + exponential(this.logScale[i]) * z[i];
  }

  addGradient(densityGradient: Float64Array, z: Float64Array, sum: Float64Array): void {
    const dimension = z.length;
    for (let i = 0; i < dimension; i++) {
      sum[i] += densityGradient[i];
      sum[dimension + i] += densityGradient[i] * z[i];
    }
  }

  finishGradient(sum: Float64Array, draws: number): void {
    const dimension = this.mean.length;
    for (let i = 0; i < dimension; i++) {
      sum[i] /= draws;
      sum[dimension + i] = (sum[dimension + i] / draws) * exponential(this.logScale[i]) + 1;
    }
  }

  entropy(): number {
    return unitEntropy(this.mean.length) + this.logScale.reduce((sum, x) => sum + x, 0);
  }
}

/** A normal with any covariance; its row-major Cholesky factor contains the parameters (Kucukelbir et al., section 2.4). */
export class FullRank implements Family {
  readonly parameters: Float64Array;
  readonly mean: Float64Array;
  private readonly factor: Float64Array;

  constructor(dimension: number) {
    this.parameters = new Float64Array(dimension + dimension * dimension);
    this.mean = this.parameters.subarray(0, dimension);
    this.factor = this.parameters.subarray(dimension);
  }

  reset(center: Float64Array): void {
    const dimension = center.length;
    this.mean.set(center);
    this.factor.fill(0);
    for (let i = 0; i < dimension; i++) this.factor[i * (dimension + 1)] = 1;
  }

  transform(z: Float64Array, draw: Float64Array): void {
    const dimension = z.length;
    for (let i = 0; i < dimension; i++) {
      let sum = this.mean[i];
      for (let j = 0; j <= i; j++) sum += this.factor[i * dimension + j] * z[j];
      draw[i] = sum;
    }
  }

  addGradient(densityGradient: Float64Array, z: Float64Array, sum: Float64Array): void {
    const dimension = z.length;
    for (let i = 0; i < dimension; i++) {
      sum[i] += densityGradient[i];
      for (let j = 0; j <= i; j++) sum[dimension + i * dimension + j] += densityGradient[i] * z[j];
    }
  }

  finishGradient(sum: Float64Array, draws: number): void {
    const dimension = this.mean.length;
    for (let i = 0; i < sum.length; i++) sum[i] /= draws;
    for (let i = 0; i < dimension; i++) {
      const diagonal = i * (dimension + 1);
      sum[dimension + diagonal] += 1 / this.factor[diagonal];
    }
  }

  entropy(): number {
    const dimension = this.mean.length;
    let sum = unitEntropy(dimension);
    for (let i = 0; i < dimension; i++) {
      const scale = Math.abs(this.factor[i * (dimension + 1)]);
      if (scale !== 0) sum += logarithm(scale);
    }
    return sum;
  }
}

function unitEntropy(dimension: number): number {
  return 0.5 * dimension * (1 + logarithm(2 * Math.PI));
}
