/** Assesses draws and the sampler that made them, as text with advice. */
import type { Variation } from './chains.js';
import { listed, named, percent } from './words.js';

/** A sampler's report on a chain's transitions after warmup; members are absent if it does not report them. */
export interface SamplerReport {
  readonly chain: number;
  readonly draws: number;
  readonly divergences?: number;
  /** Transitions whose trajectory reached the length that `max_depth` allows. */
  readonly treedepthHits?: number;
  readonly energyFraction?: number;
}

/** Convergence of one quantity. */
export interface Convergence {
  readonly name: string;
  readonly rhat: number;
  readonly essBulk: number;
  readonly essTail: number;
  readonly variation: Variation;
}

/** The result of one check. */
export interface Finding {
  readonly check: 'draws' | 'divergences' | 'treedepth' | 'energy' | 'rhat' | 'ess';
  readonly ok: boolean;
  /** What was found, and what you can do about it. */
  readonly message: string;
  /** Quantities or chains concerned, the worst first. */
  readonly concerns: readonly { readonly name: string; readonly value: number }[];
  /** The limit that the concerns violate: the greatest R-hat, the least effective sample size. */
  readonly limit?: number;
}

/** Below this E-BFMI the momentum is resampled too timidly for the energy's tails (Betancourt 2016, section 3). */
const LEAST_ENERGY_FRACTION = 0.3;
/** Limits of Vehtari and others, "Rank-normalization, folding, and localization" (2021), section 4. */
export const GREATEST_RHAT = 1.01;
export const LEAST_ESS_PER_CHAIN = 100;
/** Minimum number of draws of a chain for an effective sample size: three in each half. */
const LEAST_DRAWS = 6;

/** Runs all checks that the draws allow. `maximumDepth` is the sampler's `max_depth`. */
export function findings(
  sampler: readonly SamplerReport[],
  quantities: readonly Convergence[],
  maximumDepth: number | undefined,
): Finding[] {
  const draws = sampler.reduce((sum, chain) => sum + chain.draws, 0);
  const fewest = Math.min(...sampler.map((chain) => chain.draws));
  if (fewest === 0) return [{ check: 'draws', ok: false, message: NO_DRAWS, concerns: [] }];
  const found: Finding[] = [];
  if (sampler.some(({ divergences }) => divergences !== undefined)) found.push(judgeDivergences(sampler, draws));
  if (sampler.some(({ treedepthHits }) => treedepthHits !== undefined)) {
    found.push(judgeTreedepth(sampler, draws, maximumDepth));
  }
  if (fewest < LEAST_DRAWS) return [...found, tooFew(fewest)];
  if (sampler.some(({ energyFraction }) => energyFraction !== undefined)) found.push(judgeEnergy(sampler));
  found.push(...judgeDraws(quantities));
  const varying = quantities.filter(({ variation }) => variation === 'within chains');
  if (varying.length > 0) found.push(judgeRhat(varying), judgeEss(varying, sampler.length));
  return found;
}

const NO_DRAWS = 'There are no draws after warmup of every chain: nothing can be judged.';

function tooFew(draws: number): Finding {
  const count = draws === 1 ? 'There is one draw' : `There are ${draws} draws`;
  const message =
    `${count} a chain, too few to judge: R-hat and effective sample sizes require at least ${LEAST_DRAWS}, ` +
    `and hundreds to be reliable. Draw more samples with a sampler.`;
  return { check: 'draws', ok: false, message, concerns: [] };
}

/**
 * Reports draws whose convergence cannot be judged. Quantities that are the same everywhere are skipped, because some are constant by
 * design.
 */
function judgeDraws(quantities: readonly Convergence[]): Finding[] {
  const found: Finding[] = [];
  const of = (variation: Variation) =>
    quantities.filter((quantity) => quantity.variation === variation).map(({ name, rhat }) => ({ name, value: rhat }));
  const notFinite = of('not finite');
  if (notFinite.length > 0) {
    const message =
      `Draws of ${counted(notFinite.length)}, ${named(notFinite)}, are NaN or infinite, so that they cannot be judged. ` +
      'Look at how the program computes them.';
    found.push({ check: 'draws', ok: false, message, concerns: notFinite });
  }
  const stuck = of('between chains');
  if (stuck.length > 0) {
    const message =
      `Every chain has a value of its own for ${counted(stuck.length)}, ${named(stuck)}, and never leaves it: the sampler does not ` +
      'move. Lower the step size or let it adapt in a longer warmup; look at the initial values; if other quantities move, ' +
      'the posterior may have several modes.';
    found.push({ check: 'draws', ok: false, message, concerns: stuck });
  }
  const constant = of('none');
  if (constant.length > 0 && constant.length === quantities.length) {
    const isWhole = constant.some(({ name }) => name === 'lp__');
    const message = isWhole
      ? 'All draws are the same, the log density included: the sampler does not move, or nothing in the model is random. ' +
        'Lower the step size or let it adapt in a longer warmup, and look at the initial values.'
      : `All draws of ${counted(constant.length)}, ${named(constant)}, are the same, so that there is nothing to judge.`;
    found.push({ check: 'draws', ok: !isWhole, message, concerns: constant });
  }
  return found;
}

function judgeDivergences(sampler: readonly SamplerReport[], draws: number): Finding {
  const concerns = concerned(sampler, ({ divergences = 0 }) => divergences);
  const count = sum(concerns);
  const message =
    count === 0
      ? 'No transition diverged.'
      : `${count} of ${draws} transitions (${percent(count, draws)}) diverged: the sampler could not follow the posterior's curvature, ` +
        'and the draws leave out where it is strongest. Raise delta towards 1 (0.95, 0.99); if that does not end it, ' +
        'reparameterise the model (non-centred hierarchical scales) or give it more informative priors.';
  return { check: 'divergences', ok: count === 0, message, concerns };
}

function judgeTreedepth(sampler: readonly SamplerReport[], draws: number, depth: number | undefined): Finding {
  const concerns = concerned(sampler, ({ treedepthHits = 0 }) => treedepthHits);
  const count = sum(concerns);
  const limit = depth === undefined ? 'the maximum tree depth' : `the maximum tree depth of ${depth}`;
  const message =
    count === 0
      ? `No transition reached ${limit}.`
      : `${count} of ${draws} transitions (${percent(count, draws)}) reached ${limit}: trajectories end before they turn, which makes ` +
        'sampling slow rather than wrong. Raise max_depth, or rescale or reparameterise the model so that its parameters ' +
        'have like scales and little correlation.';
  return { check: 'treedepth', ok: count === 0, message, concerns };
}

function judgeEnergy(sampler: readonly SamplerReport[]): Finding {
  const fractions = sampler.flatMap(({ chain, energyFraction }) =>
    energyFraction === undefined ? [] : [{ name: `chain ${chain}`, value: energyFraction }],
  );
  const unknown = fractions.filter(({ value }) => Number.isNaN(value));
  const low = fractions.filter(({ value }) => value < LEAST_ENERGY_FRACTION).sort((a, b) => a.value - b.value);
  const sentences: string[] = [];
  if (unknown.length > 0) {
    sentences.push(
      `E-BFMI cannot be computed for ${named(unknown)}: the energies there are not finite, or all the same.`,
    );
  }
  if (low.length > 0) {
    sentences.push(
      `E-BFMI is below ${LEAST_ENERGY_FRACTION} in ${listed(low)}: the energy changes too little from draw to draw to ` +
        "explore the posterior's tails. Reparameterise the model; longer warmup may help as well.",
    );
  }
  const concerns = [...unknown, ...low];
  const satisfied = `E-BFMI is satisfactory: at least ${LEAST_ENERGY_FRACTION} in every chain.`;
  return { check: 'energy', ok: concerns.length === 0, message: sentences.join(' ') || satisfied, concerns };
}

/**
 * Takes quantities that vary within chains and are finite. R-hat is missing if all draws are equally far from the median, as for a quantity
 * that is 0 or 1 equally often.
 */
function judgeRhat(quantities: readonly Convergence[]): Finding {
  const unknown = quantities.filter(({ rhat }) => Number.isNaN(rhat));
  const high = quantities.filter(({ rhat }) => rhat > GREATEST_RHAT).map(({ name, rhat }) => ({ name, value: rhat }));
  const concerns = high.sort((a, b) => b.value - a.value);
  const judgement =
    high.length === 0
      ? `Rank-normalised split R-hat is satisfactory: at most ${GREATEST_RHAT} for every quantity that varies.`
      : `Rank-normalised split R-hat is above ${GREATEST_RHAT} for ${counted(high.length)}, ${listed(concerns, GREATEST_RHAT)}: the chains do not ` +
        'agree yet. Run them longer; if R-hat stays high, look for several modes or parameters that the data do not distinguish.';
  const message =
    unknown.length === 0
      ? judgement
      : `${judgement} It is undefined for ${counted(unknown.length)}, ${named(unknown)}, whose draws are all equally far from the median.`;
  return { check: 'rhat', ok: high.length === 0, message, concerns, limit: GREATEST_RHAT };
}

/**
 * Takes quantities that vary within chains and are finite: those have a bulk effective sample size. The tail effective sample size is
 * missing if a quantile is the extreme value, as for a quantity that is 0 or 1.
 */
function judgeEss(quantities: readonly Convergence[], chains: number): Finding {
  const least = LEAST_ESS_PER_CHAIN * chains;
  const untailed = quantities.filter(({ essTail }) => Number.isNaN(essTail));
  const low = quantities
    .map(({ name, essBulk, essTail }) => ({
      name,
      value: Number.isNaN(essTail) ? essBulk : Math.min(essBulk, essTail),
    }))
    .filter(({ value }) => !(value >= least));
  const concerns = low.sort((a, b) => a.value - b.value);
  const judgement =
    low.length === 0
      ? `Effective sample sizes are satisfactory: at least ${least}, ${LEAST_ESS_PER_CHAIN} a chain, for every quantity that varies.`
      : `The effective sample size of bulk or tails is below ${least}, ${LEAST_ESS_PER_CHAIN} a chain, for ${counted(low.length)}, ` +
        `${listed(concerns, least)}: their means and quantiles are not reliable. Draw more samples, or ` +
        'reparameterise the model so that draws are less correlated.';
  const message =
    untailed.length === 0
      ? judgement
      : `${judgement} For ${counted(untailed.length)}, ${named(untailed)}, only the bulk was judged: ` +
        'too many draws equal the minimum or maximum for an effective sample size of the tails.';
  return { check: 'ess', ok: low.length === 0, message, concerns, limit: least };
}

/** Chains with a positive count, with their counts. */
function concerned(sampler: readonly SamplerReport[], count: (chain: SamplerReport) => number): Finding['concerns'] {
  const concerns = sampler.map((chain) => ({ name: `chain ${chain.chain}`, value: count(chain) }));
  return concerns.filter(({ value }) => value > 0).sort((a, b) => b.value - a.value);
}

function counted(count: number): string {
  return count === 1 ? 'one quantity' : `${count} quantities`;
}

function sum(concerns: Finding['concerns']): number {
  return concerns.reduce((total, { value }) => total + value, 0);
}
