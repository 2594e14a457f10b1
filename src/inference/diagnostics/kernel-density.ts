import { exponential } from '../../numbers/elementary.js';
import { quantiles, standardDeviation } from './moments.js';

/** A density on a grid of equally distant values. */
export interface DensityEstimate {
  readonly values: Float64Array;
  readonly densities: Float64Array;
}

/** Number of bins for counting draws; far finer than the kernel's bandwidth. */
const BINS = 1024;

/** With fewer draws, the least and the greatest are far from the bounds of the quantity. */
const FEWEST_TO_REFLECT = 100;

/**
 * A Gaussian kernel estimate of a density from draws, counted in bins first. The bandwidth is Silverman's rule of thumb
 * (Density Estimation for Statistics and Data Analysis, 1986, equation 3.31), as R's `bw.nrd0`. It is reflected at the least and
 * at the greatest draw (section 2.10 there, as ArviZ does), so that a positive quantity has no density below zero; of few draws,
 * the curve fades out beyond them instead, and is reflected at the `ends` of the quantity where these are known. Draws that are not
 * finite are left out; draws that are all the same have no density. `count` is the number of the grid's values.
 */
export function kernelDensity(
  draws: Float64Array,
  count = 256,
  [start, end]: readonly [number, number] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
): DensityEstimate | undefined {
  const finite = draws.filter(Number.isFinite);
  const [least, lower, upper, greatest] = quantiles(finite, [0, 0.25, 0.75, 1]);
  const spread = standardDeviation(finite);
  if (!(spread > 0) || !(greatest > least)) return undefined;
  const scale = Math.min(spread, (upper - lower) / 1.34) || spread;
  const bandwidth = 0.9 * scale * finite.length ** -0.2;
  const margin = finite.length < FEWEST_TO_REFLECT ? 3 * bandwidth : 0;
  const from = Math.max(least - margin, Math.min(start, least));
  const to = Math.min(greatest + margin, Math.max(end, greatest));
  const width = (to - from) / BINS;
  const counts = new Float64Array(BINS);
  for (const value of finite) counts[Math.min(BINS - 1, Math.floor((value - from) / width))] += 1;
  // If the curve fades out, no bin is near enough to the grid's ends to be reflected.
  const countAt = (bin: number) => counts[bin < 0 ? -1 - bin : bin < BINS ? bin : 2 * BINS - 1 - bin] ?? 0;

  const values = Float64Array.from({ length: count }, (_, k) => from + ((to - from) * k) / (count - 1));
  const norm = 1 / (finite.length * bandwidth * Math.sqrt(2 * Math.PI));
  const reach = Math.ceil((5 * bandwidth) / width);
  const densities = values.map((value) => {
    const center = Math.floor((value - from) / width);
    let sum = 0;
    for (let bin = center - reach; bin <= center + reach; bin++) {
      const there = countAt(bin);
      if (there === 0) continue;
      const distance = (value - from - (bin + 0.5) * width) / bandwidth;
      sum += there * exponential(-(distance * distance) / 2);
    }
    return sum * norm;
  });
  return { values, densities };
}
