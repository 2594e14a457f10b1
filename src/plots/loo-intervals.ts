import { observationIntervalsPlot } from './observation-intervals.js';
import type { Plot, Size } from './scene.js';
import { wordsOf } from './words.js';

/** Observations with quantiles of their predictions from all other observations. */
export interface LeftOutIntervals {
  /** Name of the outcome. */
  readonly name: string;
  readonly observed: Float64Array;
  /** The quantiles at 0.05, 0.25, 0.5, 0.75 and 0.95 of each observation. */
  readonly quantiles: readonly (readonly number[])[];
}

/**
 * Each observation with median, 50 % and 90 % interval of its leave-one-out predictions, which an influential observation does not draw towards
 * itself (J. Gabry and others, "Visualization in Bayesian workflow", Journal of the Royal Statistical Society A 182, 2019).
 */
export function looIntervalsPlot({ name, observed, quantiles }: LeftOutIntervals, size: Size): Plot {
  const words = wordsOf(size);
  const rows = [...observed].map((value, k) => ({ observed: value, at: quantiles[k] }));
  const texts = { title: 'looIntervalsTitle', about: 'looIntervalsAbout', spot: 'spotPredicted' } as const;
  return {
    ...observationIntervalsPlot(name, rows, texts, size),
    legend: [
      { ink: 'observed', text: words('observed') },
      { ink: 'chain1', text: words('leftOutPredictions') },
    ],
  };
}
