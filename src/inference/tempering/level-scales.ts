import { WelfordVariance } from '../adaptation/welford.js';
import type { Rng } from '../random/rng.js';
import type { Metric } from '../transition/metric.js';
import type { PhasePoint } from '../transition/phase-point.js';
import type { PhaseSpace } from '../transition/phase-space.js';

/** Draws below which variances are not used. */
const LEAST_DRAWS = 10;

/** The diagonal metric of one level, and what is learned of it: the geometric mean of the variances of positions and precisions of gradients. */
export class LevelScale {
  readonly inverse: Float64Array;
  readonly momentumScale: Float64Array;
  private readonly positions: WelfordVariance;
  private readonly gradients: WelfordVariance;
  private readonly scratch: Float64Array;

  constructor(inverse: Float64Array) {
    this.inverse = inverse.slice();
    this.momentumScale = inverse.map((variance) => 1 / Math.sqrt(variance));
    this.positions = new WelfordVariance(inverse.length);
    this.gradients = new WelfordVariance(inverse.length);
    this.scratch = new Float64Array(inverse.length);
  }

  add({ gradient, position }: PhasePoint): void {
    this.positions.add(position);
    this.gradients.add(gradient);
  }

  /** The metric for a normal distribution with the variances of positions and gradients so far; the present one if they are few. */
  learned(): Float64Array {
    const { gradients, inverse, positions, scratch } = this;
    if (positions.size < LEAST_DRAWS) return inverse;
    const variances = new Float64Array(inverse.length);
    positions.writeVariance(variances);
    gradients.writeVariance(scratch);
    return variances.map((variance, i) => {
      const learned = Math.sqrt(variance / scratch[i]);
      return learned > 0 && Number.isFinite(learned) ? learned : inverse[i];
    });
  }
}

/** The metric of the level whose turn it is. */
export class LevelScales implements Metric {
  private readonly space: PhaseSpace;
  private current: LevelScale;
  /** A view of memory, which is detached when the memory grows. */
  private row: Float64Array;

  constructor(space: PhaseSpace) {
    this.space = space;
    this.row = space.metricRow(0);
    this.current = new LevelScale(new Float64Array(space.dimension).fill(1));
  }

  use(scale: LevelScale): void {
    this.current = scale;
    if (this.row.length === 0) this.row = this.space.metricRow(0);
    this.row.set(scale.inverse);
  }

  drawMomentum({ momentum }: PhasePoint, rng: Rng): void {
    const { momentumScale } = this.current;
    for (let i = 0; i < momentum.length; i++) momentum[i] = rng.normal() * momentumScale[i];
  }

  inverse(): Float64Array {
    return this.current.inverse.slice();
  }
}
