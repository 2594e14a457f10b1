import type { EventSink } from '../events.js';
import { streamText } from '../number-text.js';
import { type SmoothedWeights, smoothWeights } from './pareto-smoothing.js';

/** Maximum Pareto k of a good approximation. Importance weights of poor approximations have heavier tails. */
const LARGEST_K = 0.7;

/**
 * Smooths importance weights and reports the shape of their tail. If the tail is too heavy, logs a warning that ends with `whatFollows`.
 */
export function smoothAndReport(logRatios: Float64Array, sink: EventSink, whatFollows: string): SmoothedWeights {
  const smoothed = smoothWeights(logRatios);
  const { paretoK } = smoothed;
  sink.log('info', `Pareto k of the importance ratios: ${streamText(paretoK, 3)}`);
  if (paretoK > LARGEST_K) {
    sink.log('warn', `Pareto k value (${streamText(paretoK, 2)}) is greater than ${LARGEST_K}. ${whatFollows}`);
  }
  return smoothed;
}

/** The consequence for draws that are not resampled. */
export const POOR_DRAWS = 'The approximation is poor, and its draws should not be used as draws of the posterior.';
