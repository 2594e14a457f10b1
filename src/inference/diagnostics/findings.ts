/** Assesses draws and their sampler. Returns statements with advice. */
import { type Statement, write } from '../../base/statement.js';
import type { Variation } from './chains.js';
import { FINDING_SENTENCES } from './finding-sentences.js';
import { GREATEST_RHAT, LEAST_ESS_PER_CHAIN } from './limits.js';
import { listed, namesOf, percent } from './words.js';

/** A sampler's statistics of the transitions of a chain after warmup. A member is absent if the sampler does not report it. */
export interface SamplerReport {
  readonly chain: number;
  readonly draws: number;
  readonly divergences?: number;
  /** Number of transitions whose trajectory reached the maximum length, according to `max_depth`. */
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
  /** Present if each chain has converged on its own, but not to the distribution of the others. */
  readonly isSeparated?: true;
}

/** Number of draws of a quantity, in all chains, and how many of them are NaN or infinite. */
export interface Finiteness {
  readonly name: string;
  readonly draws: number;
  readonly notFinite: number;
}

interface Concern {
  readonly name: string;
  readonly value: number;
  /** The ID of a chain. */
  readonly chain?: number;
}

/** `generated`: generated quantities have values. `simulations`: draws without a sampler. */
export const CHECKS = [
  'draws',
  'divergences',
  'treedepth',
  'energy',
  'rhat',
  'ess',
  'generated',
  'simulations',
] as const;

/** The result of one check. */
export interface Finding {
  readonly check: (typeof CHECKS)[number];
  readonly ok: boolean;
  /** The result of the check, with advice if there is a problem. */
  readonly message: string;
  /** The sentences of the message. */
  readonly statements: readonly Statement[];
  /** The affected quantities or chains, the worst first. */
  readonly concerns: readonly Concern[];
  /** The limit that the concerns violate, such as the maximum R-hat or the minimum effective sample size. */
  readonly limit?: number;
}

/**
 * Minimum E-BFMI. Below it, resampling the momentum changes the energy too little to explore the tails of the energy distribution
 * (Betancourt 2016, section 3).
 */
const LEAST_ENERGY_FRACTION = 0.3;
/** Minimum number of draws of a chain for an effective sample size: three in each half. */
const LEAST_DRAWS = 6;

/**
 * Runs all checks that the draws allow. `maximumDepth` is the sampler's `max_depth`. Values of `generated` are not judged for convergence,
 * but must be finite.
 */
export function findings(
  sampler: readonly SamplerReport[],
  quantities: readonly Convergence[],
  maximumDepth: number | undefined,
  generated: readonly Finiteness[] = [],
): Finding[] {
  const draws = sampler.reduce((sum, chain) => sum + chain.draws, 0);
  const fewest = fewestDraws(sampler);
  if (fewest === 0) return [noDraws()];
  const found: Finding[] = [];
  if (sampler.some(({ divergences }) => divergences !== undefined)) found.push(judgeDivergences(sampler, draws));
  if (sampler.some(({ treedepthHits }) => treedepthHits !== undefined)) {
    found.push(judgeTreedepth(sampler, draws, maximumDepth));
  }
  if (fewest < LEAST_DRAWS) return [...found, tooFew(fewest), ...judgeGenerated(generated)];
  if (sampler.some(({ energyFraction }) => energyFraction !== undefined)) found.push(judgeEnergy(sampler));
  found.push(...judgeDraws(quantities));
  const varying = quantities.filter(({ variation }) => variation === 'within chains');
  if (varying.length > 0) found.push(judgeRhat(varying), judgeEss(varying, sampler.length));
  return [...found, ...judgeGenerated(generated)];
}

/** The findings for draws that are simulations, not draws of a sampler. */
export function simulationFindings(chains: readonly SamplerReport[], values: readonly Finiteness[]): Finding[] {
  if (fewestDraws(chains) === 0) return [noDraws()];
  const count = chains.reduce((sum, { draws }) => sum + draws, 0);
  return [finding('simulations', true, [state('simulations', { count })]), ...judgeGenerated(values)];
}

function fewestDraws(chains: readonly SamplerReport[]): number {
  return Math.min(...chains.map(({ draws }) => draws));
}

function noDraws(): Finding {
  return finding('draws', false, [state('noDraws')]);
}

/** Maximum number of generated quantities that are named. */
const MOST_GENERATED = 5;

/** Reports values that are not finite; empty if all are finite. */
export function judgeGenerated(values: readonly Finiteness[]): Finding[] {
  const wrong = values.filter(({ notFinite }) => notFinite > 0).sort((a, b) => b.notFinite - a.notFinite);
  if (wrong.length === 0) return [];
  const more = wrong.length - MOST_GENERATED;
  const statements = [
    ...wrong
      .slice(0, MOST_GENERATED)
      .map(({ draws, name, notFinite }) => state('generatedNotFinite', { quantity: name, count: notFinite, draws })),
    ...(more > 0 ? [state('generatedMore', { count: more })] : []),
    state('generatedAdvice'),
  ];
  const concerns = wrong.map(({ name, notFinite }) => ({ name, value: notFinite }));
  return [finding('generated', false, statements, concerns)];
}

type Said = Statement<keyof typeof FINDING_SENTENCES>;

function state(key: Said['key'], values: Said['values'] = {}): Said {
  return { key, values };
}

function finding(
  check: Finding['check'],
  ok: boolean,
  statements: readonly Said[],
  concerns: Finding['concerns'] = [],
  limit?: number,
): Finding {
  const message = write(FINDING_SENTENCES, statements);
  return { check, ok, message, statements, concerns, ...(limit !== undefined && { limit }) };
}

function tooFew(draws: number): Finding {
  return finding('draws', false, [state('tooFew', { draws, least: LEAST_DRAWS })]);
}

/** Reports draws whose convergence cannot be assessed. Skips constant quantities, because some are constant by design. */
function judgeDraws(quantities: readonly Convergence[]): Finding[] {
  const found: Finding[] = [];
  const of = (variation: Variation) =>
    quantities.filter((quantity) => quantity.variation === variation).map(({ name, rhat }) => ({ name, value: rhat }));
  const notFinite = of('not finite');
  if (notFinite.length > 0) found.push(finding('draws', false, [state('notFinite', namesOf(notFinite))], notFinite));
  const stuck = of('between chains');
  if (stuck.length > 0) found.push(finding('draws', false, [state('stuck', namesOf(stuck))], stuck));
  const constant = of('none');
  if (constant.length > 0 && constant.length === quantities.length) {
    const isWhole = constant.some(({ name }) => name === 'lp__');
    const statement = isWhole ? state('allTheSame') : state('theSame', namesOf(constant));
    found.push(finding('draws', !isWhole, [statement], constant));
  }
  return found;
}

function judgeDivergences(sampler: readonly SamplerReport[], draws: number): Finding {
  const concerns = concerned(sampler, ({ divergences = 0 }) => divergences);
  const count = sum(concerns);
  const statement =
    count === 0 ? state('noDivergence') : state('divergences', { count, draws, share: percent(count, draws) });
  return finding('divergences', count === 0, [statement], concerns);
}

function judgeTreedepth(sampler: readonly SamplerReport[], draws: number, depth = 0): Finding {
  const concerns = concerned(sampler, ({ treedepthHits = 0 }) => treedepthHits);
  const count = sum(concerns);
  const statement =
    count === 0
      ? state('noTreedepth', { depth })
      : state('treedepth', { depth, count, draws, share: percent(count, draws) });
  return finding('treedepth', count === 0, [statement], concerns);
}

function judgeEnergy(sampler: readonly SamplerReport[]): Finding {
  const fractions = sampler.flatMap(({ chain, energyFraction }) =>
    energyFraction === undefined ? [] : [{ name: `chain ${chain}`, chain, value: energyFraction }],
  );
  const unknown = fractions.filter(({ value }) => Number.isNaN(value));
  const low = fractions.filter(({ value }) => value < LEAST_ENERGY_FRACTION).sort((a, b) => a.value - b.value);
  const limit = LEAST_ENERGY_FRACTION;
  const byNumber = (each: typeof fractions) => each.map(({ chain, value }) => ({ name: `${chain}`, value }));
  const statements = [
    ...(unknown.length > 0 ? [state('energyUnknown', namesOf(byNumber(unknown)))] : []),
    ...(low.length > 0 ? [state('energyLow', { limit, ...listed(byNumber(low)) })] : []),
  ];
  const concerns = [...unknown, ...low];
  const isOk = concerns.length === 0;
  return finding('energy', isOk, isOk ? [state('energyGood', { limit })] : statements, concerns);
}

/**
 * Assesses quantities that vary within chains and are finite. R-hat does not exist if all draws have the same distance from the median, as
 * for a quantity that is 0 and 1 equally often.
 */
function judgeRhat(quantities: readonly Convergence[]): Finding {
  const limit = GREATEST_RHAT;
  const unknown = quantities.filter(({ rhat }) => Number.isNaN(rhat));
  const high = quantities.filter(({ rhat }) => rhat > limit).map(({ name, rhat }) => ({ name, value: rhat }));
  const concerns = high.sort((a, b) => b.value - a.value);
  const separated = quantities.filter(({ isSeparated, rhat }) => isSeparated === true && rhat > limit);
  const statements = [
    high.length === 0 ? state('rhatGood', { limit }) : state('rhatHigh', { limit, ...listed(concerns, limit) }),
    ...(separated.length > 0 ? [state('rhatSeparated', namesOf(separated))] : []),
    ...(unknown.length > 0 ? [state('rhatUnknown', namesOf(unknown))] : []),
  ];
  return finding('rhat', high.length === 0, statements, concerns, limit);
}

/**
 * Assesses quantities that vary within chains and are finite; these have a bulk effective sample size. The tail effective sample size does
 * not exist if a quantile equals the extreme value, as for a quantity that is 0 or 1.
 */
function judgeEss(quantities: readonly Convergence[], chains: number): Finding {
  const limit = LEAST_ESS_PER_CHAIN * chains;
  const limits = { limit, each: LEAST_ESS_PER_CHAIN };
  const untailed = quantities.filter(({ essTail }) => Number.isNaN(essTail));
  const low = quantities
    .map(({ name, essBulk, essTail }) => ({
      name,
      value: Number.isNaN(essTail) ? essBulk : Math.min(essBulk, essTail),
    }))
    .filter(({ value }) => !(value >= limit));
  const concerns = low.sort((a, b) => a.value - b.value);
  const statements = [
    low.length === 0 ? state('essGood', limits) : state('essLow', { ...limits, ...listed(concerns, limit) }),
    ...(untailed.length > 0 ? [state('essUntailed', namesOf(untailed))] : []),
  ];
  return finding('ess', low.length === 0, statements, concerns, limit);
}

/** Chains with a positive count, with their counts. */
function concerned(sampler: readonly SamplerReport[], count: (chain: SamplerReport) => number): Finding['concerns'] {
  const concerns = sampler.map((report) => ({
    name: `chain ${report.chain}`,
    chain: report.chain,
    value: count(report),
  }));
  return concerns.filter(({ value }) => value > 0).sort((a, b) => b.value - a.value);
}

function sum(concerns: Finding['concerns']): number {
  return concerns.reduce((total, { value }) => total + value, 0);
}
