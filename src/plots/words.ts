import { ENGLISH_NUMERALS, type Numerals } from '../base/numerals.js';
import { fill, type Statement } from '../base/statement.js';

/** A language: the text with a key, with its arguments replaced by values, and numbers. */
export interface PlotWords extends Numerals {
  (key: keyof typeof PLOT_WORDS, values?: Statement['values']): string;
}

/** The language of a plot's texts and numbers; English by default. */
export function wordsOf({ words = english }: { readonly words?: PlotWords }): PlotWords {
  return words;
}

const english: PlotWords = Object.assign(
  (key: keyof typeof PLOT_WORDS, values: Statement['values'] = {}) => fill(PLOT_WORDS[key], values),
  ENGLISH_NUMERALS,
);

const STATISTIC = '{statistic, select, mean {mean} sd {standard deviation} least {least value} other {greatest value}}';
const AND_MORE = '{more, plural, =0 {} other { and more}}';
const OUTSIDE = '{outside} of {count} lie outside the 90 % interval; if the model is right, about {expected} do.';

/** Titles, descriptions, axes, legends and columns of plots and reports in English, in the subset of ICU message syntax that `src/sentences` describes. */
export const PLOT_WORDS = {
  aboveZero: 'P(> 0)',
  axis: 'Axis',
  axisRange: 'From {from} to {to}.',
  band: 'band',
  bin: 'bin',
  bulk: 'bulk',
  chain: 'chain',
  chainOf: 'chain {name}',
  changes: 'changes',
  constantValue: 'constant: {value}',
  count: 'count',
  curve: 'curve',
  density: 'density',
  depth: 'depth',
  difference: 'difference',
  divergent: 'divergent',
  divergentDraw: 'divergent draw',
  draw: 'draw',
  draws: 'draws',
  effect: 'effect',
  energy: 'energy',
  firstRank: 'first rank',
  fit: 'fit',
  fractionalRank: 'fractional rank',
  from: 'from',
  high: 'high',
  interval90: '90 % interval',
  iteration: 'iteration',
  lag: 'lag',
  lastRank: 'last rank',
  low: 'low',
  mean: 'mean',
  median: 'median',
  meanOf: 'mean of {name}',
  meansRange: 'means {from} to {to}',
  noFiniteValue: 'no finite value',
  notFiniteShare: '{percent} % of the draws are NaN or infinite',
  observation: 'observation',
  observations: 'observations',
  observed: 'observed',
  paretoK: 'Pareto k',
  place: 'place',
  probability: 'probability',
  quantity: 'quantity',
  range: '{from} to {to}',
  rank: 'rank',
  share: 'share',
  simulation: 'simulation',
  simulationOf: 'simulation {number}',
  simulations: 'simulations',
  standardDeviations: 'standard deviations',
  stepSize: 'step size',
  tail: 'tail',
  to: 'to',
  transitions: 'transitions',
  treeDepth: 'tree depth',
  value: 'value',

  spotInterval: '{name}: {median} ({from} to {to})',
  spotChain: 'chain {chain}: {value}',
  spotChainDraws: 'chain {chain}: {count, plural, one {1 draw} other {{count} draws}}',
  spotDraw: 'chain {chain}, draw {draw}: {value}',
  spotRanks: 'ranks {from} to {to}: {count, plural, one {1 fit} other {{count} fits}}, band {low} to {high}',
  spotBand: '{place}: {difference}, band ±{width}',
  spotSimulated: '{name}: {value}, simulated {from} to {to}',
  spotPredicted: '{name}: {value}, predicted {from} to {to}',
  spotSimulatedMean: '{name}: mean of {count} {value}, simulated {from} to {to}',

  traceTitle: 'Trace of {name}',
  traceAbout:
    '{chains, plural, one {One chain} other {{chains} chains}} of {name}, draw by draw, between {low} and {high}.{divergent, plural, =0 {} one { 1 divergent transition is marked at the bottom.} other { {divergent} divergent transitions are marked at the bottom.}}',
  warmupTitle: 'Trace of {name} in warmup',
  warmupAbout:
    '{chains, plural, one {One chain} other {{chains} chains}} of {name} in warmup, iteration by iteration. These draws are not part of the results.',
  densityTitle: 'Density of {name}',
  densityAbout: 'Density of {name} by chain, from {from} to {to}.',
  densityConstant: 'The draws of {name} are constant within each chain, so no density is drawn.',
  distributionTitle: 'Distribution of {name}',
  distributionAbout:
    'Density of all draws of {name}: median {median}, 50 % interval {low} to {high}, 90 % interval {from} to {to}.',
  distributionNumbers: 'median {median}, 90 %: {from} to {to}',
  comparedAbout: 'Density of {name} in {fits}, from {from} to {to}.',
  comparedConstant: 'The draws of {name} are constant, so no density is drawn.',
  comparedFits: '{first} and {second}',
  autocorrelationTitle: 'Autocorrelation of {name}',
  autocorrelationAbout:
    'Correlation of draws of {name} with those up to {lags} iterations earlier; it is 0 for independent draws.',
  ranksTitle: 'Ranks of {name}',
  ranksAbout:
    "The number of each chain's draws of {name} in each twentieth of all draws: about {expected} in chains that agree.",
  ecdfTitle: 'ECDF difference of {name}',
  ecdfSingle: 'Distributions of the ranks of {name}, minus a uniform distribution. A single chain cannot be compared.',
  ecdfGood:
    'Distributions of the ranks of {name}, minus a uniform distribution. All chains stay within the band that contains all chains in 95 % of cases if their distributions are equal.',
  ecdfBad:
    'Distributions of the ranks of {name}, minus a uniform distribution. {count, plural, one {Chain {chains} leaves} other {Chains {chains} leave}} the band that contains all chains in 95 % of cases if their distributions are equal.',
  energyTitle: 'Energy',
  energyAbout:
    'Deviations of the energy from its mean, and its changes between draws. E-BFMI is at least {least} in every chain.',
  treeDepthTitle: 'Tree depth',
  treeDepthAbout: 'Tree depths of the trajectories, from {least} to {greatest}.',
  stepSizeTitle: 'Step size and acceptance',
  stepSizeAbout:
    'Acceptance statistics of {chains, plural, one {one chain} other {{chains} chains}} with step sizes from {from} to {to}: medians, 50 % and 90 % intervals.',
  stepSizeRow: 'chain {chain}, step {step}',
  localSampleSizeTitle: 'Local sample size of {name}',
  localSampleSizeAbout:
    'Effective sample sizes of the quantiles of {name} (line) and of the intervals between them (boxes), by probability; the least is {least}.',
  ofQuantiles: 'of quantiles',
  ofIntervals: 'of intervals',
  sampleSizeTitle: 'Effective sample size of {name}',
  sampleSizeConstant: 'The effective sample size of {name} is not defined: its draws do not vary.',
  sampleSizeBulk: 'Effective sample size of {name} by the number of draws; with all draws, {bulk} in the bulk.',
  sampleSizeAbout:
    'Effective sample size of {name} by the number of draws; with all draws, {bulk} in the bulk and {tail} in the tails.',
  pairTitle: '{up} against {across}',
  pairAbout: 'Draws of {up} against {across}. Divergent transitions, as crosses: {count}.',
  pairMatrixTitle: 'Matrix of pairs',
  pairMatrixAbout:
    'Densities of {names}, and the draws of each pair. Correlations: {correlations}. Divergent transitions, as crosses: {count}.',
  pairMatrixCorrelation: 'Correlation of {up} and {across}: {value}',
  parallelTitle: 'Parallel coordinates',
  parallelAbout:
    '{shown} of {count} draws as lines across {quantities} quantities, each minus its mean and divided by its standard deviation. Divergent draws, with crosses: {divergent}{hidden, plural, =0 {} other {, of which {shownDivergent} are shown}}.',
  intervalsTitle: 'Intervals',
  intervalsAbout: `Medians with 50 % and 90 % intervals of {count} quantities: {medians}${AND_MORE}.`,
  ridgelinesTitle: 'Ridgelines',
  ridgelinesAbout: `Densities of {count} quantities, all drawn at the same height, with their medians: {medians}${AND_MORE}.`,
  forestTitle: 'Key quantities',
  forestAbout: `Means and 90 % intervals: {rows}${AND_MORE}.`,
  stripTitle: 'Interval of {name}',
  stripAbout: 'Mean {mean}, 90 % interval {interval}.',
  stripElements: 'Elements with {interval}.',

  effectAbout: '{name}: median {median}, 90 % interval {from} to {to}, P(> 0) {above}.',
  fittedAbout:
    'Line: median of the {name}, averaged over the rows of the data; bands: its 50 % and 90 % intervals. Single observations (dots) scatter more.',
  fittedPanelsAbout:
    'Each of {count} panels shows the {name} if all rows belonged to its group, and the observations of this group.{hidden, plural, =0 {} one { One other group is not shown.} other { {hidden} other groups are not shown.}}',
  fittedCategoriesAbout:
    'Each of {count} panels shows the probability of one category, averaged over the rows of the data, with 50 % and 90 % intervals. Dots are observations, at 1 if they belong to the category.',
  fittedPredictionsAbout:
    'Line: median of simulations of {name}; bands: their 50 % and 90 % intervals. {outside} of {count} observations (dots) are outside the 90 % intervals.',
  ecdfsTitle: 'ECDFs of {name}',
  ecdfsAbout:
    'The empirical distribution function of {name} (thick) over those of {count} simulations (thin): if the model could have generated the data, the thick line lies among the thin ones.',
  meanOfSimulations: 'mean of simulated {name}',
  observedAgainstMeanTitle: '{name} against its mean prediction',
  observedAgainstMeanAbout:
    'Each observation of {name} against the mean of its simulations: {above} of {count} are above the dashed line, on which both are equal.',
  errorOf: '{name} minus mean',
  errorsTitle: 'Errors of {name}',
  errorsAbout: `Each observation of {name} minus the mean of its simulations (dots), with 90 % intervals of the same in the simulations; ${OUTSIDE}`,
  meanErrorOf: 'mean error of {name}',
  binnedErrorsAbout: `The mean of {name} minus the mean of its simulations in each of {count} bins of predicted probability (dots), with 90 % intervals of the same in the simulations; ${OUTSIDE}`,
  predictedProbability: 'predicted probability of {name} = 1',
  shareOfOnes: 'share of {name} = 1',
  reliabilityTitle: 'Calibration of {name}',
  reliabilityAbout:
    'The share of ones by predicted probability (line), estimated by isotonic regression, with 90 % intervals of the same in the simulations (band). {outside} of {count} observations are outside of the band.',
  twoStatisticsTitle: '{name}: two statistics',
  twoStatisticsAbout:
    'The {across} and the {up} of {name} are {first} and {second} (large dot); small dots are those of {count} simulations.',
  fittedLevelsAbout:
    'Medians of the {name}, averaged over the rows of the data, with 50 % and 90 % intervals. Single observations (dots) scatter more.',
  fittedLine: 'median, 50 % and 90 % interval',
  fittedOverall: 'all groups',

  histogramGood:
    'Ranks of {name} in {fits} fits of simulated data. All counts are within the band that contains all of them in {percent} % of cases if the fits are correct.',
  histogramBad:
    'Ranks of {name} in {fits} fits of simulated data. {outside} of {bins} counts are not within the band that contains all of them in {percent} % of cases if the fits are correct.',
  calibrationTitle: 'ECDF difference of the ranks of {name}',
  calibrationAbout:
    'Distribution of the ranks of {name}, minus a uniform distribution: {isOutside, plural, =0 {the line stays within the band} other {the line leaves the band}} that contains it in {percent} % of cases if the fits are correct. Posteriors that are too narrow make it rise, fall and rise; posteriors that are too wide make it fall, rise and fall.',

  paretoKAbout:
    'Pareto k of {count} observations, each left out once.{high, plural, =0 {} one { For one, k is above {limit}: its estimate is not reliable.} other { For {high}, k is above {limit}: their estimates are not reliable.}}',
  leftOutPredictions: 'leave-one-out predictions',
  looIntervalsTitle: '{name}: leave-one-out intervals',
  looIntervalsAbout: `Each observation of {name} with 50 % and 90 % intervals of its predictions from all other observations; ${OUTSIDE}`,
  looPitTitle: '{name}: LOO-PIT',
  looPitAbout:
    'Ranks of {count} observations of {name} among their leave-one-out predictions, minus a uniform distribution: {isOutside, plural, =0 {the line stays within the band} other {the line leaves the band}} that contains it in 95 % of cases if the model is right. Predictions that are too narrow make it rise, fall and rise; predictions that are too wide make it fall, rise and fall.{isRandomized, plural, =0 {} other { Ties are broken at random.}}',

  densitiesTitle: '{name}: densities',
  densitiesAbout:
    'The density of {name} (thick) over those of {count} simulations (thin): if the model could have generated the data, the thick line lies among the thin ones.',
  outsideValues: 'The axis omits {percent} % of the simulated values.',
  outsideDraws: 'The axis omits {percent} % of the draws.',
  outsideSimulations: 'The axis omits {percent} % of the simulations.',
  frequenciesTitle: '{name}: frequencies',
  frequenciesByChain: 'Frequencies of {name} by chain, from {from} to {to}.',
  frequenciesAbout:
    'How often each value of {name} occurs (bars), with median and 90 % interval in the simulations (dots and lines).',
  observedIntervalsTitle: '{name}: intervals',
  observedIntervalsAbout: `Each observation of {name} with 50 % and 90 % intervals of its simulations; ${OUTSIDE}`,
  statistic: STATISTIC,
  statisticOf: `${STATISTIC} of {name}`,
  statisticTitle: `{name}: ${STATISTIC}`,
  statisticAbout: `The ${STATISTIC} of {name} is {value}; {percent} % of the simulations have at least this value.`,
  percentAbove: '{percent} % above',
  byTitle: '{name} by {other}',
  againstTitle: '{name} against {other}',
  groupsAbout: `The mean of {name} in each of {count} groups of {other} (dots), with 50 % and 90 % intervals of the means of simulations; ${OUTSIDE}`,
  covariateAbout: `Each observation of {name} (dots) at its {other}, with 50 % and 90 % intervals of its simulations; ${OUTSIDE}`,
  binsAbout: `The mean of {name} in each of {count} bins of {other} (dots), with 50 % and 90 % intervals of the means of simulations; ${OUTSIDE}`,

  elpdDifferencesTitle: 'Differences of elpd_loo from the best',
  elpdDifferencesAbout:
    'elpd_loo of each model minus that of {best}, plus and minus two standard errors: {differences}.',
  pointwiseTitle: 'Differences of elpd_loo by observation',
  pointwiseAbout:
    'elpd_loo of each of {count} observations minus that in {best}: positive values favor the other models. Crosses mark the {high} values with a high Pareto k in one of the two models.',
  spotModel: '{name}, {model}: {value}, Pareto k {k}',
  model: 'model',

  reportNoProblem: 'No check found a problem.',
  reportProblems: '{problems} of {checks, plural, one {one check} other {{checks} checks}} found a problem.',
  reportChecks: 'Checks',
  reportOk: 'ok',
  reportProblem: 'problem',
  reportSummary: 'Summary',
  reportElements: '{name}, {count} elements',
  reportLoo: 'Leave-one-out cross-validation',
  reportEstimate: 'estimate',
  reportMcse: 'Monte Carlo standard error of elpd_loo: {value}.',
  reportTraces: 'Traces',
  reportDensities: 'Densities',
  reportRanks: 'Ranks',
  reportEcdf: 'ECDF differences',
  reportAutocorrelation: 'Autocorrelation',
  reportPairs: 'Pairs',
  reportSampler: 'The sampler',
  reportLeftOut: 'Observations left out',
  reportPredictive: 'Predictive checks of {name}',
  reportStatistics: 'Statistics of {name}',
} as const;
