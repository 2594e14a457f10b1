import type { Rng } from '../random/rng.js';
import type { Metric } from './metric.js';
import type { PhasePoint } from './phase-point.js';
import type { PhaseSpace } from './phase-space.js';

/** A diagonal mass matrix, stored as its inverse: the estimated variance of each coordinate, initially 1. */
export class DiagonalMetric implements Metric {
  private readonly space: PhaseSpace;
  private readonly momentumScale: Float64Array;

  constructor(space: PhaseSpace) {
    this.space = space;
    this.momentumScale = new Float64Array(space.dimension);
    this.setInverse(new Float64Array(space.dimension).fill(1));
  }

  inverse(): Float64Array {
    return this.space.metricRow(0).slice();
  }

  setInverse(inverse: Float64Array): void {
    this.space.metricRow(0).set(inverse);
    this.momentumScale.set(inverse.map((variance) => 1 / Math.sqrt(variance)));
  }

  drawMomentum({ momentum }: PhasePoint, rng: Rng): void {
    const { momentumScale } = this;
    for (let i = 0; i < momentum.length; i++) momentum[i] = rng.normal() * momentumScale[i];
  }
}
