/** What draws say of the sampler that made them, in words and with advice. */

/** What a sampler reported of a chain's transitions after warmup; absent where it reports nothing of the kind. */
export interface SamplerReport {
  readonly chain: number;
  readonly draws: number;
  readonly divergences?: number;
  /** Transitions that ended because the trajectory was as long as `max_depth` allows. */
  readonly treedepthHits?: number;
  readonly energyFraction?: number;
}

/** Convergence of one quantity. */
export interface Convergence {
  readonly name: string;
  readonly rhat: number;
  readonly essBulk: number;
  readonly essTail: number;
}

/** One thing that was looked at. */
export interface Finding {
  readonly check: 'divergences' | 'treedepth' | 'energy' | 'rhat' | 'ess';
  readonly ok: boolean;
  /** What was found, and what may be done about it. */
  readonly message: string;
  /** Quantities or chains concerned, the worst first. */
  readonly concerns: readonly { readonly name: string; readonly value: number }[];
}

/** Below this E-BFMI the momentum is resampled too timidly for the energy's tails (Betancourt 2016, section 3). */
const LEAST_ENERGY_FRACTION = 0.3;
/** Limits of Vehtari and others, "Rank-normalization, folding, and localization" (2021), section 4. */
const GREATEST_RHAT = 1.01;
const LEAST_ESS_PER_CHAIN = 100;

/** Judges what is there to judge. `maximumDepth` is the sampler's `max_depth`. */
export function findings(
  sampler: readonly SamplerReport[],
  quantities: readonly Convergence[],
  maximumDepth: number | undefined,
): Finding[] {
  const draws = sampler.reduce((sum, chain) => sum + chain.draws, 0);
  const found: Finding[] = [];
  if (sampler.some(({ divergences }) => divergences !== undefined)) found.push(judgeDivergences(sampler, draws));
  if (sampler.some(({ treedepthHits }) => treedepthHits !== undefined)) {
    found.push(judgeTreedepth(sampler, draws, maximumDepth));
  }
  if (sampler.some(({ energyFraction }) => energyFraction !== undefined)) found.push(judgeEnergy(sampler));
  if (draws > 0 && quantities.length > 0) found.push(judgeRhat(quantities), judgeEss(quantities, sampler.length));
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
  const low = sampler.flatMap(({ chain, energyFraction }) =>
    energyFraction !== undefined && energyFraction < LEAST_ENERGY_FRACTION
      ? [{ name: `chain ${chain}`, value: energyFraction }]
      : [],
  );
  const concerns = low.sort((a, b) => a.value - b.value);
  const message =
    low.length === 0
      ? `E-BFMI is satisfactory: at least ${LEAST_ENERGY_FRACTION} in every chain.`
      : `E-BFMI is below ${LEAST_ENERGY_FRACTION} in ${listed(concerns)}: the energy changes too little from draw to draw to ` +
        "explore the posterior's tails. Reparameterise the model; longer warmup may help as well.";
  return { check: 'energy', ok: low.length === 0, message, concerns };
}

function judgeRhat(quantities: readonly Convergence[]): Finding {
  const high = quantities.filter(({ rhat }) => rhat > GREATEST_RHAT).map(({ name, rhat }) => ({ name, value: rhat }));
  const concerns = high.sort((a, b) => b.value - a.value);
  const message =
    high.length === 0
      ? `Rank-normalised split R-hat is satisfactory: at most ${GREATEST_RHAT} for every quantity.`
      : `Rank-normalised split R-hat is above ${GREATEST_RHAT} for ${counted(high.length)}, ${listed(concerns)}: the chains do not ` +
        'agree yet. Run them longer; if it stays so, look for several modes or parameters that the data do not tell apart.';
  return { check: 'rhat', ok: high.length === 0, message, concerns };
}

function judgeEss(quantities: readonly Convergence[], chains: number): Finding {
  const least = LEAST_ESS_PER_CHAIN * chains;
  const low = quantities
    .map(({ name, essBulk, essTail }) => ({ name, value: Math.min(essBulk, essTail) }))
    .filter(({ value }) => value < least);
  const concerns = low.sort((a, b) => a.value - b.value);
  const message =
    low.length === 0
      ? `Effective sample sizes are satisfactory: at least ${least}, ${LEAST_ESS_PER_CHAIN} a chain, for every quantity.`
      : `The effective sample size of bulk or tails is below ${least}, ${LEAST_ESS_PER_CHAIN} a chain, for ${counted(low.length)}, ` +
        `${listed(concerns)}: means and quantiles of these are not to be relied on. Draw more samples, or ` +
        'reparameterise the model so that draws are less correlated.';
  return { check: 'ess', ok: low.length === 0, message, concerns };
}

/** Chains of which there is something to count, with their counts. */
function concerned(sampler: readonly SamplerReport[], count: (chain: SamplerReport) => number): Finding['concerns'] {
  const concerns = sampler.map((chain) => ({ name: `chain ${chain.chain}`, value: count(chain) }));
  return concerns.filter(({ value }) => value > 0).sort((a, b) => b.value - a.value);
}

const MOST_LISTED = 5;

function listed(concerns: Finding['concerns']): string {
  const named = concerns.slice(0, MOST_LISTED).map(({ name, value }) => `${name} (${value.toPrecision(3)})`);
  const more = concerns.length - named.length;
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ');
}

function counted(count: number): string {
  return count === 1 ? 'one quantity' : `${count} quantities`;
}

function sum(concerns: Finding['concerns']): number {
  return concerns.reduce((total, { value }) => total + value, 0);
}

function percent(count: number, of: number): string {
  return `${((100 * count) / of).toPrecision(2)} %`;
}
