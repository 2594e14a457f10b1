import { AscendingOrder } from './ascending.js';
import { CenteredChains } from './centered-chains.js';
import { type Chains, type Range, rangeOf, type Variation, variationOf } from './chains.js';
import { type Autocovariances, effectiveSampleSize } from './geyer.js';
import { LEAST_ESS_PER_CHAIN } from './limits.js';
import { MarkedDraws } from './marked-draws.js';
import { NormalScores } from './normal-scores.js';
import { Workspace } from './statistics-kernel.js';

/** Statistics of the draws of one quantity. Each is computed when it is first read. */
export type DrawStatistics = Omit<LoadedStatistics, 'hasSize' | 'load' | 'workspace'>;

/** R-hat above which chains can be separated, and which they do not exceed without the differences between their means. */
const SEPARATED_RHAT = 1.05;

/** The latest statistics of this thread, with their memory. Each memory reserves gigabytes of address space, so a thread has only one. */
let latest: LoadedStatistics | undefined;
let isInUse = false;

/** Calls `read` with the statistics of draws and returns its result. The statistics are valid only during the call. */
export function statisticsOf<Result>(chains: Chains, read: (statistics: DrawStatistics) => Result): Result {
  if (isInUse) throw new Error('statistics of other draws are being read');
  isInUse = true;
  try {
    return read(loaded(chains));
  } finally {
    isInUse = false;
  }
}

function loaded(chains: Chains): DrawStatistics {
  const length = chains[0]?.length ?? 0;
  if (latest?.hasSize(chains.length, length)) return latest.load(chains);
  const workspace = latest?.workspace.cleared() ?? new Workspace();
  // If creating the next one fails, this one has lost its arrays.
  latest = undefined;
  latest = new LoadedStatistics(workspace, chains.length, length);
  return latest.load(chains);
}

/**
 * Statistics of the draws of one quantity. Each is computed when it is first read. R-hat and effective sample sizes are those of Vehtari, Gelman,
 * Simpson, Carpenter and Bürkner, "Rank-normalization, folding, and localization" (Bayesian Analysis 16, 2021), as in the R package
 * posterior. They use split chains; the middle draw of an odd number is omitted. They are NaN for draws that are constant or not finite.
 * Effective sample sizes are also NaN for fewer than three draws per split chain.
 *
 * A single sort provides quantiles, ranks, and the ranks of distances from the median. `load` loads the next quantity of the same size into
 * the same memory.
 */
class LoadedStatistics {
  readonly workspace: Workspace;
  private readonly chains: number;
  private readonly length: number;
  private readonly half: number;
  /** The number of draws, and the number of draws in the split chains. */
  private readonly count: number;
  private readonly halvedCount: number;
  /** All draws, chain by chain, and those of the split chains. */
  private readonly valuesAt: number;
  private readonly halvesAt: number;
  /** Index of each draw in the split chains, as 32-bit words; -1 for an omitted draw. */
  private readonly places: number;
  private readonly ordering: AscendingOrder;
  private isOrdered = false;
  /**
   * Indexes in the split chains, as 32-bit words: of the draws in ascending order, and of the distances from the median in ascending order.
   */
  private readonly ordered: number;
  private readonly folded: number;
  private readonly distances: number;
  /** Numbers derived from the draws of the split chains. */
  private readonly derived: number;
  /** The least and the greatest draw of each chain. */
  private readonly extremes: number;
  private readonly scores: NormalScores;
  private readonly centered: CenteredChains;
  private readonly marked: MarkedDraws;
  private readonly correlations: Float64Array;
  private hasNaN = false;
  private isDegenerate = false;
  private total = 0;
  /** Means of the split chains, minus those of their chains. */
  private readonly deviations: Float64Array;
  private bulk: { readonly rhat: number; readonly ess: number } | undefined;

  constructor(workspace: Workspace, chains: number, length: number) {
    this.workspace = workspace;
    const half = Math.floor(length / 2);
    const count = chains * length;
    const halved = 2 * chains * half;
    this.chains = chains;
    this.length = length;
    this.half = half;
    this.count = count;
    this.halvedCount = halved;
    this.valuesAt = workspace.allocate(8 * count);
    this.halvesAt = workspace.allocate(8 * halved);
    this.places = workspace.allocate(4 * count);
    this.ordered = workspace.allocate(4 * count);
    this.folded = workspace.allocate(4 * count);
    this.distances = workspace.allocate(8 * count);
    this.derived = workspace.allocate(8 * halved);
    this.extremes = workspace.allocate(16 * chains);
    this.ordering = new AscendingOrder(workspace, count);
    this.scores = new NormalScores(workspace, halved);
    this.centered = new CenteredChains(workspace, 2 * chains, half);
    this.marked = new MarkedDraws(workspace, 2 * chains, half);
    this.correlations = new Float64Array(half + 2);
    this.deviations = new Float64Array(2 * chains);
    const places = workspace.words(this.places, count).fill(-1);
    for (let chain = 0; chain < chains; chain++) {
      for (let k = 0; k < half; k++) {
        places[chain * length + k] = 2 * chain * half + k;
        places[(chain + 1) * length - half + k] = (2 * chain + 1) * half + k;
      }
    }
  }

  hasSize(chains: number, length: number): boolean {
    return this.chains === chains && this.length === length;
  }

  /** All draws, chain by chain. */
  get values(): Float64Array {
    return this.workspace.doubles(this.valuesAt, this.count);
  }

  load(given: Chains): this {
    const { chains, extremes, half, halvesAt, halvedCount, length, values, valuesAt, workspace } = this;
    const halves = workspace.doubles(halvesAt, halvedCount);
    for (const [index, chain] of given.entries()) {
      values.set(chain, index * length);
      halves.set(chain.subarray(0, half), 2 * index * half);
      halves.set(chain.subarray(length - half), (2 * index + 1) * half);
    }
    this.total = workspace.kernel.survey(valuesAt, chains, length, extremes);
    const { least, greatest } = rangeOf(this.ranges());
    this.hasNaN = Number.isNaN(least);
    const areFinite = Number.isFinite(least) && Number.isFinite(greatest);
    this.isDegenerate = !areFinite || !(greatest - least >= Number.EPSILON);
    this.isOrdered = false;
    this.bulk = undefined;
    return this;
  }

  /** How the draws vary. Differences of the size of rounding errors do not count. */
  get variation(): Variation {
    return variationOf(this.ranges());
  }

  get mean(): number {
    return this.total / this.count;
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
    if (this.count === 0 || this.hasNaN) return Number.NaN;
    const sorted = this.sorted();
    const place = probability * (sorted.length - 1);
    const below = Math.floor(place);
    const share = place - below;
    return share === 0 ? sorted[below] : sorted[below] + share * (sorted[below + 1] - sorted[below]);
  }

  /** Rank-normalized split R-hat: the maximum of the R-hat of the draws and that of their distances from the median. */
  get rhat(): number {
    if (this.isDegenerate) return Number.NaN;
    const { centered, derived } = this;
    const { rhat } = this.rankNormalized();
    this.scoreDistances();
    return Math.max(rhat, centered.take(derived) ? centered.rhat() : Number.NaN);
  }

  /** Bulk effective sample size: that of the rank-normalized draws. */
  get essBulk(): number {
    return this.isDegenerate ? Number.NaN : this.rankNormalized().ess;
  }

  /**
   * Whether the chains have converged on their own, but not to one distribution: a sign of several modes. The statistics of the rank-normalized
   * draws are then unsatisfactory, but not without the differences between the means of chains.
   */
  get isSeparated(): boolean {
    const { centered, chains, correlations, deviations, derived, half } = this;
    if (this.isDegenerate || chains < 2 || !(this.rankNormalized().rhat > SEPARATED_RHAT)) return false;
    this.fillScores();
    centered.take(derived);
    const { means } = centered;
    for (let k = 0; k < means.length; k++) deviations[k] = (means[k] - means[k ^ 1]) / 2;
    if (centered.rhat(deviations) > SEPARATED_RHAT) return false;
    const own = { length: half, means: deviations, covariance: (lag: number) => centered.covariance(lag) };
    return effectiveSampleSize(own, correlations) >= chains * LEAST_ESS_PER_CHAIN;
  }

  /** Tail effective sample size: the minimum of those of the 5 % and the 95 % quantile. */
  get essTail(): number {
    return this.isDegenerate ? Number.NaN : Math.min(this.essBelow(0.05), this.essBelow(0.95));
  }

  /** Effective sample size for the mean: that of the draws themselves. */
  get essMean(): number {
    return this.essOfDraws(this.halvesAt);
  }

  /** Effective sample size for the standard deviation: that of the squared distances from the mean. */
  get essSd(): number {
    const { derived, halvedCount, halvesAt, mean, workspace } = this;
    const halves = workspace.doubles(halvesAt, halvedCount);
    const squares = workspace.doubles(derived, halvedCount);
    for (let i = 0; i < halves.length; i++) squares[i] = (halves[i] - mean) * (halves[i] - mean);
    return this.essOfDraws(derived);
  }

  /** Monte Carlo standard error of the mean of all draws. */
  get mcseMean(): number {
    return this.sd / Math.sqrt(this.essMean);
  }

  /**
   * Monte Carlo standard error of the standard deviation of all draws, from the variance of the estimated variance (Kenney and Keeping
   * 1951, p. 141) by the delta method.
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

  /** The range of each chain. */
  private ranges(): Range[] {
    const extremes = this.workspace.doubles(this.extremes, 2 * this.chains);
    return Array.from({ length: this.chains }, (_, chain) => ({
      least: extremes[2 * chain],
      greatest: extremes[2 * chain + 1],
    }));
  }

  /** The draws in ascending order. */
  private sorted(): Float64Array {
    this.order();
    return this.workspace.doubles(this.ordering.sorted, this.count);
  }

  private order(): void {
    if (this.isOrdered) return;
    const { count, ordered, ordering, places, valuesAt, workspace } = this;
    ordering.sort(valuesAt);
    workspace.kernel.pick(places, count, ordering.order, ordered);
    this.isOrdered = true;
  }

  private rankNormalized(): { readonly rhat: number; readonly ess: number } {
    if (this.bulk === undefined) {
      const { centered, derived } = this;
      this.fillScores();
      const varies = centered.take(derived);
      this.bulk = { rhat: varies ? centered.rhat() : Number.NaN, ess: varies ? this.essOf(centered) : Number.NaN };
    }
    return this.bulk;
  }

  /** Normal scores of the draws. */
  private fillScores(): void {
    const { count, derived, ordered, ordering, scores } = this;
    this.order();
    scores.fill(derived, ordering.sorted, ordered, count);
  }

  /** Normal scores of the distances from the median. */
  private scoreDistances(): void {
    const { count, derived, distances, folded, ordered, ordering, scores, workspace } = this;
    const median = this.quantile(0.5);
    workspace.kernel.fold(ordering.sorted, ordered, count, median, distances, folded);
    scores.fill(derived, distances, folded, count);
  }

  /** Effective sample size of the indicator of the draws up to a quantile, or of the draws above it if they are fewer. */
  private essBelow(probability: number): number {
    const { count, marked, workspace } = this;
    const sorted = this.sorted();
    const quantile = this.quantile(probability);
    let end = Math.floor(probability * count);
    while (end > 0 && sorted[end - 1] > quantile) end--;
    while (end < count && sorted[end] <= quantile) end++;
    const ordered = workspace.words(this.ordered, count);
    marked.mark(2 * end <= count ? ordered.subarray(0, end) : ordered.subarray(end));
    return marked.varies ? this.essOf(marked) : Number.NaN;
  }

  private essOfDraws(draws: number): number {
    return this.centered.take(draws) ? this.essOf(this.centered) : Number.NaN;
  }

  private essOf(chains: Autocovariances): number {
    return effectiveSampleSize(chains, this.correlations);
  }
}
