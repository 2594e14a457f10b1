import type { DiagonalMetric } from '../transition/metric.js';
import { WelfordVariance } from './welford.js';
import type { WarmupSchedule } from './windows.js';

/** Learns a diagonal inverse metric, the variance of each coordinate, from the positions of each warmup window. */
export class DiagonalAdaptation {
  private readonly schedule: WarmupSchedule;
  private readonly metric: DiagonalMetric;
  private readonly estimator: WelfordVariance;
  private iteration = 0;

  constructor(schedule: WarmupSchedule, metric: DiagonalMetric, dimension: number) {
    this.schedule = schedule;
    this.metric = metric;
    this.estimator = new WelfordVariance(dimension);
  }

  /** Takes in the position of the next warmup iteration. At the end of a window sets the metric, or says why it can't. */
  update(position: Float64Array): 'unchanged' | 'updated' | { readonly problem: string } {
    const { slowStart, slowEnd, windowEnds } = this.schedule;
    const iteration = this.iteration++;
    if (iteration >= slowStart && iteration < slowEnd) this.estimator.add(position);
    if (!windowEnds.has(iteration)) return 'unchanged';

    const estimate = this.regularisedVariance();
    if (!estimate.every(Number.isFinite)) return { problem: OVERFLOW };
    this.metric.setInverse(estimate);
    this.estimator.restart();
    return 'updated';
  }

  /** The variances, shrunk towards 0.001 as if by five more draws. */
  private regularisedVariance(): Float64Array {
    const variance = this.metric.inverse();
    this.estimator.writeVariance(variance);
    const n = this.estimator.size;
    return variance.map((value) => (n / (n + 5)) * value + 1e-3 * (5 / (n + 5)));
  }
}

const OVERFLOW =
  'Numerical overflow in metric adaptation. This occurs when the sampler encounters extreme values on the ' +
  'unconstrained space; this may happen when the posterior density function is too wide or improper. ' +
  'There may be problems with your model specification.';
