/** The sentences of findings in English. */
import { NAMES } from '../../sentences/statement.js';

const QUANTITIES = '{count, plural, one {one quantity} other {{count} quantities}}';
const NAMED = `${QUANTITIES}, ${NAMES},` as const;
/** Without a known limit, `depth` is 0. */
const DEPTH = 'the maximum tree depth{depth, plural, =0 {} other { of {depth}}}';
const SHARE = '{count} of {draws} transitions ({share} %)';
const CHAINS = `{count, plural, one {chain} other {chains}} ${NAMES}` as const;

export const FINDING_SENTENCES = {
  noDraws: 'At least one chain has no draws after warmup, so nothing can be judged.',
  tooFew:
    '{draws, plural, one {There is one draw} other {There are {draws} draws}} a chain, too few to judge: R-hat and effective sample sizes require at least {least}, and hundreds to be reliable. Draw more samples with a sampler.',
  notFinite: `Draws of ${NAMED} are NaN or infinite, so that they cannot be judged. Look at how the program computes them.`,
  stuck: `Every chain has a value of its own for ${NAMED} and never leaves it: the sampler does not move. Lower the step size or let it adapt in a longer warmup; look at the initial values; if other quantities move, the posterior may have several modes.`,
  allTheSame:
    'All draws are the same, the log density included: the sampler does not move, or nothing in the model is random. Lower the step size or let it adapt in a longer warmup, and look at the initial values.',
  theSame: `All draws of ${NAMED} are the same, so that there is nothing to judge.`,
  noDivergence: 'No transition diverged.',
  divergences: `${SHARE} diverged: the sampler could not follow the posterior's curvature, and the draws leave out where it is strongest. Raise delta towards 1 (0.95, 0.99); if that does not help, reparameterize the model (non-centered hierarchical scales) or give it more informative priors.`,
  noTreedepth: `No transition reached ${DEPTH}.`,
  treedepth: `${SHARE} reached ${DEPTH}: trajectories end before they turn, which makes sampling slow rather than wrong. Raise max_depth, or rescale or reparameterize the model so that its parameters have like scales and little correlation.`,
  energyGood: 'E-BFMI is satisfactory: at least {limit} in every chain.',
  energyUnknown: `E-BFMI cannot be computed for ${CHAINS}: the energies there are not finite, or all the same.`,
  energyLow: `E-BFMI is below {limit} in ${CHAINS}: the energy changes too little from draw to draw to explore the posterior's tails. Reparameterize the model; longer warmup may help as well.`,
  rhatGood: 'Rank-normalized split R-hat is satisfactory: at most {limit} for every quantity that varies.',
  rhatHigh: `Rank-normalized split R-hat is above {limit} for ${QUANTITIES}, ${NAMES}: the chains do not agree yet. Run them longer; if R-hat stays high, look for several modes or parameters that the data do not distinguish.`,
  rhatUnknown: `It is undefined for ${NAMED} whose draws are all equally far from the median.`,
  essGood: 'Effective sample sizes are satisfactory: at least {limit}, {each} a chain, for every quantity that varies.',
  essLow: `The effective sample size of bulk or tails is below {limit}, {each} a chain, for ${QUANTITIES}, ${NAMES}: their means and quantiles are not reliable. Draw more samples, or reparameterize the model so that draws are less correlated.`,
  essUntailed: `For ${NAMED} only the bulk was judged: too many draws equal the minimum or maximum for an effective sample size of the tails.`,
} as const;
