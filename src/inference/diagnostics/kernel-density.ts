import { exponential } from '../../base/elementary.js';
import { quantiles, standardDeviation } from './moments.js';

/** A density on an evenly spaced grid. */
export interface DensityEstimate {
  readonly values: Float64Array;
  readonly densities: Float64Array;
}

/** Number of bins for counting draws. They are much narrower than the bandwidth of the kernel. */
const BINS = 1024;

/** Minimum number of draws for reflection. With fewer, the extreme draws are far from the bounds of the quantity. */
const FEWEST_TO_REFLECT = 100;

/**
 * A Gaussian kernel density estimate from binned draws. The bandwidth is Silverman's rule of thumb (Density Estimation for Statistics and
 * Data Analysis, 1986, equation 3.31), as in R's `bw.nrd0`. The estimate is reflected at the least and at the greatest draw (section 2.10
 * there, as in ArviZ), so that a positive quantity has no density below zero. For few draws, the curve instead decays beyond the extreme
 * draws, and is reflected at the known `ends` of the quantity. Ignores draws that are not finite. Equal draws have no density. `count` is
 * the number of grid values.
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
  // If the curve decays, no bin is close enough to the ends of the grid to be reflected.
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
