/** Estimates for running chains, in constant time per draw. They are less accurate than the statistics of complete draws. */

/** Estimates of a quantity in one chain. */
export interface ChainEstimate {
  readonly name: string;
  /** Means of the first and the second half of the draws. */
  readonly halves: readonly number[];
  readonly variance: number;
  /** Effective sample size for the mean, by batch means. */
  readonly ess: number;
}

/** Estimates of a quantity in all chains. */
export interface RunningEstimate {
  readonly name: string;
  /** Split R-hat, without rank normalization. */
  readonly rhat: number;
  readonly ess: number;
}

/** Number of batches at which they are merged in pairs, so that half of them remain. Must be even. */
const MOST_BATCHES = 64;
/** Minimum number of batches for an estimate of their variance. */
const FEWEST_BATCHES = 16;

/**
 * Means, variances and batch means of the draws so far. The size of batches doubles, so that after the first draws their number is always
 * between 32 and 64 (J. M. Flegal, G. L. Jones, "Batch means and spectral variance estimators in Markov chain Monte Carlo", Annals of
 * Statistics 38, 2010).
 */
export class RunningEstimates {
  private readonly names: readonly string[];
  private readonly means: Float64Array;
  private readonly spreads: Float64Array;
  private readonly sums: Float64Array;
  /** The means of complete batches, batch by batch. */
  private readonly batches: Float64Array;
  private count = 0;
  private size = 1;
  private complete = 0;

  constructor(names: readonly string[]) {
    const width = names.length;
    this.names = names;
    this.means = new Float64Array(width);
    this.spreads = new Float64Array(width);
    this.sums = new Float64Array(width);
    this.batches = new Float64Array(MOST_BATCHES * width);
  }

  /** Adds a draw; quantity k has the index `places[k]` in `values`. */
  add(values: Float64Array, places: readonly number[]): void {
    const { batches, complete, means, size, spreads, sums } = this;
    const count = ++this.count;
    const isLast = count % size === 0;
    for (let k = 0; k < places.length; k++) {
      const value = values[places[k]];
      const step = value - means[k];
      means[k] += step / count;
      spreads[k] += step * (value - means[k]);
      sums[k] += value;
      if (!isLast) continue;
      batches[complete * places.length + k] = sums[k] / size;
      sums[k] = 0;
    }
    if (isLast && ++this.complete === MOST_BATCHES) this.merge();
  }

  /** Estimates of non-constant quantities; empty if there are too few draws. */
  estimates(): ChainEstimate[] {
    const { batches, complete, count, names, size, spreads } = this;
    if (complete < FEWEST_BATCHES) return [];
    const half = complete >> 1;
    return names.flatMap((name, k) => {
      const mean = (from: number, to: number) => {
        let sum = 0;
        for (let batch = from; batch < to; batch++) sum += batches[batch * names.length + k];
        return sum / (to - from);
      };
      const center = mean(0, complete);
      let spread = 0;
      let products = 0;
      for (let batch = 0, before = 0; batch < complete; batch++) {
        const deviation = batches[batch * names.length + k] - center;
        spread += deviation ** 2;
        products += before * deviation;
        before = deviation;
      }
      const variance = spreads[k] / (count - 1);
      const factor = correlationFactor(products / spread, complete);
      const ess = Math.min(count, (count * variance * (complete - 1)) / (size * spread * factor));
      const halves = [mean(0, half), mean(complete - half, complete)];
      return variance > 0 && Number.isFinite(ess) && halves.every(Number.isFinite)
        ? [{ name, halves, variance, ess }]
        : [];
    });
  }

  private merge(): void {
    const { batches } = this;
    const width = this.names.length;
    for (let batch = 0; batch < MOST_BATCHES / 2; batch++)
      for (let k = 0; k < width; k++)
        batches[batch * width + k] = (batches[2 * batch * width + k] + batches[(2 * batch + 1) * width + k]) / 2;
    this.complete = MOST_BATCHES / 2;
    this.size *= 2;
  }
}

/**
 * The factor by which the correlation of neighboring batches increases the variance of their mean, as in an autoregressive process of order
 * one. At first, batches are short and strongly correlated. A correlation that is not significant counts as 0.
 */
function correlationFactor(correlation: number, batches: number): number {
  return correlation > 2 / Math.sqrt(batches) ? (1 + correlation) / (1 - correlation) : 1;
}

/** R-hat above which chains disagree. Effective sample sizes, which are computed within chains, then mean little. */
const LARGE_RHAT = 1.05;

/**
 * The estimates of the chains combined, at most `most`, the worst first: large values of R-hat in decreasing order, then effective sample
 * sizes in increasing order. Chains without estimates are ignored.
 */
export function combinedEstimates(chains: readonly (readonly ChainEstimate[])[], most: number): RunningEstimate[] {
  const begun = chains.filter((chain) => chain.length > 0);
  const [first = [], ...others] = begun.map((chain) => new Map(chain.map((each) => [each.name, each])));
  const combined = [...first].flatMap(([name, estimate]): RunningEstimate[] => {
    const found = [estimate, ...others.flatMap((chain) => chain.get(name) ?? [])];
    if (found.length < begun.length) return [];
    const halves = found.flatMap((each) => each.halves);
    const center = halves.reduce((sum, value) => sum + value, 0) / halves.length;
    const between = halves.reduce((sum, value) => sum + (value - center) ** 2, 0) / (halves.length - 1);
    // The variance of a chain includes the variance between its halves.
    const within =
      found.reduce((sum, { halves: [a, b], variance }) => sum + variance - ((a - b) / 2) ** 2, 0) / found.length;
    const ess = found.reduce((sum, each) => sum + each.ess, 0);
    return [
      {
        name,
        rhat: digits(Math.sqrt(1 + Math.max(0, between) / Math.max(within, Number.MIN_VALUE))),
        ess: digits(ess),
      },
    ];
  });
  const excess = ({ rhat }: RunningEstimate) => Math.max(LARGE_RHAT, rhat);
  return combined.sort((a, b) => excess(b) - excess(a) || a.ess - b.ess).slice(0, most);
}

/** Rounds an estimate to its meaningful digits. */
function digits(value: number): number {
  return Number(value.toPrecision(4));
}
