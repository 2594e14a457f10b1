import { AscendingOrder } from './ascending.js';
import { CenteredChains } from './centered-chains.js';
import type { Chains } from './chains.js';
import { type Autocovariances, effectiveSampleSize } from './geyer.js';
import { MarkedDraws } from './marked-draws.js';
import { NormalScores } from './normal-scores.js';

/**
 * Statistics of one quantity's draws, each computed when it is first read. R-hat and effective sample sizes are those of Vehtari, Gelman,
 * Simpson, Carpenter and Bürkner, "Rank-normalization, folding, and localization" (Bayesian Analysis 16, 2021), as the R package posterior
 * computes them, over halved chains: the middle draw of an odd number is left out. They are NaN for draws that are constant or not finite,
 * effective sample sizes also for fewer than three draws in a half chain.
 *
 * One sort serves quantiles, ranks, and the ranks of distances from the median. `load` loads the next quantity of the same size into the
 * same memory.
 */
export class DrawStatistics {
  /** All draws, chain by chain. */
  readonly values: Float64Array;
  private readonly length: number;
  private readonly half: number;
  /** Index of each draw among those of the halved chains; -1 for one that is left out. */
  private readonly places: Int32Array;
  private readonly ordering: AscendingOrder;
  private isOrdered = false;
  /** Indexes among the halved chains: of the draws in ascending order, and of the distances from the median. */
  private readonly ordered: Int32Array;
  private readonly folded: Int32Array;
  private readonly distances: Float64Array;
  private readonly scores: NormalScores;
  private readonly centered: CenteredChains;
  private readonly marked: MarkedDraws;
  private readonly correlations: Float64Array;
  private readonly halves: Float64Array;
  private readonly derived: Float64Array;
  private hasNaN = false;
  private isDegenerate = false;
  private total = 0;
  private bulk: { readonly rhat: number; readonly ess: number } | undefined;

  constructor(chains: number, length: number) {
    const half = Math.floor(length / 2);
    this.length = length;
    this.half = half;
    this.values = new Float64Array(chains * length);
    this.places = Int32Array.from(this.values, (_, i) => {
      const [chain, k] = [Math.floor(i / length), i % length];
      if (k < half) return 2 * chain * half + k;
      return k < length - half ? -1 : (2 * chain + 1) * half + k - (length - half);
    });
    this.ordering = new AscendingOrder(chains * length);
    this.ordered = new Int32Array(chains * length);
    this.folded = new Int32Array(chains * length);
    this.distances = new Float64Array(chains * length);
    const halved = 2 * chains * half;
    this.scores = new NormalScores(halved);
    this.centered = new CenteredChains(2 * chains, half);
    this.marked = new MarkedDraws(2 * chains, half);
    this.correlations = new Float64Array(half + 2);
    this.halves = new Float64Array(halved);
    this.derived = new Float64Array(halved);
  }

  static of(chains: Chains): DrawStatistics {
    return new DrawStatistics(chains.length, chains[0]?.length ?? 0).load(chains);
  }

  /** Whether chains have the size for which this was created. */
  fits(chains: Chains): boolean {
    return chains.length * this.length === this.values.length && (chains[0]?.length ?? 0) === this.length;
  }

  load(chains: Chains): this {
    const { half, halves, length, values } = this;
    for (const [index, chain] of chains.entries()) {
      values.set(chain, index * length);
      halves.set(chain.subarray(0, half), 2 * index * half);
      halves.set(chain.subarray(length - half), (2 * index + 1) * half);
    }
    let least = Number.POSITIVE_INFINITY;
    let greatest = Number.NEGATIVE_INFINITY;
    let sum = 0;
    this.hasNaN = false;
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      sum += value;
      if (value < least) least = value;
      if (value > greatest) greatest = value;
      if (Number.isNaN(value)) this.hasNaN = true;
    }
    this.total = sum;
    const areFinite = !this.hasNaN && Number.isFinite(least) && Number.isFinite(greatest);
    this.isDegenerate = !areFinite || !(greatest - least >= Number.EPSILON);
    this.isOrdered = false;
    this.bulk = undefined;
    return this;
  }

  get mean(): number {
    return this.total / this.values.length;
  }

  /** Standard deviation with denominator n - 1; NaN below two draws. */
  get sd(): number {
    const { mean, values } = this;
    if (values.length < 2) return Number.NaN;
    let squares = 0;
    for (let i = 0; i < values.length; i++) squares += (values[i] - mean) * (values[i] - mean);
    return Math.sqrt(squares / (values.length - 1));
  }

  /** The quantile by linear interpolation between order statistics, R's type 7. */
  quantile(probability: number): number {
    if (this.values.length === 0 || this.hasNaN) return Number.NaN;
    const sorted = this.ascending();
    const place = probability * (sorted.length - 1);
    const below = Math.floor(place);
    const share = place - below;
    return share === 0 ? sorted[below] : sorted[below] + share * (sorted[below + 1] - sorted[below]);
  }

  /** Rank-normalized split R-hat: the larger one of that of the draws and that of their distances from the median. */
  get rhat(): number {
    if (this.isDegenerate) return Number.NaN;
    const { centered, derived } = this;
    const { rhat } = this.rankNormalized();
    this.scoreDistances();
    return Math.max(rhat, centered.take(derived) ? centered.rhat() : Number.NaN);
  }

  /** Effective sample size of the bulk: of rank-normalized draws. */
  get essBulk(): number {
    return this.isDegenerate ? Number.NaN : this.rankNormalized().ess;
  }

  /** Effective sample size of the tails: the smaller one of the 5 % and the 95 % quantile's. */
  get essTail(): number {
    return this.isDegenerate ? Number.NaN : Math.min(this.essBelow(0.05), this.essBelow(0.95));
  }

  /** Effective sample size for the mean: of the draws themselves. */
  get essMean(): number {
    return this.essOfDraws(this.halves);
  }

  /** Effective sample size for the standard deviation: of the squared distances from the mean. */
  get essSd(): number {
    const { derived, halves, mean } = this;
    for (let i = 0; i < halves.length; i++) derived[i] = (halves[i] - mean) * (halves[i] - mean);
    return this.essOfDraws(derived);
  }

  /** Monte Carlo standard error of the mean of all draws. */
  get mcseMean(): number {
    return this.sd / Math.sqrt(this.essMean);
  }

  /**
   * Monte Carlo standard error of the standard deviation of all draws, from the variance of the variance's estimate (Kenney
   * and Keeping 1951, p. 141) by the delta method.
   */
  get mcseSd(): number {
    const { mean, values } = this;
    let second = 0;
    let fourth = 0;
    for (let i = 0; i < values.length; i++) {
      const square = (values[i] - mean) * (values[i] - mean);
      second += square;
      fourth += square * square;
    }
    second /= values.length;
    fourth /= values.length;
    return Math.sqrt((fourth - second * second) / this.essSd / second / 4);
  }

  /** The draws in ascending order. */
  private ascending(): Float64Array {
    const { ordered, ordering, places, values } = this;
    if (!this.isOrdered) {
      ordering.sort(values);
      const { order } = ordering;
      for (let i = 0; i < order.length; i++) ordered[i] = places[order[i]];
      this.isOrdered = true;
    }
    return ordering.sorted;
  }

  private rankNormalized(): { readonly rhat: number; readonly ess: number } {
    if (this.bulk === undefined) {
      const { centered, derived, ordered, scores } = this;
      scores.fill(derived, this.ascending(), ordered);
      const varies = centered.take(derived);
      this.bulk = { rhat: varies ? centered.rhat() : Number.NaN, ess: varies ? this.essOf(centered) : Number.NaN };
    }
    return this.bulk;
  }

  /** Normal scores of the distances from the median. The distances on either side are sorted already, so the two sides are merged. */
  private scoreDistances(): void {
    const { derived, distances, folded, ordered, scores } = this;
    const sorted = this.ascending();
    const median = this.quantile(0.5);
    let right = 0;
    while (right < sorted.length && sorted[right] < median) right++;
    let left = right - 1;
    for (let k = 0; k < sorted.length; k++) {
      const below = left >= 0 ? median - sorted[left] : Number.POSITIVE_INFINITY;
      const above = right < sorted.length ? sorted[right] - median : Number.POSITIVE_INFINITY;
      const isBelow = below < above;
      distances[k] = isBelow ? below : above;
      folded[k] = ordered[isBelow ? left-- : right++];
    }
    scores.fill(derived, distances, folded);
  }

  /** Effective sample size of the indicator of the draws up to a quantile, or of those above it, whichever are fewer. */
  private essBelow(probability: number): number {
    const { marked, ordered } = this;
    const sorted = this.ascending();
    const quantile = this.quantile(probability);
    let end = Math.floor(probability * sorted.length);
    while (end > 0 && sorted[end - 1] > quantile) end--;
    while (end < sorted.length && sorted[end] <= quantile) end++;
    const isFew = 2 * end <= sorted.length;
    marked.clear();
    for (let i = isFew ? 0 : end; i < (isFew ? end : sorted.length); i++) if (ordered[i] >= 0) marked.mark(ordered[i]);
    return marked.varies ? this.essOf(marked) : Number.NaN;
  }

  private essOfDraws(halves: Float64Array): number {
    return this.centered.take(halves) ? this.essOf(this.centered) : Number.NaN;
  }

  private essOf(chains: Autocovariances): number {
    return effectiveSampleSize(chains, this.correlations);
  }
}
