/**
 * How a calibration samples the prior. Without data, effects and their scale form a funnel. In the coordinates of the program, draws lack small
 * scales, and a correct sampler of the posterior fails the calibration. Therefore coordinates are learned.
 */
import type { CompilationOptions } from '../chain/compiler.js';
import { moduleOptions } from '../chain/own-module.js';

export const PRIOR_SAMPLER = 'hmc_nuts_diag_e_adapt';
export const PRIOR_ARGUMENTS = { reparameterize: 'auto' } as const;

/** The compile options of the program for the prior. */
export function priorModule(): CompilationOptions {
  return { ...moduleOptions(PRIOR_SAMPLER, PRIOR_ARGUMENTS) };
}
