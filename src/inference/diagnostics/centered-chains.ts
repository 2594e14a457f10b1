import type { Autocovariances } from './geyer.js';
import { variance } from './moments.js';

/** Number of lags whose autocovariances are computed in one pass: a processor forms the sums in the time of one. */
const LAGS_AT_ONCE = 8;

/** Concatenated chains of one length, minus the mean of each; memory is reused for the next ones. */
export class CenteredChains implements Autocovariances {
  readonly length: number;
  readonly means: Float64Array;
  private readonly values: Float64Array;
  /** Autocovariances by lag; only the first `known` are computed. */
  private readonly covariances: Float64Array;
  private known = 0;

  constructor(chains: number, length: number) {
    this.length = length;
    this.values = new Float64Array(chains * length);
    this.means = new Float64Array(chains);
    this.covariances = new Float64Array(length + LAGS_AT_ONCE);
  }

  /**
   * Loads chains. Returns false if they cannot be judged, by the rule of the R package posterior: a draw is not finite, or all are the
   * same.
   */
  take(draws: Float64Array): boolean {
    const { length, means, values } = this;
    this.known = 0;
    let least = Number.POSITIVE_INFINITY;
    let greatest = Number.NEGATIVE_INFINITY;
    let areFinite = true;
    for (let chain = 0; chain < means.length; chain++) {
      const begin = chain * length;
      const end = begin + length;
      let sum = 0;
      for (let i = begin; i < end; i++) {
        const value = draws[i];
        sum += value;
        if (value < least) least = value;
        if (value > greatest) greatest = value;
      }
      // The sum of finite draws may overflow.
      if (!Number.isFinite(sum)) for (let i = begin; i < end; i++) areFinite &&= Number.isFinite(draws[i]);
      const mean = sum / length;
      means[chain] = mean;
      for (let i = begin; i < end; i++) values[i] = draws[i] - mean;
    }
    return areFinite && greatest - least >= Number.EPSILON;
  }

  /** R-hat without ranks, from the variances between and within the chains. */
  rhat(): number {
    const { length, means, values } = this;
    const between = length * variance(means);
    let within = 0;
    for (let chain = 0; chain < means.length; chain++) {
      let squares = 0;
      for (let i = chain * length; i < (chain + 1) * length; i++) squares += values[i] * values[i];
      within += squares / (length - 1);
    }
    return Math.sqrt((between / (within / means.length) + length - 1) / length);
  }

  covariance(lag: number): number {
    while (lag >= this.known) this.addLags();
    return this.covariances[lag];
  }

  private addLags(): void {
    const { covariances, known: lag, length, means, values } = this;
    covariances.fill(0, lag, lag + LAGS_AT_ONCE);
    for (let chain = 0; chain < means.length; chain++) {
      const begin = chain * length;
      const end = begin + length;
      // The first draws have partners at some of the lags only.
      const first = Math.min(end, begin + lag + LAGS_AT_ONCE - 1);
      let [a, b, c, d, e, f, g, h] = [0, 0, 0, 0, 0, 0, 0, 0];
      for (let i = begin + lag; i < first; i++) {
        const value = values[i];
        const k = i - lag;
        a += value * values[k];
        if (k > begin) b += value * values[k - 1];
        if (k > begin + 1) c += value * values[k - 2];
        if (k > begin + 2) d += value * values[k - 3];
        if (k > begin + 3) e += value * values[k - 4];
        if (k > begin + 4) f += value * values[k - 5];
        if (k > begin + 5) g += value * values[k - 6];
      }
      for (let i = first, k = first - lag; i < end; i++, k++) {
        const value = values[i];
        a += value * values[k];
        b += value * values[k - 1];
        c += value * values[k - 2];
        d += value * values[k - 3];
        e += value * values[k - 4];
        f += value * values[k - 5];
        g += value * values[k - 6];
        h += value * values[k - 7];
      }
      covariances[lag] += a / length;
      covariances[lag + 1] += b / length;
      covariances[lag + 2] += c / length;
      covariances[lag + 3] += d / length;
      covariances[lag + 4] += e / length;
      covariances[lag + 5] += f / length;
      covariances[lag + 6] += g / length;
      covariances[lag + 7] += h / length;
    }
    for (let i = lag; i < lag + LAGS_AT_ONCE; i++) covariances[i] /= means.length;
    this.known = lag + LAGS_AT_ONCE;
  }
}
