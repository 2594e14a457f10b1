import { createRng } from '../inference/random/random-stream.js';
import { frame } from './frame.js';
import type { Scale } from './scale.js';
import { chainInk, chainLegend, chainName, type Mark, type Plot, type Quantity, type Size } from './scene.js';
import { wordsOf } from './words.js';

/** The differences are computed at multiples of a fiftieth of all ranks. */
export const STEPS = 50;
const COVERAGE = 0.95;
/**
 * Number of simulated sets of chains, and the maximum number of draws of each. With more draws, the factor of the band
 * changes little.
 */
const SETS = 600;
const MOST_SIMULATED = 250;

/**
 * Differences between each chain's empirical distribution of ranks among all draws and a uniform distribution, with a
 * band. If all draws are independent and from one distribution, the band contains the differences of all chains at all
 * ranks with probability 0.95. Source: T. Säilynoja, P.-C. Bürkner and A. Vehtari, "Graphical test for discrete
 * uniformity and its applications in goodness-of-fit evaluation and multiple sample comparison" (2022), section 3.2.
 * The band has equal precision (V. N. Nair, "Confidence bands for survival functions with censored data", 1984): it is
 * a multiple, found by simulation, of the standard deviation at each rank.
 */
export function ecdfDifferencePlot(quantity: Quantity, size: Size): Plot {
  const words = wordsOf(size);
  const { name, chains } = quantity;
  const differences = ecdfDifferences(chains);
  const band = simultaneousBand(chains.length, Math.min(...chains.map(({ length }) => length)));
  const greatest = Math.max(0.01, ...band, ...differences.flat().map(Math.abs)) * 1.08;
  const { x, y, marks } = frame(size, { x: [0, 1], y: [-greatest, greatest], xLabel: words('fractionalRank') });
  const places = band.map((_, step) => step / STEPS);
  const lines = differences.map((chain, index): Mark => {
    const points = chain.flatMap((difference, step) => [x(places[step]), y(difference)]);
    return { kind: 'line', points, ink: chainInk(index), width: 1.5 };
  });
  const outside = differences.flatMap((chain, index) =>
    chain.some((difference, step) => Math.abs(difference) > band[step]) ? [chainName(quantity, index)] : [],
  );
  return {
    ...size,
    title: words('ecdfTitle', { name }),
    description: words(chains.length < 2 ? 'ecdfSingle' : outside.length === 0 ? 'ecdfGood' : 'ecdfBad', {
      name,
      count: outside.length,
      chains: outside.join(', '),
    }),
    marks: [...marks, ...bandMarks(band, x, y), ...lines],
    legend: chainLegend(quantity, words),
    table: () => ({
      columns: (['chain', 'rank', 'difference', 'band'] as const).map((key) => words(key)),
      rows: differences.flatMap((chain, index) =>
        chain.map((difference, step) => [chainName(quantity, index), places[step], difference, band[step]]),
      ),
    }),
    spotAt: (px, py) => {
      const step = Math.min(STEPS, Math.max(0, Math.round(x.invert(px) * STEPS)));
      const [nearest] = differences
        .map((chain, index) => ({ index, difference: chain[step] }))
        .sort((a, b) => Math.abs(y(a.difference) - py) - Math.abs(y(b.difference) - py));
      if (nearest === undefined) return undefined;
      const value = words.fixed(nearest.difference, 3);
      const text = words('spotChain', { chain: chainName(quantity, nearest.index), value });
      return { x: x(places[step]), y: y(nearest.difference), text };
    },
  };
}

/** The band around a difference of 0. */
export function bandMarks(band: readonly number[], x: Scale, y: Scale): Mark[] {
  const upper = band.flatMap((width, step) => [x(step / STEPS), y(width)]);
  const lower = band.map((width, step) => [x(step / STEPS), y(-width)]).reverse();
  return [
    { kind: 'area', points: [...upper, ...lower.flat()], ink: 'muted', opacity: 0.18 },
    { kind: 'segments', ends: [x(0), y(0), x(1), y(0)], ink: 'muted', opacity: 0.6 },
  ];
}

/**
 * The fraction of each chain's draws up to a fraction of all ranks, minus that fraction, at 0, 0.02, … 1. Equal draws are spread evenly
 * over their ranks.
 */
export function ecdfDifferences(chains: readonly Float64Array[]): number[][] {
  const all = chains.flatMap((chain, index) => Array.from(chain, (value) => ({ value, index })));
  all.sort((a, b) => a.value - b.value);
  const counts = chains.map(() => 0);
  const shares = chains.map(() => [0]);
  for (let first = 0, step = 1; first < all.length; ) {
    let next = first + 1;
    while (next < all.length && Object.is(all[next].value, all[first].value)) next++;
    const equal = chains.map(() => 0);
    for (let k = first; k < next; k++) equal[all[k].index] += 1;
    for (; step <= STEPS && (step * all.length) / STEPS <= next; step++) {
      const part = ((step * all.length) / STEPS - first) / (next - first);
      chains.forEach((chain, index) => {
        shares[index].push((counts[index] + part * equal[index]) / chain.length - step / STEPS);
      });
    }
    equal.forEach((count, index) => {
      counts[index] += count;
    });
    first = next;
  }
  return shares;
}

/** Half the width of the band at 0, 0.02, … 1 for chains of `draws` independent draws each; 0 everywhere for a single chain. */
export function simultaneousBand(chains: number, draws: number): number[] {
  const deviations = Array.from({ length: STEPS + 1 }, (_, step) => deviationAt(step / STEPS, chains, draws));
  if (chains < 2 || draws === 0) return deviations.map(() => 0);
  const simulated = Math.min(draws, MOST_SIMULATED);
  const rng = createRng(1, 1);
  const owners = Uint16Array.from({ length: chains * simulated }, (_, place) => place % chains);
  const greatest = Array.from({ length: SETS }, () => {
    for (let last = owners.length - 1; last > 0; last--) {
      const other = Math.floor(rng.uniform() * (last + 1));
      [owners[last], owners[other]] = [owners[other], owners[last]];
    }
    return greatestDeviation(owners, chains);
  }).sort((a, b) => a - b);
  const factor = greatest[Math.ceil(COVERAGE * SETS) - 1];
  return deviations.map((deviation) => factor * deviation);
}

/** Half the width of the band at 0, 0.02, … 1 for `count` independent draws of a uniform distribution. */
export function uniformBand(count: number): number[] {
  const deviation = (share: number, draws: number) => Math.sqrt((share * (1 - share)) / draws);
  if (count === 0) return Array.from({ length: STEPS + 1 }, () => 0);
  const simulated = Math.min(count, MOST_SIMULATED);
  const rng = createRng(1, 2);
  const greatest = Array.from({ length: SETS }, () => {
    const differences = uniformDifferences(Float64Array.from({ length: simulated }, () => rng.uniform()));
    return differences.reduce((most, difference, step) => {
      return Math.max(most, Math.abs(difference) / (deviation(step / STEPS, simulated) || 1));
    }, 0);
  }).sort((a, b) => a - b);
  const factor = greatest[Math.ceil(COVERAGE * SETS) - 1];
  return Array.from({ length: STEPS + 1 }, (_, step) => factor * deviation(step / STEPS, count));
}

/** The fraction of values up to 0, 0.02, … 1, minus that of a uniform distribution. */
export function uniformDifferences(values: Float64Array): number[] {
  const sorted = values.toSorted();
  let place = 0;
  return Array.from({ length: STEPS + 1 }, (_, step) => {
    while (place < sorted.length && sorted[place] <= step / STEPS) place++;
    return place / sorted.length - step / STEPS;
  });
}

/**
 * The greatest difference of a chain, in standard deviations at its rank. `owners` are the chains of the draws, in
 * ascending order of the draws.
 */
function greatestDeviation(owners: Uint16Array, chains: number): number {
  const counts = new Float64Array(chains);
  const draws = owners.length / chains;
  let greatest = 0;
  for (let step = 1, place = 0; step < STEPS; step++) {
    const end = Math.round((step * owners.length) / STEPS);
    for (; place < end; place++) counts[owners[place]] += 1;
    const share = place / owners.length;
    const deviation = deviationAt(share, chains, draws);
    for (const count of counts) greatest = Math.max(greatest, Math.abs(count / draws - share) / (deviation || 1));
  }
  return greatest;
}

/** Standard deviation of a chain's fraction. The count is hypergeometric, because the set of all ranks is fixed. */
function deviationAt(share: number, chains: number, draws: number): number {
  const total = chains * draws;
  return Math.sqrt((share * (1 - share) * (total - draws)) / (draws * Math.max(1, total - 1)));
}
