/** Plots of simulation-based calibration. */
import { frame } from './frame.js';
import type { Mark, Plot, Size } from './scene.js';
import { wordsOf } from './words.js';

/** The ranks of a parameter's values in the draws of fits of simulated data. */
export interface CalibratedRanks {
  readonly name: string;
  /** One rank per fit, from 0 to `greatestRank`. */
  readonly ranks: readonly number[];
  readonly greatestRank: number;
}

/** Differences between the distribution of ranks and the uniform one, at fractions `places` of the possible ranks, with a simultaneous band. */
export interface CalibratedDifferences {
  readonly name: string;
  readonly differences: readonly number[];
  readonly places: readonly number[];
  /** Half the width of the band. */
  readonly band: readonly number[];
}

const MOST_BINS = 20;
/** Minimum expected number of ranks in a bin. */
const FEWEST_IN_BIN = 5;
const COVERAGE = 0.95;

/** The `most` quantities whose ranks are least compatible with a uniform distribution, in their original order. */
export function leastUniform<Quantity extends { readonly probability: number }>(
  quantities: readonly Quantity[],
  most: number,
): readonly Quantity[] {
  const least = new Set(quantities.toSorted((a, b) => a.probability - b.probability).slice(0, most));
  return quantities.filter((each) => least.has(each));
}

/**
 * Histogram of ranks. If ranks are uniform, the band contains the counts of all bins with probability at least 0.95: it
 * is a binomial interval for each bin, at a level divided by the number of bins (Bonferroni).
 */
export function rankHistogram({ greatestRank, name, ranks }: CalibratedRanks, size: Size): Plot {
  const words = wordsOf(size);
  const possible = greatestRank + 1;
  const bins = Math.max(1, Math.min(MOST_BINS, possible, Math.floor(ranks.length / FEWEST_IN_BIN)));
  const starts = Array.from({ length: bins + 1 }, (_, bin) => Math.ceil((bin * possible) / bins));
  const counts = new Array<number>(bins).fill(0);
  for (const rank of ranks) counts[Math.floor((rank * bins) / possible)] += 1;
  const shares = counts.map((_, bin) => (starts[bin + 1] - starts[bin]) / possible);
  const tail = (1 - COVERAGE) / (2 * bins);
  const bands = shares.map((share) => binomialInterval(ranks.length, share, tail));
  const greatest = Math.max(...counts, ...bands.map(({ high }) => high));
  const { x, y, marks } = frame(size, { x: [0, possible], y: [0, greatest * 1.06], xLabel: words('rank') });
  const floor = y(0);
  const bars = counts.flatMap((count, bin) => [
    x(starts[bin]) + 1,
    y(count),
    x(starts[bin + 1]) - x(starts[bin]) - 2,
    floor - y(count),
  ]);
  const upper = bands.flatMap(({ high }, bin) => [x(starts[bin]), y(high), x(starts[bin + 1]), y(high)]);
  const lower = bands.map(({ low }, bin) => [x(starts[bin + 1]), y(low), x(starts[bin]), y(low)]).reverse();
  const expected = shares.flatMap((share, bin) => [
    x(starts[bin]),
    y(share * ranks.length),
    x(starts[bin + 1]),
    y(share * ranks.length),
  ]);
  const outside = counts.filter((count, bin) => count < bands[bin].low || count > bands[bin].high).length;
  const all: readonly Mark[] = [
    ...marks,
    { kind: 'boxes', boxes: bars, ink: 'chain1', opacity: 0.75 },
    { kind: 'area', points: [...upper, ...lower.flat()], ink: 'muted', opacity: 0.22 },
    { kind: 'line', points: expected, ink: 'muted', width: 1.2 },
  ];
  return {
    ...size,
    title: words('ranksTitle', { name }),
    description:
      outside === 0
        ? words('histogramGood', { name, fits: ranks.length, percent: 100 * COVERAGE })
        : words('histogramBad', { name, fits: ranks.length, outside, bins, percent: 100 * COVERAGE }),
    marks: all,
    table: () => ({
      columns: (['firstRank', 'lastRank', 'count', 'low', 'high'] as const).map((key) => words(key)),
      rows: counts.map((count, bin) => [starts[bin], starts[bin + 1] - 1, count, bands[bin].low, bands[bin].high]),
    }),
    spotAt: (px) => {
      const rank = Math.min(greatestRank, Math.max(0, Math.floor(x.invert(px))));
      const bin = Math.floor((rank * bins) / possible);
      const { high, low } = bands[bin];
      const text = words('spotRanks', { from: starts[bin], to: starts[bin + 1] - 1, count: counts[bin], low, high });
      return { x: x((starts[bin] + starts[bin + 1]) / 2), y: y(counts[bin]), text };
    },
  };
}

/**
 * The empirical distribution of ranks minus a uniform distribution, with a band. If ranks are uniform, the band
 * contains the differences at all places with probability 0.95 (Säilynoja, Bürkner and Vehtari 2022, section 3.1).
 */
export function rankDifferences({ band, differences, name, places }: CalibratedDifferences, size: Size): Plot {
  const words = wordsOf(size);
  const shown = [
    { place: 0, difference: 0, width: 0 },
    ...places.map((place, k) => ({ place, difference: differences[k], width: band[k] })),
    { place: 1, difference: 0, width: 0 },
  ];
  const greatest = Math.max(0.01, ...band, ...differences.map(Math.abs)) * 1.08;
  const { x, y, marks } = frame(size, { x: [0, 1], y: [-greatest, greatest], xLabel: words('fractionalRank') });
  const isOutside = shown.some(({ difference, width }) => Math.abs(difference) > width);
  const upper = shown.flatMap(({ place, width }) => [x(place), y(width)]);
  const lower = shown.map(({ place, width }) => [x(place), y(-width)]).reverse();
  const all: readonly Mark[] = [
    ...marks,
    { kind: 'area', points: [...upper, ...lower.flat()], ink: 'muted', opacity: 0.18 },
    { kind: 'segments', ends: [x(0), y(0), x(1), y(0)], ink: 'muted', opacity: 0.6 },
    {
      kind: 'line',
      points: shown.flatMap(({ difference, place }) => [x(place), y(difference)]),
      ink: 'chain1',
      width: 1.8,
    },
  ];
  return {
    ...size,
    title: words('calibrationTitle', { name }),
    description: words('calibrationAbout', { name, isOutside: Number(isOutside), percent: 100 * COVERAGE }),
    marks: all,
    table: () => ({
      columns: (['rank', 'difference', 'band'] as const).map((key) => words(key)),
      rows: shown.map(({ difference, place, width }) => [place, difference, width]),
    }),
    spotAt: (px) => {
      const at = x.invert(px);
      const [nearest] = shown.toSorted((a, b) => Math.abs(a.place - at) - Math.abs(b.place - at));
      const { difference, place, width } = nearest;
      const text = words('spotBand', {
        place: words.fixed(place, 2),
        difference: words.fixed(difference, 3),
        width: words.fixed(width, 3),
      });
      return { x: x(place), y: y(difference), text };
    },
  };
}

/** The narrowest interval of counts that excludes at most the probability `tail` on each side. */
function binomialInterval(count: number, share: number, tail: number): { readonly low: number; readonly high: number } {
  if (share >= 1) return { low: count, high: count };
  const odds = share / (1 - share);
  let probability = (1 - share) ** count;
  let below = 0;
  let low = 0;
  for (let k = 0; k <= count; k++) {
    if (below + probability <= tail) low = k + 1;
    below += probability;
    if (1 - below <= tail || k === count) return { low, high: k };
    probability *= ((count - k) / (k + 1)) * odds;
  }
  return { low: 0, high: count };
}
