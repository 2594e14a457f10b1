import type { Rng } from '../random/rng.js';
import type { Metric } from './metric.js';
import type { PhasePoint, PhaseSpace } from './phase-space.js';

/** A diagonal mass matrix, held as its inverse: the estimated variance of each coordinate, at first 1. */
export class DiagonalMetric implements Metric {
  private readonly space: PhaseSpace;
  private readonly momentumScale: Float64Array;

  constructor(space: PhaseSpace) {
    this.space = space;
    this.momentumScale = new Float64Array(space.dimension);
    this.setInverse(new Float64Array(space.dimension).fill(1));
  }

  inverse(): Float64Array {
    return this.space.vector(this.space.inverseMetric).slice();
  }

  setInverse(inverse: Float64Array): void {
    this.space.vector(this.space.inverseMetric).set(inverse);
    this.momentumScale.set(inverse.map((variance) => 1 / Math.sqrt(variance)));
  }

  refreshMomentum({ address, momentum }: PhasePoint, rng: Rng): number {
    const { inverseMetric, loops, vectorSize } = this.space;
    for (let i = 0; i < momentum.length; i++) momentum[i] = rng.normal() * this.momentumScale[i];
    return 0.5 * loops.kinetic(address + vectorSize, inverseMetric, address + 2 * vectorSize, vectorSize);
  }

  kickAndDrift(from: PhasePoint, to: PhasePoint, stepSize: number): void {
    const { inverseMetric, loops, vectorSize } = this.space;
    const start = from.address;
    const next = to.address;
    loops.kickAndDrift(
      start,
      start + vectorSize,
      start + 3 * vectorSize,
      inverseMetric,
      next,
      next + vectorSize,
      vectorSize,
      0.5 * stepSize,
      stepSize,
    );
  }

  kick({ address }: PhasePoint, stepSize: number): number {
    const { inverseMetric, loops, vectorSize } = this.space;
    const momentum = address + vectorSize;
    const velocity = momentum + vectorSize;
    const gradient = velocity + vectorSize;
    return 0.5 * loops.kick(momentum, gradient, inverseMetric, velocity, vectorSize, 0.5 * stepSize);
  }
}
