import type { Rng } from '../random/rng.js';
import type { PhasePoint } from './phase-space.js';

/** The kinetic energy p' M^-1 p / 2 and the parts of a leapfrog step that depend on it. */
export interface Metric {
  /** Draws the point's momentum from normal(0, M), sets its velocity and returns its kinetic energy. */
  refreshMomentum(point: PhasePoint, rng: Rng): number;
  /** First part of a leapfrog step: half a kick by the gradient at `from`, then the whole drift. Writes position and momentum of `to`. */
  kickAndDrift(from: PhasePoint, to: PhasePoint, stepSize: number): void;
  /** Last part: half a kick by the gradient at `point`. Sets momentum and velocity, returns the kinetic energy. */
  kick(point: PhasePoint, stepSize: number): number;
  /** A copy of the inverse: its diagonal, or all elements row by row. */
  inverse(): Float64Array;
}
