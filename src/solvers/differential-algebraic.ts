import type { Tolerances } from './ode.js';

/** Defaults. Source: Stan Functions Reference, "Differential-algebraic equation solver". */
export const DEFAULTS: Tolerances = [1e-10, 1e-10, 100_000_000];

/**
 * Factor of the tolerances with which solutions and gradients are as accurate as Stan's at the same tolerances: measured on the reference cases
 * against solutions at tolerances of 1e-13.
 */
export const STRICTNESS = 0.1;

/** Stan's messages for too many steps to an output, errors that stay too large, and equations without a solution. */
export const FAILURES = { steps: failure(-1), errors: failure(-3), convergence: failure(-4) };

function failure(flag: number): string {
  return `IDASolve(mem, ts[i], &t1, yy, yp, IDA_NORMAL) failed with error flag ${flag}: `;
}
