import { frame } from './frame.js';
import { chainInk, chainLegend, chainName, type Mark, type Plot, type Quantity, type Size } from './scene.js';
import { wordsOf } from './words.js';

const BINS = 20;
/** Half-width of a 95 % interval of a count, in standard deviations. */
const WIDTH = 1.96;

/**
 * Ranks of each chain's draws among all draws, as counts in 20 bins (Vehtari and others, "Rank-normalization, folding,
 * and localization", 2021, section 5). For independent draws from one distribution, the band contains the count of each
 * bin with probability 0.95.
 */
export function rankPlot(quantity: Quantity, size: Size): Plot {
  const words = wordsOf(size);
  const { name, chains } = quantity;
  const counts = rankCounts(chains);
  const lengths = chains.map(({ length }) => length);
  const binSize = lengths.reduce((sum, length) => sum + length, 0) / BINS;
  const expected = Math.max(...lengths) / BINS;
  const spread = WIDTH * Math.sqrt(expected * (1 - 1 / BINS));
  const greatest = Math.max(expected + 2 * spread, ...counts.flat());
  const { x, y, marks } = frame(size, { x: [0, BINS * binSize], y: [0, greatest * 1.04], xLabel: words('rank') });
  const [left, right] = x.range;
  const band = [
    left,
    y(expected - spread),
    right,
    y(expected - spread),
    right,
    y(expected + spread),
    left,
    y(expected + spread),
  ];
  const steps = counts.map((bins, index): Mark => {
    const points = bins.flatMap((count, bin) => [x(bin * binSize), y(count), x((bin + 1) * binSize), y(count)]);
    return { kind: 'line', points, ink: chainInk(index), width: 1.5 };
  });
  return {
    ...size,
    title: words('ranksTitle', { name }),
    description: words('ranksAbout', { name, expected: Math.round(expected) }),
    legend: chainLegend(quantity, words),
    marks: [...marks, { kind: 'area', points: band, ink: 'muted', opacity: 0.18 }, ...steps],
    table: () => ({
      columns: [words('chain'), words('bin'), words('count')],
      rows: counts.flatMap((bins, index) => bins.map((count, bin) => [chainName(quantity, index), bin + 1, count])),
    }),
    spotAt: (px, py) => {
      const bin = Math.min(BINS - 1, Math.max(0, Math.floor(x.invert(px) / binSize)));
      const [nearest] = counts
        .map((bins, index) => ({ index, count: bins[bin] }))
        .sort((a, b) => Math.abs(y(a.count) - py) - Math.abs(y(b.count) - py));
      if (nearest === undefined) return undefined;
      const text = words('spotChainDraws', { chain: chainName(quantity, nearest.index), count: nearest.count });
      return { x: x((bin + 0.5) * binSize), y: y(nearest.count), text };
    },
  };
}

/** For each chain, the number of its draws in each twentieth of all draws. Equal draws have their mean rank. */
export function rankCounts(chains: readonly Float64Array[]): number[][] {
  const all = chains.flatMap((chain, index) => Array.from(chain, (value) => ({ value, index })));
  all.sort((a, b) => a.value - b.value);
  const counts = chains.map(() => new Array<number>(BINS).fill(0));
  for (let first = 0; first < all.length; ) {
    let next = first + 1;
    while (next < all.length && all[next].value === all[first].value) next++;
    const bin = Math.min(BINS - 1, Math.floor((((first + next) / 2) * BINS) / all.length));
    for (; first < next; first++) counts[all[first].index][bin] += 1;
  }
  return counts;
}
