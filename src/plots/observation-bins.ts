/** Bins of observations, and the means of the observations in one of them. */
import { mean, quantiles } from '../inference/diagnostics/moments.js';
import type { Predicted } from './predictive.js';

const MOST_BINS = 20;
const FEWEST_IN_BIN = 5;
const PROBABILITIES = [0.05, 0.25, 0.5, 0.75, 0.95];

/** Observations in the order of their values, in bins of nearly equal size. Equal values are in one bin. */
export function binsOf(values: Float64Array): number[][] {
  const order = [...values.keys()].sort((a, b) => values[a] - values[b]);
  const count = Math.max(1, Math.min(MOST_BINS, Math.floor(order.length / FEWEST_IN_BIN)));
  const bins: number[][] = [];
  for (const [rank, index] of order.entries()) {
    const last = bins.at(-1);
    const isFull = last === undefined || rank >= (bins.length * order.length) / count;
    if (isFull && (last === undefined || values[last.at(-1) ?? 0] < values[index])) bins.push([index]);
    else last?.push(index);
  }
  return bins;
}

/** The mean of some observations, with the mean and quantiles of the same in the simulations. */
export function meanOf({ observed, simulated }: Predicted, members: readonly number[]) {
  const meanIn = (set: Float64Array) => members.reduce((sum, index) => sum + set[index], 0) / members.length;
  const means = Float64Array.from(simulated, meanIn);
  return {
    count: members.length,
    observed: meanIn(observed),
    predicted: mean(means),
    at: quantiles(means, PROBABILITIES),
  };
}
