/**
 * Calibration of probabilities of a binary outcome: the share of ones by predicted probability, estimated by isotonic regression (T. Dimitriadis, T.
 * Gneiting and A. I. Jordan, "Stable reliability diagrams for probabilistic classifiers", PNAS, 2021).
 */
import { quantiles } from '../inference/diagnostics/moments.js';
import { frame } from './frame.js';
import type { Predicted } from './predictive.js';
import { padded } from './scale.js';
import type { Plot, Size } from './scene.js';
import { wordsOf } from './words.js';

/** Maximum number of simulations that determine the band. */
const MOST_SETS = 200;

/** Whether all values are 0 or 1, and both occur. */
export function isBinary({ observed }: Predicted): boolean {
  return observed.every((value) => value === 0 || value === 1) && new Set(observed).size === 2;
}

/**
 * The non-decreasing sequence with the least sum of squared differences from `values`, by pooling adjacent violators (R. E. Barlow and others,
 * Statistical Inference under Order Restrictions, 1972).
 */
export function isotonic(values: ArrayLike<number>): Float64Array {
  const means: number[] = [];
  const counts: number[] = [];
  for (let k = 0; k < values.length; k++) {
    let [mean, count] = [values[k], 1];
    while (means.length > 0 && means[means.length - 1] >= mean) {
      const [before, size] = [means.pop() ?? 0, counts.pop() ?? 0];
      mean = (before * size + mean * count) / (size + count);
      count += size;
    }
    means.push(mean);
    counts.push(count);
  }
  return Float64Array.from(means.flatMap((mean, place) => new Array<number>(counts[place]).fill(mean)));
}

/**
 * The share of ones by predicted probability, with its 90 % intervals in simulated data, of which the probabilities are right. Equal probabilities
 * are in the order of the data.
 */
export function reliabilityPlot({ name, observed, simulated }: Predicted, size: Size): Plot {
  const words = wordsOf(size);
  const chances = observed.map((_, k) => simulated.reduce((sum, set) => sum + set[k], 0) / simulated.length);
  const order = [...chances.keys()].sort((a, b) => chances[a] - chances[b]);
  const sorted = order.map((k) => chances[k]);
  const shareIn = (set: Float64Array) =>
    isotonic(
      pooledTies(
        sorted,
        order.map((k) => set[k]),
      ),
    );
  const own = shareIn(observed);
  const step = Math.ceil(simulated.length / MOST_SETS);
  const sets = simulated.filter((_, index) => index % step === 0).map(shareIn);
  const bands = sorted.map((_, k) =>
    quantiles(
      Float64Array.from(sets, (set) => set[k]),
      [0.05, 0.95],
    ),
  );
  const outside = bands.filter(([low, high], k) => own[k] < low - 1e-12 || own[k] > high + 1e-12).length;
  const { x, y, marks } = frame(size, {
    x: padded([0, 1], 0.02),
    y: padded([0, 1], 0.02),
    xLabel: words('predictedProbability', { name }),
    yLabel: words('shareOfOnes', { name }),
  });
  const line = (heights: ArrayLike<number>) => sorted.flatMap((chance, k) => [x(chance), y(heights[k])]);
  const low = line(bands.map(([from]) => from));
  const high = line(bands.map(([, to]) => to));
  const back = order.flatMap((_, k) => high.slice(high.length - 2 * (k + 1), high.length - 2 * k));
  return {
    ...size,
    title: words('reliabilityTitle', { name }),
    description: words('reliabilityAbout', { name, outside, count: order.length }),
    legend: [
      { ink: 'observed', text: words('observed') },
      { ink: 'chain1', text: words('simulations') },
    ],
    marks: [
      ...marks,
      { kind: 'line', points: [x(0), y(0), x(1), y(1)], ink: 'muted', dash: '4 3' },
      { kind: 'area', points: [...low, ...back], ink: 'chain1', opacity: 0.25 },
      { kind: 'line', points: line(own), ink: 'observed', width: 2 },
      {
        kind: 'dots',
        points: order.flatMap((k) => [x(chances[k]), y(observed[k])]),
        ink: 'observed',
        radius: 1.5,
        opacity: 0.4,
      },
    ],
    table: () => ({
      columns: [words('predictedProbability', { name }), words('shareOfOnes', { name }), '5%', '95%'],
      rows: sorted.map((chance, k) => [chance, own[k], bands[k][0], bands[k][1]]),
    }),
  };
}

/** The values with the mean in place of those whose keys are equal. Keys are in order. */
function pooledTies(keys: readonly number[], values: readonly number[]): readonly number[] {
  const pooled: number[] = [];
  for (let start = 0; start < keys.length; ) {
    let end = start;
    while (end < keys.length && keys[end] === keys[start]) end++;
    const mean = values.slice(start, end).reduce((sum, value) => sum + value, 0) / (end - start);
    while (pooled.length < end) pooled.push(mean);
    start = end;
  }
  return pooled;
}
