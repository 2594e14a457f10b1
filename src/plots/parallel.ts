import { pool } from '../inference/diagnostics/chains.js';
import { mean, standardDeviation } from '../inference/diagnostics/moments.js';
import { frame } from './frame.js';
import { isPlottable } from './plottable.js';
import { extentOf, padded } from './scale.js';
import { chainName, type DrawPlace, type Mark, type Plot, type Quantity, type Size } from './scene.js';
import { wordsOf } from './words.js';

/** Maximum number of lines; more would hide each other. */
const MOST_LINES = 300;

export const PARALLEL_HEIGHT = 280;

/**
 * Draws as lines across quantities, in standard deviations from each quantity's mean (A. Inselberg, "The plane with parallel coordinates",
 * 1985). Divergent draws, with crosses, are drawn over the others: where they cluster, the sampler has difficulties (J. Gabry and others,
 * "Visualization in Bayesian workflow", 2019, section 3). Quantities that do not vary are left out.
 */
export function parallelPlot(chosen: readonly Quantity[], size: Size): Plot {
  const varying = chosen.filter(isPlottable);
  const quantities = varying.length > 0 ? varying : chosen;
  const words = wordsOf(size);
  const [first] = quantities;
  const axes = quantities.map((quantity) => {
    const draws = pool(quantity.chains).filter(Number.isFinite);
    const center = mean(draws);
    const spread = standardDeviation(draws) || 1;
    return { quantity, standardized: quantity.chains.map((chain) => chain.map((value) => (value - center) / spread)) };
  });
  const all = first.chains.flatMap((chain, k) => [...chain.keys()].map((index): DrawPlace => ({ chain: k, index })));
  const divergent = all.filter(({ chain, index }) => (first.divergent?.[chain]?.[index] ?? 0) !== 0);
  const others = all.filter(({ chain, index }) => (first.divergent?.[chain]?.[index] ?? 0) === 0);
  const shown = [...some(others), ...some(divergent)];
  const { x, y, marks } = frame(size, {
    x: [0.7, axes.length + 0.3],
    y: padded(extentOf(...axes.map(({ standardized }) => shown.map(({ chain, index }) => standardized[chain][index])))),
    xTicks: false,
    yLabel: words('standardDeviations'),
  });
  const pointsOf = ({ chain, index }: DrawPlace) =>
    axes.flatMap(({ standardized }, k) => {
      const value = standardized[chain][index];
      return Number.isFinite(value) ? [x(k + 1), y(value)] : [];
    });
  const step = Math.max(1, Math.ceil((longest(quantities) * CHARACTER + 10) / (x(2) - x(1))));
  const [bottom, top] = y.range;
  const line = (draw: DrawPlace, look: Omit<Extract<Mark, { kind: 'line' }>, 'kind' | 'points'>): Mark => ({
    kind: 'line',
    points: pointsOf(draw),
    ...look,
  });
  return {
    ...size,
    title: words('parallelTitle'),
    description: words('parallelAbout', {
      shown: some(others).length,
      count: others.length,
      quantities: axes.length,
      divergent: divergent.length,
      shownDivergent: some(divergent).length,
      hidden: divergent.length - some(divergent).length,
    }),
    legend: [
      { ink: 'chain1', text: words('draw') },
      { ink: 'divergence', text: words('divergentDraw') },
    ],
    marks: [
      ...marks,
      { kind: 'segments', ends: axes.flatMap((_, k) => [x(k + 1), bottom, x(k + 1), top]), ink: 'muted', opacity: 0.5 },
      ...axes.flatMap(({ quantity }, k): Mark[] =>
        k % step === 0
          ? [
              {
                kind: 'text',
                x: x(k + 1),
                y: bottom + 16,
                text: quantity.name,
                ink: 'text',
                anchor: 'middle',
                size: 11,
              },
            ]
          : [],
      ),
      ...some(others).map((draw) => line(draw, { ink: 'chain1', opacity: 0.18 })),
      ...some(divergent).map((draw) => line(draw, { ink: 'divergence', width: 1.2, opacity: 0.8 })),
      { kind: 'crosses', points: some(divergent).flatMap(pointsOf), ink: 'divergence', radius: 3 },
    ],
    table: () => ({
      columns: [words('chain'), words('draw'), words('divergent'), ...quantities.map(({ name }) => name)],
      rows: all.map(({ chain, index }) => [
        chainName(first, chain),
        index + 1,
        first.divergent?.[chain]?.[index] ?? 0,
        ...quantities.map(({ chains }) => chains[chain][index]),
      ]),
    }),
    spotAt: (px, py) => {
      const k = Math.min(axes.length, Math.max(1, Math.round(x.invert(px)))) - 1;
      const { quantity, standardized } = axes[k];
      const [nearest] = shown
        .map((draw) => ({ draw, distance: Math.abs(y(standardized[draw.chain][draw.index]) - py) }))
        .sort((a, b) => a.distance - b.distance);
      if (nearest === undefined) return undefined;
      const { chain, index } = nearest.draw;
      const value = `${quantity.name} ${words.short(quantity.chains[chain][index])}`;
      const text = words('spotDraw', { chain: chainName(quantity, chain), draw: index + 1, value });
      return { x: x(k + 1), y: y(standardized[chain][index]), text, draw: nearest.draw };
    },
    marksOf: (selected) => {
      const picked = all.filter(({ chain, index }) => selected[chain]?.[index] === 1);
      return some(picked).map((draw) => line(draw, { ink: 'accent', width: 1.2, opacity: 0.7 }));
    },
  };
}

const CHARACTER = 6.2;

function longest(quantities: readonly Quantity[]): number {
  return Math.max(...quantities.map(({ name }) => name.length));
}

/** At most `MOST_LINES` of the draws, spread evenly. */
function some(draws: readonly DrawPlace[]): readonly DrawPlace[] {
  const step = Math.ceil(draws.length / MOST_LINES);
  return draws.filter((_, k) => k % step === 0);
}
