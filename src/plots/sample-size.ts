import { statisticsOf } from '../inference/diagnostics/draw-statistics.js';
import { frame } from './frame.js';
import type { Plot, Quantity, Size } from './scene.js';
import { type PlotWords, wordsOf } from './words.js';

const STEPS = 10;
/** Below this number per chain, R-hat and effective sample sizes are not reliable (Vehtari and others 2021, section 4). */
const LEAST_PER_CHAIN = 100;

/**
 * Effective sample sizes of the first tenth of the draws, of two tenths, and so on. They grow proportionally if chains
 * mix.
 */
export function sampleSizePlot({ name, chains }: Quantity, size: Size): Plot {
  const words = wordsOf(size);
  const length = Math.min(...chains.map((chain) => chain.length));
  const rows = Array.from({ length: STEPS }, (_, step) => {
    const count = Math.floor((length * (step + 1)) / STEPS);
    const first = chains.map((chain) => chain.subarray(0, count));
    return statisticsOf(first, ({ essBulk, essTail }) => ({
      draws: count * chains.length,
      bulk: essBulk,
      tail: essTail,
    }));
  });
  const least = LEAST_PER_CHAIN * chains.length;
  const known = rows.flatMap(({ bulk, tail }) => [bulk, tail]).filter(Number.isFinite);
  const { x, y, marks } = frame(size, {
    x: [0, length * chains.length],
    y: [0, Math.max(least, ...known) * 1.25],
    xLabel: words('draws'),
  });
  const line = (of: 'bulk' | 'tail') =>
    rows.filter((row) => Number.isFinite(row[of])).flatMap((row) => [x(row.draws), y(row[of])]);
  return {
    ...size,
    title: words('sampleSizeTitle', { name }),
    description: describe(name, rows.at(-1), words),
    marks: [
      ...marks,
      { kind: 'segments', ends: [x.range[0], y(least), x.range[1], y(least)], ink: 'muted', dash: '3 3' },
      { kind: 'line', points: line('bulk'), ink: 'accent', width: 1.5 },
      { kind: 'dots', points: line('bulk'), ink: 'accent', radius: 2.5 },
      { kind: 'line', points: line('tail'), ink: 'text', width: 1.5, dash: '5 3' },
      { kind: 'dots', points: line('tail'), ink: 'text', radius: 2.5 },
      { kind: 'text', x: x.range[0] + 8, y: y.range[1] + 12, text: `— ${words('bulk')}`, ink: 'accent', size: 11 },
      { kind: 'text', x: x.range[0] + 54, y: y.range[1] + 12, text: `- - ${words('tail')}`, ink: 'text', size: 11 },
    ],
    table: () => ({
      columns: [words('draws'), words('bulk'), words('tail')],
      rows: rows.map(({ draws, bulk, tail }) => [draws, bulk, tail]),
    }),
  };
}

function describe(
  name: string,
  last: { readonly bulk: number; readonly tail: number } | undefined,
  words: PlotWords,
): string {
  if (last === undefined || !Number.isFinite(last.bulk)) return words('sampleSizeConstant', { name });
  const bulk = words.short(last.bulk, 3);
  return Number.isFinite(last.tail)
    ? words('sampleSizeAbout', { name, bulk, tail: words.short(last.tail, 3) })
    : words('sampleSizeBulk', { name, bulk });
}
