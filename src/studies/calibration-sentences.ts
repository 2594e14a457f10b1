import { NAMES } from '../base/statement.js';

/** The English sentences about calibrations. */
export const CALIBRATION_SENTENCES = {
  calibrationGood:
    '{all, plural, one {The ranks of the quantity are} other {The ranks of all {all} quantities are}} compatible with a uniform distribution: no miscalibration was found in {simulations} fits.',
  calibrationBad: `The ranks of {all, plural, one {the quantity} other {{count} of {all} quantities}} are not uniform: ${NAMES}. Check the program, the sampler and its settings: the fits do not sample from the posterior.`,
  calibrationDivergent:
    '{count, plural, one {1 of {simulations} fits has} other {{count} of {simulations} fits have}} divergent transitions after warmup.',
} as const;
