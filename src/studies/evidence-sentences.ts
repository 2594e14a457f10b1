/** The English sentences about log evidences and their comparison. */
import { NAMES } from '../base/statement.js';

const QUANTITIES = '{count, plural, one {one unconstrained parameter} other {{count} unconstrained parameters}}';

export const EVIDENCE_SENTENCES = {
  evidenceGood: 'The chains agree, and both halves of the draws yield the same log evidence.',
  evidenceRhat: `R-hat is above {limit} for ${QUANTITIES}, ${NAMES}: the chains do not agree, so the log evidence can be wrong by more than its standard error. Run them longer.`,
  evidenceEss: `The effective sample size is below {limit} for ${QUANTITIES}, ${NAMES}: the standard error is not reliable. Draw more samples.`,
  evidenceHalves:
    'The two halves of the draws yield {first} and {second}, which differ by more than {limit} standard errors: the draws miss a part of the posterior, or it is far from normal. Draw more samples.',
  evidenceError:
    'The standard error is above {limit}: the posterior is far from normal, or there are too few draws. Draw more samples, or reparameterize the model.',
  evidenceRounded:
    'The log density of the program differs from lp__ of the draws by amounts with a standard deviation of {spread}: the numbers of the draws have too few digits. Write draws with more digits (sig_figs).',
  evidenceImproper: `${NAMES}: without a proper prior, the program has no evidence, and Bayes factors with models that lack the parameter are arbitrary. Add a prior.`,
  evidenceFlat: `${NAMES}: without a prior, the density within the bounds is 1, which does not integrate to 1. Add a prior, such as a uniform one.`,
  evidenceCut: `${NAMES}: the prior has mass outside of the declared bounds, so that it integrates to less than 1 within them, and the log evidence is too low. Truncate the distribution, as in sigma ~ normal(0, 1) T[0, ];`,
} as const;

export const EVIDENCE_CAUTIONS = {
  evidenceDoubtful: '{names}: the checks of the log evidence report problems. See the log evidence of this fit.',
  evidenceUnmatched:
    '{names}: the outcomes cannot be derived from the program. Check that all models predict the same data.',
} as const;
