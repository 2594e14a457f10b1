/** Explanations of statistical terms in three sentences. They are loaded when a term is opened. */
import type { TermName } from '../../terms/term-names.js';

/** The sentences of an explanation. */
export type Explanation = readonly [string, string, string];

export const terms: Readonly<Record<TermName, Explanation>> = {
  rhat: [
    'R-hat compares the spread of all draws with the spread within single chains, after replacing the draws by their ranks.',
    'A value close to 1 means that the chains describe the same distribution; above 1.01 they do not yet.',
    'Longer chains help, or another parameterization if some chains explore regions that others do not reach.',
  ],
  ess: [
    'The effective sample size is the number of independent draws that would be as informative as these draws, which depend on each other.',
    'Bulk refers to the center of the distribution, tail to its 5 % and 95 % quantiles.',
    'Estimates are reliable from about 100 effective draws in each chain.',
  ],
  mcse: [
    'The Monte Carlo standard error is the uncertainty of an estimate because the number of draws is finite.',
    'For a mean, it is the standard deviation divided by the square root of the effective sample size: four times as many draws halve it.',
    'It does not measure how uncertain the quantity itself is; the standard deviation (sd) does.',
  ],
  divergence: [
    'A transition diverges if its simulated trajectory departs from the exact one, because the posterior bends too sharply for the step size.',
    'Draws from that region are then missing, so estimates may be biased.',
    'Automatic reparameterization often removes divergences, as does a smaller step size, with a larger delta.',
  ],
  treeDepth: [
    'NUTS doubles a trajectory until it turns back; the tree depth is the number of doublings.',
    'Trajectories that reach the maximum are cut off: the draws are valid, but depend more on each other.',
    'Rescale the parameters or reparameterize the model; a greater max_depth helps only if this is not possible.',
  ],
  ebfmi: [
    'E-BFMI compares the changes of the energy between draws with its total variation.',
    'Below 0.3, a chain moves too slowly between energies, and may miss the tails of the posterior.',
    'Another parameterization helps, or a longer warmup.',
  ],
  loo: [
    'Leave-one-out cross-validation measures how well the model predicts each observation from all others.',
    'It reweights the draws by importance sampling, so the model is not fitted again for each observation.',
    'Models of the same observations can be compared by it.',
  ],
  elpd: [
    'elpd_loo is the sum of the logarithms of the densities that the model predicts for the observations, each left out once.',
    'Greater is better, but only differences between models of the same observations have a meaning.',
    'A difference (elpd_diff) below 4, or below about two of its standard errors (se_diff), does not separate two models.',
  ],
  paretoK: [
    'Pareto k measures how strongly the posterior changes when an observation is left out.',
    'Above 0.7, the importance sampling estimate of this observation is not reliable.',
    'Refit without these observations, or look for outliers that call for heavier tails.',
  ],
  pLoo: [
    'p_loo is the effective number of parameters: how much better the model fits the observations than it predicts them when they are left out.',
    'In a model that describes the data well, it is smaller than the number of parameters and than the number of observations.',
    'A larger value indicates observations that the model does not expect.',
  ],
  stacking: [
    'Stacking weights combine the predictions of the models so that the mixture predicts observations that are left out as well as possible.',
    'The weights are at least 0, and their sum is 1.',
    'A weight is not the probability of a model: of two models with the same predictions, one may receive all of it.',
  ],
  sbc: [
    'Simulation-based calibration draws parameters from the prior, simulates data with them, and fits the model to each simulated data set.',
    'If program and sampler are correct, all ranks of the true value among its posterior draws are equally likely.',
    'Slopes, humps and valleys in the histogram of ranks show an error.',
  ],
  priorPredictive: [
    'A prior predictive check compares the data with simulations from the prior, before the model has used any observation.',
    'The simulations should include all plausible data, and hardly any that are impossible.',
    'If they do not, change the priors.',
  ],
  interval: [
    'The 90 % interval is a quantile interval: 5 % of the draws lie below it, and 5 % above it.',
    'The highest density interval (HDI) is the shortest interval with the same probability; if the distribution is skewed, it lies closer to the peak.',
    'This page shows quantile intervals, which do not change their meaning when a parameter is transformed.',
  ],
  lp: [
    'lp__ is the logarithm of the posterior density of a draw, up to a constant, on the unconstrained scale that the sampler uses.',
    'Only its differences within one program have a meaning.',
    'If its trace drifts, the chains have not converged.',
  ],
  warmup: [
    'During warmup, a chain moves to the region of high posterior probability, and the sampler adapts its step size and metric.',
    'These iterations are not draws from the posterior: all results leave them out.',
    'If chains disagree, a longer warmup may help.',
  ],
  chain: [
    'A chain is a sequence of draws, each of which is made from the one before it.',
    'Several chains start at different positions: if their draws agree, the start has no influence any more.',
    'All chains together form the result.',
  ],
  bayesFactor: [
    'A Bayes factor is the ratio of the probabilities that two models gave to the data before seeing them.',
    'It depends on the priors of the parameters, even if these hardly change the posterior.',
    'Multiplied by the prior odds of the models, it gives their posterior odds; the table shows its logarithm.',
  ],
};
