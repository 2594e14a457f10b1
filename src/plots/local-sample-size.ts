import { pool } from '../inference/diagnostics/chains.js';
import { essMean } from '../inference/diagnostics/effective-sample-size.js';
import { quantiles } from '../inference/diagnostics/moments.js';
import { frame } from './frame.js';
import type { Plot, Quantity, Size } from './scene.js';
import { wordsOf } from './words.js';

const PARTS = 20;
/** Below this number per chain, effective sample sizes are not reliable (Vehtari and others 2021, section 4). */
const LEAST_PER_CHAIN = 100;

/**
 * Effective sample sizes of quantiles (line), and of the probability of the interval between two neighboring ones (boxes). A dip is a region that chains
 * seldom visit (A. Vehtari and others, "Rank-normalization, folding, and localization", Bayesian Analysis, 2021, section 4.3).
 */
export function localSampleSizePlot({ name, chains }: Quantity, size: Size): Plot {
  const words = wordsOf(size);
  const ends = quantiles(
    pool(chains).filter(Number.isFinite),
    Array.from({ length: PARTS + 1 }, (_, k) => k / PARTS),
  );
  const sizeWhere = (isCounted: (value: number) => boolean) =>
    essMean(chains.map((chain) => chain.map((value) => Number(isCounted(value)))));
  const rows = Array.from({ length: PARTS }, (_, k) => {
    const [low, high] = [ends[k], ends[k + 1]];
    return {
      to: (k + 1) / PARTS,
      quantile: k + 1 < PARTS ? sizeWhere((value) => value <= high) : Number.NaN,
      local: sizeWhere((value) => value <= high && (value > low || (k === 0 && value === low))),
    };
  });
  const least = LEAST_PER_CHAIN * chains.length;
  const known = rows.flatMap(({ local, quantile }) => [local, quantile]).filter(Number.isFinite);
  const { x, y, marks } = frame(size, {
    x: [0, 1],
    y: [0, Math.max(least, ...known) * 1.15],
    xLabel: words('probability'),
  });
  const line = rows.flatMap(({ quantile, to }) => (Number.isFinite(quantile) ? [x(to), y(quantile)] : []));
  const lowest = Math.min(...known);
  return {
    ...size,
    title: words('localSampleSizeTitle', { name }),
    description:
      known.length === 0
        ? words('sampleSizeConstant', { name })
        : words('localSampleSizeAbout', { name, least: words.short(lowest, 3) }),
    legend: [
      { ink: 'text', text: words('ofQuantiles') },
      { ink: 'accent', text: words('ofIntervals') },
    ],
    marks: [
      ...marks,
      {
        kind: 'boxes',
        boxes: rows.flatMap(({ local, to }) =>
          Number.isFinite(local)
            ? [x(to - 1 / PARTS) + 1, y(local), x(1 / PARTS) - x(0) - 2, Math.max(0, y(0) - y(local))]
            : [],
        ),
        ink: 'accent',
        opacity: 0.35,
      },
      { kind: 'segments', ends: [x.range[0], y(least), x.range[1], y(least)], ink: 'muted', dash: '3 3' },
      { kind: 'line', points: line, ink: 'text', width: 1.5 },
      { kind: 'dots', points: line, ink: 'text', radius: 2.5 },
    ],
    table: () => ({
      columns: [words('probability'), words('ofQuantiles'), words('ofIntervals')],
      rows: rows.map(({ local, quantile, to }) => [to, quantile, local]),
    }),
  };
}
