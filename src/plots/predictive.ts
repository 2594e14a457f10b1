/** Posterior predictive checks: plots of data and of data that the model simulates. */
import { type DensityEstimate, kernelDensity } from '../inference/diagnostics/kernel-density.js';
import { mean, quantiles, standardDeviation } from '../inference/diagnostics/moments.js';
import { frame } from './frame.js';
import { integerBins } from './integer-bins.js';
import { observationIntervalsPlot } from './observation-intervals.js';
import { isWithin, outsideNote, robustRange } from './robust-range.js';
import { type Domain, extentOf, padded } from './scale.js';
import type { Mark, Plot, Size } from './scene.js';
import { wordsOf } from './words.js';

/** Observations, and simulations of all of them, one array per draw. */
export interface Predicted {
  readonly name: string;
  readonly observed: Float64Array;
  readonly simulated: readonly Float64Array[];
}

/** Maximum number of simulations drawn as curves; more would add no information. */
const CURVES = 50;

/** The data as a whole among simulations: frequencies if the values are integers with few distinct values, otherwise densities. */
export function predictiveDistributionPlot(predicted: Predicted, size: Size): Plot {
  return areCounts(predicted) ? predictiveCountsPlot(predicted, size) : predictiveDensityPlot(predicted, size);
}

/** The density of the data over those of fifty simulations. */
function predictiveDensityPlot({ name, observed, simulated }: Predicted, size: Size): Plot {
  const words = wordsOf(size);
  const step = Math.max(1, Math.floor(simulated.length / CURVES));
  const pooled = pooledValues(simulated);
  // A few simulations with far outliers would compress everything else.
  const domain = padded(rangeOf(observed, pooled), 0.15);
  // If no simulation exceeds a value, it is a bound of what the model can generate, and no curve shows density beyond it.
  const [start, end] = extentOf(observed, ...simulated);
  const ends: Domain = [Math.max(start, domain[0]), Math.min(end, domain[1])];
  const curves = simulated
    .filter((_, index) => index % step === 0)
    .flatMap((values) => densityWithin(values, 128, domain, ends) ?? []);
  const own = densityWithin(observed, 256, domain, ends);
  const all = own === undefined ? curves : [...curves, own];
  const { x, y, marks } = frame(size, {
    x: domain,
    y: [
      0,
      quantiles(
        Float64Array.from(all, ({ densities }) => extentOf(densities)[1]),
        [0.98],
      )[0] * 1.1 || 1,
    ],
    yTicks: false,
    xLabel: name,
  });
  const line = ({ values, densities }: { readonly values: Float64Array; readonly densities: Float64Array }) =>
    [...values].flatMap((value, k) =>
      value < x.domain[0] || value > x.domain[1] ? [] : [x(value), Math.max(0, y(densities[k]))],
    );
  return {
    ...size,
    title: words('densitiesTitle', { name }),
    description:
      words('densitiesAbout', { name, count: curves.length }) + outsideNote(pooled, domain, 'outsideValues', words),
    marks: [
      ...marks,
      ...curves.map((curve): Mark => ({ kind: 'line', points: line(curve), ink: 'chain1', width: 1, opacity: 0.3 })),
      ...(own === undefined ? [] : [{ kind: 'line', points: line(own), ink: 'observed', width: 2.5 } satisfies Mark]),
    ],
    table: () => ({
      columns: [words('curve'), words('value'), words('density')],
      rows: all.flatMap((curve, index) =>
        [...curve.values].map((value, k) => [
          curve === own ? name : words('simulationOf', { number: index + 1 }),
          value,
          curve.densities[k],
        ]),
      ),
    }),
  };
}

/** Maximum number of values that determine the range: sorting more takes seconds. */
const POOLED = 200_000;

/** Values of all simulations, evenly spaced if there are many. */
function pooledValues(simulated: readonly Float64Array[]): Float64Array {
  const step = Math.max(1, Math.ceil(simulated.reduce((sum, { length }) => sum + length, 0) / POOLED));
  return Float64Array.from(
    simulated.flatMap((values, index) => [...values.filter((_, place) => (index + place) % step === 0)]),
  );
}

/** The density on an axis that may exclude some values: the grid and the bandwidth are those of the values on it. */
function densityWithin(values: Float64Array, count: number, domain: Domain, ends: Domain): DensityEstimate | undefined {
  const within = values.filter((value) => isWithin(value, domain));
  const estimate = kernelDensity(within, count, ends);
  const share = within.length / values.length;
  return estimate && { values: estimate.values, densities: estimate.densities.map((density) => share * density) };
}

/** All observations and nearly all simulated values. */
function rangeOf(observed: Float64Array, simulated: Float64Array): Domain {
  const [low, high] = extentOf(observed);
  const [least, greatest] = quantiles(simulated.filter(Number.isFinite), [0.005, 0.995]);
  const [from, to] = robustRange(simulated);
  return [Math.min(low, Math.max(least, from)), Math.max(high, Math.min(greatest, to))];
}

/** Integers with more distinct values are shown as densities. */
const MOST_VALUES = 60;

/** Whether the values are few distinct integers, whose frequencies show more than a density. */
function areCounts({ observed, simulated }: Predicted): boolean {
  const [low, high] = extentOf(observed, ...simulated.slice(0, CURVES));
  return (
    high - low <= MOST_VALUES &&
    [observed, ...simulated.slice(0, CURVES)].every((values) => values.every(Number.isInteger))
  );
}

/** The frequency of each integer in the data, with median and 90 % interval of the same in the simulations. */
function predictiveCountsPlot({ name, observed, simulated }: Predicted, size: Size): Plot {
  const words = wordsOf(size);
  const [low, high] = extentOf(observed, ...simulated.slice(0, 10 * CURVES));
  const values = Array.from({ length: Math.max(1, Math.round(high - low) + 1) }, (_, k) => Math.floor(low) + k);
  const tally = (from: Float64Array) =>
    values.map((value) => from.reduce((sum, each) => sum + (each === value ? 1 : 0), 0));
  const own = tally(observed);
  const others = simulated.map(tally);
  const rows = values.map((value, k) => {
    const [lower, middle, upper] = quantiles(
      Float64Array.from(others, (counts) => counts[k]),
      [0.05, 0.5, 0.95],
    );
    return { value, count: own[k], lower, middle, upper };
  });
  const most = Math.max(1, ...rows.map(({ count, upper }) => Math.max(count, upper)));
  const { x, y, marks } = frame(size, {
    x: [values[0] - 0.7, (values.at(-1) ?? 0) + 0.7],
    y: [0, most * 1.05],
    xLabel: name,
  });
  const half = Math.max(1, (x(1) - x(0)) * 0.4);
  return {
    ...size,
    title: words('frequenciesTitle', { name }),
    description: words('frequenciesAbout', { name }),
    marks: [
      ...marks,
      {
        kind: 'boxes',
        boxes: rows.flatMap(({ value, count }) => [x(value) - half, y(count), 2 * half, y(0) - y(count)]),
        ink: 'muted',
        opacity: 0.35,
      },
      {
        kind: 'segments',
        ends: rows.flatMap(({ value, lower, upper }) => [x(value), y(lower), x(value), y(upper)]),
        ink: 'chain1',
        width: 2,
      },
      { kind: 'dots', points: rows.flatMap(({ value, middle }) => [x(value), y(middle)]), ink: 'chain1', radius: 3 },
    ],
    table: () => ({
      columns: [words('value'), words('observed'), '5%', '50%', '95%'],
      rows: rows.map(({ value, count, lower, middle, upper }) => [value, count, lower, middle, upper]),
    }),
  };
}

/** Each observation with median, 50 % and 90 % interval of its simulations. */
export function predictiveIntervalsPlot({ name, observed, simulated }: Predicted, size: Size): Plot {
  const rows = [...observed].map((value, k) => ({
    observed: value,
    at: quantiles(
      Float64Array.from(simulated, (values) => values[k]),
      [0.05, 0.25, 0.5, 0.75, 0.95],
    ),
  }));
  const texts = { title: 'observedIntervalsTitle', about: 'observedIntervalsAbout', spot: 'spotSimulated' } as const;
  return observationIntervalsPlot(name, rows, texts, size);
}

/** A statistic of a whole data set. */
export interface DataStatistic {
  /** Chooses its name among the words of plots. */
  readonly key: 'mean' | 'sd' | 'least' | 'greatest';
  readonly of: (values: Float64Array) => number;
}

/** Common statistics of whole data sets. */
export const dataStatistics = [
  { key: 'mean', of: mean },
  { key: 'sd', of: standardDeviation },
  { key: 'least', of: (values) => values.reduce((a, b) => Math.min(a, b)) },
  { key: 'greatest', of: (values) => values.reduce((a, b) => Math.max(a, b)) },
] as const satisfies readonly DataStatistic[];

const BINS = 30;

/** Bins of equal width around the statistic of the data and nearly all others. Bins of integers are centered on integers. */
function statisticBins(own: number, others: Float64Array) {
  const range = extentOf(robustRange(others), [own]);
  if (!Number.isInteger(own) || !others.every(Number.isInteger)) {
    const [low, high] = padded(range, 0.02);
    return { low, high, step: (high - low) / BINS };
  }
  const { starts, width: step } = integerBins([Math.floor(range[0]), Math.ceil(range[1])]);
  const low = starts[0] - 0.5;
  return { low, high: low + starts.length * step, step };
}

/** A statistic of the data with its distribution over the simulations, and the fraction of these with at least the same value. */
export function predictiveStatisticPlot(
  { name, observed, simulated }: Predicted,
  { key: statistic, of }: DataStatistic,
  size: Size,
): Plot {
  const words = wordsOf(size);
  const own = of(observed);
  const others = Float64Array.from(simulated, of);
  const share = others.reduce((sum, value) => sum + (value >= own ? 1 : 0), 0) / others.length;
  const { low, high, step } = statisticBins(own, others);
  const counts = new Array<number>(Math.round((high - low) / step)).fill(0);
  for (const value of others) {
    if (isWithin(value, [low, high])) counts[Math.min(counts.length - 1, Math.floor((value - low) / step))] += 1;
  }
  const { x, y, marks } = frame(size, {
    x: [low, high],
    y: [0, Math.max(...counts) * 1.2],
    yTicks: false,
    xLabel: words('statisticOf', { statistic, name }),
  });
  const boxes = counts.flatMap((count, k) => {
    const left = x(low + k * step);
    return [left, y(count), Math.max(0.5, x(low + (k + 1) * step) - left - 1), y(0) - y(count)];
  });
  return {
    ...size,
    title: words('statisticTitle', { statistic, name }),
    description:
      words('statisticAbout', { statistic, name, value: words.short(own), percent: words.short(100 * share, 3) }) +
      outsideNote(others, [low, high], 'outsideSimulations', words),
    marks: [
      ...marks,
      { kind: 'boxes', boxes, ink: 'chain1', opacity: 0.5 },
      { kind: 'segments', ends: [x(own), y.range[0], x(own), y.range[1]], ink: 'observed', width: 2.5 },
      {
        kind: 'text',
        x: x(own) + (x(own) > size.width / 2 ? -6 : 6),
        y: y.range[1] + 11,
        text: words('percentAbove', { percent: words.short(100 * share, 3) }),
        ink: 'text',
        anchor: x(own) > size.width / 2 ? 'end' : 'start',
        size: 11,
      },
    ],
    table: () => ({
      columns: [words('simulation'), words('statistic', { statistic })],
      rows: [[words('observed'), own], ...Array.from(others, (value, k) => [k + 1, value])],
    }),
  };
}
