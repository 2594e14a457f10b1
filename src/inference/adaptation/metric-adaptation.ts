import type { PhasePoint } from '../transition/phase-point.js';
import type { ChangedCoordinates } from './centering-adaptation.js';
import type { WarmupSchedule } from './windows.js';

/** Learns a metric from the positions of the chain since the last restart. */
export interface MetricLearner {
  add(point: Pick<PhasePoint, 'position' | 'gradient'>): void;
  /** Sets the metric to the estimate and restarts. If the estimate overflows, returns false and changes nothing. */
  learn(): boolean;
  /** Handles a change of coordinates: sets the metric of the changed coordinates from their variances, and restarts. */
  change(coordinates: ChangedCoordinates): void;
}

/** Adapts a metric during warmup. */
export interface MetricAdaptation {
  /** Receives the starting point of the chain and, if known, estimated variances of the coordinates, unless a metric is given. */
  begin(point: Pick<PhasePoint, 'position' | 'gradient'>, variances?: Float64Array): void;
  /**
   * Receives the point of the next warmup iteration. Returns `updated` if the metric has changed, so that a new step size must be searched,
   * and a problem if the metric cannot be set.
   */
  update(point: Pick<PhasePoint, 'position' | 'gradient'>): 'unchanged' | 'updated' | { readonly problem: string };
  /** Discards estimates of coordinates that have changed. */
  change(coordinates: ChangedCoordinates): void;
}

/** Passes the points of each warmup window to a learner, and sets the metric at its end, as in Stan. */
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

  change(coordinates: ChangedCoordinates): void {
    this.learner.change(coordinates);
  }
}

const OVERFLOW =
  'Numerical overflow in metric adaptation. This occurs when the sampler encounters extreme values on the ' +
  'unconstrained space; this may happen when the posterior density function is too wide or improper. ' +
  'There may be problems with your model specification.';
