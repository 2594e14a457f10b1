import type { Tolerances } from './ode.js';

/** Defaults. Source: Stan Functions Reference, "Differential-algebraic equation solver". */
export const DEFAULTS: Tolerances = [1e-10, 1e-10, 100_000_000];

/**
 * Factor on the requested tolerances that makes solutions and gradients as accurate as Stan's. Measured on the reference cases, relative to
 * solutions with tolerances of 1e-13.
 */
export const STRICTNESS = 0.1;

/** Stan's messages for too many steps before an output, error tests that fail repeatedly, and equations without a solution. */
export const FAILURES = { steps: failure(-1), errors: failure(-3), convergence: failure(-4) };

function failure(flag: number): string {
  return `IDASolve(mem, ts[i], &t1, yy, yp, IDA_NORMAL) failed with error flag ${flag}: `;
}
