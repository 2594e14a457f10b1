/** Means and variances of a stream of vectors in one pass (Welford, Technometrics 4, 1962). */
export class WelfordVariance {
  private count = 0;
  private readonly mean: Float64Array;
  private readonly squares: Float64Array;

  constructor(dimension: number) {
    this.mean = new Float64Array(dimension);
    this.squares = new Float64Array(dimension);
  }

  get size(): number {
    return this.count;
  }

  restart(): void {
    this.count = 0;
    this.mean.fill(0);
    this.squares.fill(0);
  }

  add(vector: Float64Array): void {
    this.count += 1;
    const { mean, squares, count } = this;
    for (let i = 0; i < mean.length; i++) {
      const delta = vector[i] - mean[i];
      mean[i] += delta / count;
      squares[i] += delta * (vector[i] - mean[i]);
    }
  }

  /** Writes the sample variances, with denominator n - 1; leaves `variance` unchanged for fewer than two vectors. */
  writeVariance(variance: Float64Array): void {
    if (this.count < 2) return;
    for (let i = 0; i < variance.length; i++) variance[i] = this.squares[i] / (this.count - 1);
  }
}

/** Means and covariances of a stream of vectors in one pass. */
export class WelfordCovariance {
  private count = 0;
  private readonly mean: Float64Array;
  private readonly delta: Float64Array;
  /** Sums of products of deviations, row by row; only the lower triangle is used. */
  private readonly products: Float64Array;

  constructor(dimension: number) {
    this.mean = new Float64Array(dimension);
    this.delta = new Float64Array(dimension);
    this.products = new Float64Array(dimension * dimension);
  }

  get size(): number {
    return this.count;
  }

  restart(): void {
    this.count = 0;
    this.mean.fill(0);
    this.products.fill(0);
  }

  add(vector: Float64Array): void {
    this.count += 1;
    const { count, delta, mean, products } = this;
    const dimension = mean.length;
    for (let i = 0; i < dimension; i++) {
      delta[i] = vector[i] - mean[i];
      mean[i] += delta[i] / count;
    }
    for (let i = 0; i < dimension; i++) {
      const deviation = vector[i] - mean[i];
      for (let j = 0; j <= i; j++) products[i * dimension + j] += deviation * delta[j];
    }
  }

  /** Writes the sample covariances row by row, with denominator n - 1; leaves `covariance` unchanged for fewer than two vectors. */
  writeCovariance(covariance: Float64Array): void {
    if (this.count < 2) return;
    const dimension = this.mean.length;
    for (let i = 0; i < dimension; i++) {
      for (let j = 0; j <= i; j++) {
        const value = this.products[i * dimension + j] / (this.count - 1);
        covariance[i * dimension + j] = value;
        covariance[j * dimension + i] = value;
      }
    }
  }
}
