/** The English sentences of findings. */
import { NAMES } from '../../base/statement.js';

const QUANTITIES = '{count, plural, one {one quantity} other {{count} quantities}}';
const NAMED = `${QUANTITIES}, ${NAMES},` as const;
/** `depth` is 0 if the limit is unknown. */
const DEPTH = 'the maximum tree depth{depth, plural, =0 {} other { of {depth}}}';
const SHARE = '{count} of {draws} transitions ({share} %)';
const CHAINS = `{count, plural, one {chain} other {chains}} ${NAMES}` as const;

export const FINDING_SENTENCES = {
  noDraws: 'At least one chain has no draws after warmup, so the draws cannot be checked.',
  tooFew:
    '{draws, plural, one {There is one draw} other {There are {draws} draws}} per chain, too few to check: R-hat and effective sample sizes require at least {least}, and are reliable with hundreds. Draw more samples with a sampler.',
  notFinite: `Draws of ${NAMED} are NaN or infinite, so they cannot be checked. Check how the program computes them.`,
  stuck: `In every chain, the draws of ${NAMED} are equal, but they differ between chains: the sampler does not move. Decrease the step size or adapt it in a longer warmup, and check the initial values. If other quantities vary, the posterior may have several modes.`,
  allTheSame:
    'All draws are equal, including the log density: the sampler does not move, or nothing in the model is random. Decrease the step size or adapt it in a longer warmup, and check the initial values.',
  theSame: `All draws of ${NAMED} are equal, so there is nothing to check.`,
  noDivergence: 'No transition diverged.',
  divergences: `${SHARE} diverged: the sampler could not follow the posterior's curvature, and the draws miss the regions where it is strongest. Increase delta towards 1 (0.95, 0.99); if that does not help, reparameterize the model (non-centered hierarchical scales) or use more informative priors.`,
  noTreedepth: `No transition reached ${DEPTH}.`,
  treedepth: `${SHARE} reached ${DEPTH}: trajectories end before they turn, which makes sampling slow, not wrong. Increase max_depth, or rescale or reparameterize the model so that its parameters have similar scales and little correlation.`,
  energyGood: 'E-BFMI is satisfactory: at least {limit} in every chain.',
  energyUnknown: `E-BFMI cannot be computed for ${CHAINS}: its energies are not finite, or all equal.`,
  energyLow: `E-BFMI is below {limit} in ${CHAINS}: the energy changes too little from draw to draw to explore the posterior's tails. Reparameterize the model; a longer warmup may also help.`,
  rhatGood: 'Rank-normalized split R-hat is satisfactory: at most {limit} for all non-constant quantities.',
  rhatHigh: `Rank-normalized split R-hat is above {limit} for ${QUANTITIES}, ${NAMES}: the chains do not agree yet. Run them longer; if R-hat stays high, check for several modes, or for parameters that the data do not identify.`,
  rhatSeparated: `Each chain on its own has converged for ${NAMED} but to different values: the posterior probably has several modes. Sample it with the function tempered, which moves between modes.`,
  rhatUnknown: `It is undefined for ${NAMED} whose draws are all equally far from the median.`,
  essGood:
    'Effective sample sizes are satisfactory: at least {limit}, {each} per chain, for all non-constant quantities.',
  essLow: `The effective sample size of bulk or tails is below {limit}, {each} per chain, for ${QUANTITIES}, ${NAMES}: their means and quantiles are not reliable. Draw more samples, or reparameterize the model so that draws are less correlated.`,
  essUntailed: `For ${NAMED} only the bulk was checked: too many draws equal the minimum or maximum for an effective sample size of the tails.`,
  generatedNotFinite: '{quantity}: {count} of {draws} draws are NaN or infinite.',
  generatedMore:
    '{count, plural, one {One more quantity has} other {{count} more quantities have}} draws that are NaN or infinite.',
  generatedAdvice: 'Check how the program computes these values.',
  simulations:
    '{count, plural, one {One simulation} other {{count} simulations}}: no parameter is sampled, so there is no convergence to check.',
} as const;
