import type { PhasePoint } from '../transition/phase-point.js';
import type { WarmupSchedule } from './windows.js';

/** Learns a metric from where the chain has been since the last restart. */
export interface MetricLearner {
  add(point: Pick<PhasePoint, 'position' | 'gradient'>): void;
  /** Sets the metric to what has been learnt and starts afresh; false when that overflows, and then nothing has changed. */
  learn(): boolean;
}

/** Adapts a metric during warmup. */
export interface MetricAdaptation {
  /** Sees where the chain starts, unless a metric is given. */
  begin(point: Pick<PhasePoint, 'position' | 'gradient'>): void;
  /**
   * Takes in the point of the next warmup iteration. `updated` when the metric has become another one, for which the step size
   * must be searched anew; a problem when it cannot be set.
   */
  update(point: Pick<PhasePoint, 'position' | 'gradient'>): 'unchanged' | 'updated' | { readonly problem: string };
}

/** Lets a learner see the points of each warmup window, and learn at its end, as in Stan. */
export class WindowedAdaptation implements MetricAdaptation {
  private readonly schedule: WarmupSchedule;
  private readonly learner: MetricLearner;
  private iteration = 0;

  constructor(schedule: WarmupSchedule, learner: MetricLearner) {
    this.schedule = schedule;
    this.learner = learner;
  }

  begin(): void {}

  update(point: Pick<PhasePoint, 'position' | 'gradient'>): 'unchanged' | 'updated' | { readonly problem: string } {
    const { slowStart, slowEnd, windowEnds } = this.schedule;
    const iteration = this.iteration++;
    if (iteration >= slowStart && iteration < slowEnd) this.learner.add(point);
    if (!windowEnds.has(iteration)) return 'unchanged';
    return this.learner.learn() ? 'updated' : { problem: OVERFLOW };
  }
}

const OVERFLOW =
  'Numerical overflow in metric adaptation. This occurs when the sampler encounters extreme values on the ' +
  'unconstrained space; this may happen when the posterior density function is too wide or improper. ' +
  'There may be problems with your model specification.';
