import type { Rng } from '../random/rng.js';
import type { PhasePoint, PhaseSpace } from './phase-space.js';

/**
 * The kinetic energy p' M^-1 p / 2 and the parts of a leapfrog step that depend on it, each one loop over the
 * dimension, for with cheap densities those loops are the sampler's cost.
 */
export interface Metric {
  /** Draws the point's momentum from normal(0, M), sets its velocity and returns its kinetic energy. */
  refreshMomentum(space: PhaseSpace, point: PhasePoint, rng: Rng): number;
  /** First part of a leapfrog step: half a kick by the gradient at `from`, then the whole drift. Writes position and momentum of `to`. */
  kickAndDrift(space: PhaseSpace, from: PhasePoint, to: PhasePoint, stepSize: number): void;
  /** Last part: half a kick by the gradient at `point`. Sets momentum and velocity, returns the kinetic energy. */
  kick(space: PhaseSpace, point: PhasePoint, stepSize: number): number;
}

/** A diagonal mass matrix, held as its inverse: the estimated variance of each coordinate. */
export class DiagonalMetric implements Metric {
  readonly inverse: Float64Array;
  private readonly momentumScale: Float64Array;

  constructor(dimension: number) {
    this.inverse = new Float64Array(dimension).fill(1);
    this.momentumScale = new Float64Array(dimension).fill(1);
  }

  setInverse(inverse: Float64Array): void {
    this.inverse.set(inverse);
    for (let i = 0; i < inverse.length; i++) this.momentumScale[i] = 1 / Math.sqrt(inverse[i]);
  }

  refreshMomentum({ memory, dimension }: PhaseSpace, { offset }: PhasePoint, rng: Rng): number {
    const { inverse, momentumScale } = this;
    const momentum = offset + dimension;
    const velocity = momentum + dimension;
    let kinetic = 0;
    for (let i = 0; i < dimension; i++) {
      const p = rng.normal() * momentumScale[i];
      const v = inverse[i] * p;
      memory[momentum + i] = p;
      memory[velocity + i] = v;
      kinetic += p * v;
    }
    return 0.5 * kinetic;
  }

  kickAndDrift({ memory, dimension }: PhaseSpace, from: PhasePoint, to: PhasePoint, stepSize: number): void {
    const { inverse } = this;
    const position = from.offset;
    const momentum = position + dimension;
    const gradient = position + 3 * dimension;
    const nextPosition = to.offset;
    const nextMomentum = nextPosition + dimension;
    const half = 0.5 * stepSize;
    for (let i = 0; i < dimension; i++) {
      const p = memory[momentum + i] + half * memory[gradient + i];
      memory[nextMomentum + i] = p;
      memory[nextPosition + i] = memory[position + i] + stepSize * (inverse[i] * p);
    }
  }

  kick({ memory, dimension }: PhaseSpace, { offset }: PhasePoint, stepSize: number): number {
    const { inverse } = this;
    const momentum = offset + dimension;
    const velocity = momentum + dimension;
    const gradient = velocity + dimension;
    const half = 0.5 * stepSize;
    let kinetic = 0;
    for (let i = 0; i < dimension; i++) {
      const p = memory[momentum + i] + half * memory[gradient + i];
      const v = inverse[i] * p;
      memory[momentum + i] = p;
      memory[velocity + i] = v;
      kinetic += p * v;
    }
    return 0.5 * kinetic;
  }
}
