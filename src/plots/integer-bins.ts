/** Bins of integers: each has the same number of values, one if the range allows it. */
import type { Domain } from './scale.js';

/** Maximum number of bins. */
const MOST = 40;

export interface IntegerBins {
  /** The least value of each bin. */
  readonly starts: readonly number[];
  /** Number of values in a bin. */
  readonly width: number;
  /** The number of values in each bin. */
  count(values: ArrayLike<number>): number[];
}

/** Bins that cover the range between two integers. */
export function integerBins([low, high]: Domain): IntegerBins {
  const width = Math.ceil((high - low + 1) / MOST);
  const starts = Array.from({ length: Math.ceil((high - low + 1) / width) }, (_, k) => low + k * width);
  return {
    starts,
    width,
    count(values) {
      const counts = new Array<number>(starts.length).fill(0);
      for (let i = 0; i < values.length; i++) {
        const bin = Math.floor((values[i] - low) / width);
        if (bin >= 0 && bin < counts.length) counts[bin] += 1;
      }
      return counts;
    },
  };
}
