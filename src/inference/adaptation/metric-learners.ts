import type { DenseMetric } from '../transition/dense-metric.js';
import type { DiagonalMetric } from '../transition/diagonal-metric.js';
import type { PhasePoint } from '../transition/phase-point.js';
import type { ChangedCoordinates } from './centering-adaptation.js';
import type { MetricLearner } from './metric-adaptation.js';
import { WelfordCovariance, WelfordVariance } from './welford.js';

/** Estimates are shrunk as if by this number of additional draws … */
const PRIOR_DRAWS = 5;
/** … with this variance. */
const PRIOR_VARIANCE = 1e-3;

/** A diagonal inverse metric: the variance of each coordinate, shrunk as in Stan. */
export class VarianceLearner implements MetricLearner {
  private readonly metric: DiagonalMetric;
  private readonly estimator: WelfordVariance;

  constructor(metric: DiagonalMetric, dimension: number) {
    this.metric = metric;
    this.estimator = new WelfordVariance(dimension);
  }

  add({ position }: Pick<PhasePoint, 'position'>): void {
    this.estimator.add(position);
  }

  learn(): boolean {
    const variance = this.metric.inverse();
    this.estimator.writeVariance(variance);
    const { kept, added } = shrinkage(this.estimator.size);
    const estimate = variance.map((value) => kept * value + added);
    if (!estimate.every(Number.isFinite)) return false;
    this.metric.setInverse(estimate);
    this.estimator.restart();
    return true;
  }

  change({ elements, positions }: ChangedCoordinates): void {
    const variance = this.metric.inverse();
    for (const [k, element] of elements.entries()) if (isVariance(positions[k])) variance[element] = positions[k];
    this.metric.setInverse(variance);
    this.estimator.restart();
  }
}

/** A dense inverse metric: the covariance of the coordinates, shrunk as in Stan. */
export class CovarianceLearner implements MetricLearner {
  private readonly metric: DenseMetric;
  private readonly estimator: WelfordCovariance;

  constructor(metric: DenseMetric, dimension: number) {
    this.metric = metric;
    this.estimator = new WelfordCovariance(dimension);
  }

  add({ position }: Pick<PhasePoint, 'position'>): void {
    this.estimator.add(position);
  }

  learn(): boolean {
    const covariance = this.metric.inverse();
    this.estimator.writeCovariance(covariance);
    const { kept, added } = shrinkage(this.estimator.size);
    const dimension = Math.sqrt(covariance.length);
    const estimate = covariance.map((value) => kept * value);
    for (let i = 0; i < dimension; i++) estimate[i * (dimension + 1)] += added;
    if (!estimate.every(Number.isFinite) || !this.metric.setInverse(estimate)) return false;
    this.estimator.restart();
    return true;
  }

  change({ elements, positions }: ChangedCoordinates): void {
    const covariance = this.metric.inverse();
    const dimension = Math.sqrt(covariance.length);
    for (const [k, element] of elements.entries()) {
      const variance = isVariance(positions[k]) ? positions[k] : covariance[element * (dimension + 1)];
      for (let j = 0; j < dimension; j++) {
        covariance[element * dimension + j] = 0;
        covariance[j * dimension + element] = 0;
      }
      covariance[element * (dimension + 1)] = variance;
    }
    this.metric.setInverse(covariance);
    this.estimator.restart();
  }
}

function isVariance(value: number): boolean {
  return value > 0 && value < Number.POSITIVE_INFINITY;
}

function shrinkage(draws: number): { readonly kept: number; readonly added: number } {
  const total = draws + PRIOR_DRAWS;
  return { kept: draws / total, added: PRIOR_VARIANCE * (PRIOR_DRAWS / total) };
}
