import { exponential, logarithm, power } from '../../base/elementary.js';

/** Arguments of the step-size adaptation, with Stan's names and defaults: 0.8, 0.05, 0.75, 10. */
export interface DualAveragingSettings {
  /** Target acceptance statistic. */
  readonly delta: number;
  /** Strength of the pull towards the starting point. */
  readonly gamma: number;
  /** Rate at which earlier iterations lose weight. */
  readonly kappa: number;
  /** Damps the first iterations. */
  readonly t0: number;
}

/** Nesterov's dual averaging of the logarithm of the step size (Hoffman and Gelman 2014, section 3.2). */
export class DualAveraging {
  private settings: DualAveragingSettings;
  private center: number;
  private iteration = 0;
  private meanError = 0;
  private meanLogStepSize = 0;

  /** Step sizes are shrunk towards ten times `stepSize`, because trials of too large step sizes are cheap. */
  constructor(settings: DualAveragingSettings, stepSize: number) {
    this.settings = settings;
    this.center = logarithm(10 * stepSize);
  }

  /** Restarts from a new step size. */
  restart(stepSize: number): void {
    this.center = logarithm(10 * stepSize);
    this.iteration = 0;
    this.meanError = 0;
    this.meanLogStepSize = 0;
  }

  /** Raises the target acceptance statistic by three quarters of its distance from 1; returns the earlier and the new target. */
  raiseTarget(): readonly [number, number] {
    const { delta } = this.settings;
    const raised = 1 - (1 - delta) / 4;
    this.settings = { ...this.settings, delta: raised };
    return [delta, raised];
  }

  /** Updates with a transition's acceptance statistic and returns the next step size to try. */
  update(acceptStatistic: number): number {
    const { delta, gamma, kappa, t0 } = this.settings;
    this.iteration += 1;
    const errorShare = 1 / (this.iteration + t0);
    const error = delta - Math.min(1, acceptStatistic);
    this.meanError = (1 - errorShare) * this.meanError + errorShare * error;
    const logStepSize = this.center - (this.meanError * Math.sqrt(this.iteration)) / gamma;
    const share = power(this.iteration, -kappa);
    this.meanLogStepSize = (1 - share) * this.meanLogStepSize + share * logStepSize;
    return exponential(logStepSize);
  }

  /** The averaged step size, for sampling; undefined before the first transition since the start or the latest restart. */
  get averaged(): number | undefined {
    return this.iteration === 0 ? undefined : exponential(this.meanLogStepSize);
  }
}
