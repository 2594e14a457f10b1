import { choleskyFactor, solveTransposed } from '../linear/cholesky.js';
import type { Rng } from '../random/rng.js';
import type { Metric } from './metric.js';
import type { PhasePoint } from './phase-point.js';
import type { PhaseSpace } from './phase-space.js';

/** A dense mass matrix, stored as its inverse: the estimated covariance of the coordinates, initially the identity. */
export class DenseMetric implements Metric {
  private readonly space: PhaseSpace;
  /** Lower Cholesky factor of the inverse, in row-major order. */
  private readonly factor: Float64Array;

  /** The phase space must have been created for a dense metric. */
  constructor(space: PhaseSpace) {
    const { dimension } = space;
    this.space = space;
    this.factor = new Float64Array(dimension * dimension);
    const identity = new Float64Array(dimension * dimension);
    for (let i = 0; i < dimension; i++) identity[i * dimension + i] = 1;
    this.setInverse(identity);
  }

  inverse(): Float64Array {
    const { dimension } = this.space;
    const elements = new Float64Array(dimension * dimension);
    for (let row = 0; row < dimension; row++) elements.set(this.space.metricRow(row), row * dimension);
    return elements;
  }

  /** Sets the inverse from a symmetric matrix in row-major order. Returns false and changes nothing if the matrix is not positive definite. */
  setInverse(inverse: Float64Array): boolean {
    const { dimension } = this.space;
    const factor = choleskyFactor(inverse, dimension);
    if (factor === undefined) return false;
    this.factor.set(factor);
    for (let row = 0; row < dimension; row++) {
      this.space.metricRow(row).set(inverse.subarray(row * dimension, (row + 1) * dimension));
    }
    return true;
  }

  /** Solves factor' * momentum = z for standard normal z. */
  drawMomentum({ momentum }: PhasePoint, rng: Rng): void {
    for (let i = 0; i < momentum.length; i++) momentum[i] = rng.normal();
    solveTransposed(this.factor, momentum);
  }
}
