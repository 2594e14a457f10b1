import type { Rng } from '../random/rng.js';
import type { PhasePoint } from './phase-point.js';

/** The kinetic energy p' M⁻¹ p / 2. M⁻¹ is stored in the phase space for the kernel. */
export interface Metric {
  /** Draws the point's momentum from normal(0, M). */
  drawMomentum(point: PhasePoint, rng: Rng): void;
  /** A copy of the inverse: its diagonal, or all elements in row-major order. */
  inverse(): Float64Array;
}
