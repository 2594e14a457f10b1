import { NAMES } from '../base/statement.js';

/** The English sentences about cross-validation with refits. */
export const REFIT_SENTENCES = {
  looRefitted: `{count, plural, one {1 of {all} observations was} other {{count} of {all} observations were}} left out by refits: ${NAMES}.`,
  refitsGood:
    '{all, plural, one {R-hat of the refit is at most {limit}: its chains agree.} other {R-hat is at most {limit} in all {all} refits: their chains agree.}}',
  refitsHigh: `R-hat is above {limit} in {count} of {all} refits, ${NAMES}: their chains do not agree. Run more iterations.`,
  refitsDivergent:
    '{count, plural, one {1 of {all} refits has} other {{count} of {all} refits have}} divergent transitions after warmup.',
} as const;
