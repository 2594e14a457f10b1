import type { Calibration } from 'leapfrog';

/** A calibration in progress, or the latest one. */
export interface Calibrating {
  readonly simulations: number;
  readonly done: number;
  readonly isRunning: boolean;
  /** Why there is no result. */
  readonly problem?: string;
  readonly result?: Calibration;
}
