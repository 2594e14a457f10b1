import { dot, norm } from '../linear/vectors.js';
import type { Rng } from '../random/rng.js';
import type { Metric } from './metric.js';
import type { PhasePoint } from './phase-point.js';
import type { PhaseSpace } from './phase-space.js';

/**
 * A diagonal inverse metric with a low-rank correction: M⁻¹ = S (I + Σ (λ_j - 1) u_j u_j') S, where S is diagonal with positive entries, the u_j are
 * orthonormal, and every λ_j is positive.
 */
export interface LowRankForm {
  /** The diagonal of S. */
  readonly scales: Float64Array;
  /** λ_j u_j, each with one element per coordinate. */
  readonly directions: readonly Float64Array[];
}

/** Whether scales and eigenvalues are positive and finite, and the directions orthogonal. */
export function isLowRankForm({ directions, scales }: LowRankForm): boolean {
  const values = directions.map(norm);
  const isPositive = (value: number) => value > 0 && value < Number.POSITIVE_INFINITY;
  const isOrthogonal = (i: number, j: number) =>
    Math.abs(dot(directions[i], directions[j])) <= TOLERANCE * values[i] * values[j];
  return (
    scales.every(isPositive) &&
    values.every(isPositive) &&
    values.every((_, i) => values.slice(0, i).every((_, j) => isOrthogonal(i, j)))
  );
}

/** Maximum absolute cosine of the angle between directions that count as orthogonal. */
const TOLERANCE = 1e-8;

/** A mass matrix whose inverse is a `LowRankForm`, initially the identity. A product with it costs a few vector operations per direction. */
export class LowRankMetric implements Metric {
  private readonly space: PhaseSpace;
  private current: LowRankForm;
  /** (λ_j^-1/2 - 1) / λ_j², since the directions have length λ_j. */
  private momentumFactors = new Float64Array();
  private readonly products: Float64Array;

  /** The phase space must have been created for a low-rank metric of `maxRank` directions. */
  constructor(space: PhaseSpace, maxRank: number) {
    this.space = space;
    this.products = new Float64Array(maxRank);
    this.current = { scales: new Float64Array(space.dimension).fill(1), directions: [] };
    this.set(this.current);
  }

  get form(): LowRankForm {
    return this.current;
  }

  /** The diagonal of S², followed by each λ_j u_j. */
  inverse(): Float64Array {
    const { scales, directions } = this.current;
    const { dimension } = this.space;
    const rows = new Float64Array((1 + directions.length) * dimension);
    rows.set(scales.map((scale) => scale * scale));
    for (const [j, direction] of directions.entries()) rows.set(direction, (1 + j) * dimension);
    return rows;
  }

  set(form: LowRankForm): void {
    const { scales, directions } = form;
    const { space } = this;
    this.current = form;
    space.metricRow(0).set(scales.map((scale) => scale * scale));
    const values = directions.map(norm);
    for (const [j, direction] of directions.entries()) {
      space.metricRow(1 + j).set(direction.map((element, i) => (element / values[j]) * scales[i]));
    }
    space.setRank(Float64Array.from(values, (value) => value - 1));
    this.momentumFactors = Float64Array.from(values, (value) => (1 / Math.sqrt(value) - 1) / (value * value));
  }

  /** p = S⁻¹ (z + Σ (λ_j^-1/2 - 1) u_j u_j' z) with standard normal z, which has covariance M. */
  drawMomentum({ momentum }: PhasePoint, rng: Rng): void {
    const { momentumFactors, products } = this;
    const { directions, scales } = this.current;
    for (let i = 0; i < momentum.length; i++) momentum[i] = rng.normal();
    for (let j = 0; j < directions.length; j++) products[j] = momentumFactors[j] * dot(directions[j], momentum);
    for (let j = 0; j < directions.length; j++) {
      const direction = directions[j];
      for (let i = 0; i < momentum.length; i++) momentum[i] += products[j] * direction[i];
    }
    for (let i = 0; i < momentum.length; i++) momentum[i] /= scales[i];
  }
}
