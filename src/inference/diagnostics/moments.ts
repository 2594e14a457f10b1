/** The arithmetic mean; NaN for no values. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum / values.length;
}

/** The sample variance with denominator n - 1; NaN for fewer than two values. */
export function variance(values: ArrayLike<number>): number {
  if (values.length < 2) return Number.NaN;
  const center = mean(values);
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += (values[i] - center) ** 2;
  return squares / (values.length - 1);
}

/** The standard deviation with denominator n - 1; NaN for fewer than two values. */
export function standardDeviation(values: ArrayLike<number>): number {
  return Math.sqrt(variance(values));
}

/** Pearson's correlation of two samples of the same length; NaN if one of them is constant. */
export function correlation(first: ArrayLike<number>, second: ArrayLike<number>): number {
  const [center, other] = [mean(first), mean(second)];
  let [products, squares, others] = [0, 0, 0];
  for (let i = 0; i < first.length; i++) {
    const [a, b] = [first[i] - center, second[i] - other];
    products += a * b;
    squares += a * a;
    others += b * b;
  }
  return products / Math.sqrt(squares) / Math.sqrt(others);
}

/** Quantiles by linear interpolation between order statistics, R's type 7. `probabilities` must be in [0, 1]. */
export function quantiles(values: Float64Array, probabilities: readonly number[]): number[] {
  if (values.length === 0 || values.some(Number.isNaN)) return probabilities.map(() => Number.NaN);
  const sorted = values.slice().sort();
  return probabilities.map((probability) => {
    const place = probability * (sorted.length - 1);
    const below = Math.floor(place);
    const share = place - below;
    return share === 0 ? sorted[below] : sorted[below] + share * (sorted[below + 1] - sorted[below]);
  });
}

/**
 * Quantiles of weighted values, by linear interpolation between the shares of the total weight up to each order statistic, as `E_loo` in the R
 * package loo defines them for unequal weights. `probabilities` must be in [0, 1], weights at least 0 and not all 0.
 */
export function weightedQuantiles(
  values: Float64Array,
  weights: Float64Array,
  probabilities: readonly number[],
): number[] {
  if (values.length === 0 || values.some(Number.isNaN)) return probabilities.map(() => Number.NaN);
  const order = Uint32Array.from(values.keys()).sort((a, b) => values[a] - values[b]);
  let sum = 0;
  const sums = Float64Array.from(order, (index) => {
    sum += weights[index];
    return sum;
  });
  return probabilities.map((probability) => {
    const target = probability * sum;
    const rank = sums.findIndex((each) => each >= target);
    const value = values[order[rank]];
    const below = rank === 0 ? value : values[order[rank - 1]];
    if (below === value) return value;
    return below + ((value - below) * (target - sums[rank - 1])) / (sums[rank] - sums[rank - 1]);
  });
}

/** The ratio of the standard deviation of a normal to its median absolute deviation: 1 over the upper quartile of the standard normal. */
const NORMAL_SCALE = 1.4826;

/** The median absolute deviation from the median, scaled so that it equals the standard deviation for a normal, as in R's `mad`. */
export function medianAbsoluteDeviation(values: Float64Array): number {
  const [center] = quantiles(values, [0.5]);
  const [median] = quantiles(
    values.map((value) => Math.abs(value - center)),
    [0.5],
  );
  return NORMAL_SCALE * median;
}
