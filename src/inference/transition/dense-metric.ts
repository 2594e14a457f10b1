import { choleskyFactor, solveTransposed } from '../linear/cholesky.js';
import type { Rng } from '../random/rng.js';
import type { Metric } from './metric.js';
import type { PhasePoint, PhaseSpace } from './phase-space.js';

/** A dense mass matrix, held as its inverse: the estimated covariance of the coordinates, at first the identity. */
export class DenseMetric implements Metric {
  private readonly space: PhaseSpace;
  /** Lower Cholesky factor of the inverse, row by row. */
  private readonly factor: Float64Array;

  /** The space must have been made for a dense metric. */
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
    for (let row = 0; row < dimension; row++) elements.set(this.row(row), row * dimension);
    return elements;
  }

  /** Takes a symmetric matrix, row by row; false when it is not positive definite, and then nothing has changed. */
  setInverse(inverse: Float64Array): boolean {
    const { dimension } = this.space;
    const factor = choleskyFactor(inverse, dimension);
    if (factor === undefined) return false;
    this.factor.set(factor);
    for (let row = 0; row < dimension; row++) {
      this.row(row).set(inverse.subarray(row * dimension, (row + 1) * dimension));
    }
    return true;
  }

  /** Solves factor' * momentum = standard normals. */
  refreshMomentum({ address, momentum, velocity }: PhasePoint, rng: Rng): number {
    const { factor, space } = this;
    const { dimension, vectorSize } = space;
    for (let i = 0; i < dimension; i++) momentum[i] = rng.normal();
    solveTransposed(factor, momentum);
    return 0.5 * this.setVelocity(address + vectorSize, velocity);
  }

  kickAndDrift(from: PhasePoint, to: PhasePoint, stepSize: number): void {
    const { dimension, inverseMetric, loops, vectorSize } = this.space;
    const momentum = to.address + vectorSize;
    loops.step(from.address + vectorSize, from.address + 3 * vectorSize, momentum, vectorSize, 0.5 * stepSize);
    for (let i = 0; i < dimension; i++) {
      const speed = loops.dot(inverseMetric + i * vectorSize, momentum, vectorSize);
      to.position[i] = from.position[i] + stepSize * speed;
    }
  }

  kick({ address, velocity }: PhasePoint, stepSize: number): number {
    const { loops, vectorSize } = this.space;
    const momentum = address + vectorSize;
    loops.step(momentum, address + 3 * vectorSize, momentum, vectorSize, 0.5 * stepSize);
    return 0.5 * this.setVelocity(momentum, velocity);
  }

  /** Sets the velocity that belongs to a momentum; returns momentum . velocity. */
  private setVelocity(momentum: number, velocity: Float64Array): number {
    const { dimension, inverseMetric, loops, vectorSize } = this.space;
    for (let i = 0; i < dimension; i++) velocity[i] = loops.dot(inverseMetric + i * vectorSize, momentum, vectorSize);
    return loops.dot(momentum, momentum + vectorSize, vectorSize);
  }

  private row(index: number): Float64Array {
    return this.space.vector(this.space.inverseMetric + index * this.space.vectorSize);
  }
}
