import { frame } from './frame.js';
import { extentOf, padded, rangeIn } from './scale.js';
import {
  chainInk,
  chainLegend,
  chainName,
  divergenceLegend,
  type Mark,
  type Plot,
  type Quantity,
  referenceLegend,
  type Size,
} from './scene.js';
import { wordsOf } from './words.js';

/** Maximum distance in pixels between the pointer and a draw. */
const REACH = 14;
/** Maximum number of draws of another fit. */
const MOST_OTHERS = 1000;

/**
 * Draws of one quantity against another, with divergences as crosses. A cluster of crosses is a region that the sampler
 * cannot explore.
 */
export function pairPlot(across: Quantity, up: Quantity, size: Size): Plot {
  const words = wordsOf(size);
  const { x, y, marks } = frame(size, {
    x: padded(extentOf(...across.chains, across.reference?.draws ?? [])),
    y: padded(extentOf(...up.chains, up.reference?.draws ?? [])),
    xLabel: across.name,
    yLabel: up.name,
  });
  const divergent = across.divergent ?? [];
  const marksOf = (isShown: (chain: number, index: number) => boolean, look: { radius: number; opacity?: number }) => {
    const crosses: number[] = [];
    const dots = across.chains.map((chain, k): Mark => {
      const points: number[] = [];
      for (const [index, value] of chain.entries()) {
        const other = up.chains[k]?.[index];
        if (other === undefined || !Number.isFinite(value + other) || !isShown(k, index)) continue;
        (divergent[k]?.[index] ? crosses : points).push(x(value), y(other));
      }
      return { kind: 'dots', points, ink: chainInk(k), ...look };
    });
    const cross: Mark = { kind: 'crosses', points: crosses, ink: 'divergence', radius: 3 };
    return { marks: [...dots, cross], divergences: crosses.length / 2 };
  };
  const others = referencePoints(across, up).map((value, place) => (place % 2 === 0 ? x(value) : y(value)));
  const all = marksOf(() => true, { radius: 1.5, opacity: 0.45 });
  return {
    ...size,
    title: words('pairTitle', { up: up.name, across: across.name }),
    description: words('pairAbout', { up: up.name, across: across.name, count: all.divergences }),
    legend: [...chainLegend(across, words), ...divergenceLegend(across, words), ...referenceLegend(across)],
    marks: [
      ...marks,
      ...(others.length > 0
        ? [{ kind: 'dots', points: others, ink: 'muted', radius: 1.5, opacity: 0.4 } as const]
        : []),
      ...all.marks,
    ],
    table: () => ({
      columns: [words('chain'), words('draw'), across.name, up.name, words('divergent')],
      rows: across.chains.flatMap((chain, k) =>
        [...chain].map((value, index) => [
          chainName(across, k),
          index + 1,
          value,
          up.chains[k][index],
          divergent[k]?.[index] ?? 0,
        ]),
      ),
    }),
    spotAt: (px, py) => {
      let nearest = REACH ** 2;
      let found: { readonly chain: number; readonly index: number } | undefined;
      for (const [chain, values] of across.chains.entries()) {
        for (const [index, value] of values.entries()) {
          const distance = (x(value) - px) ** 2 + (y(up.chains[chain][index]) - py) ** 2;
          if (distance < nearest) {
            nearest = distance;
            found = { chain, index };
          }
        }
      }
      if (found === undefined) return undefined;
      const [a, b] = [across.chains[found.chain][found.index], up.chains[found.chain][found.index]];
      const value = `${words.short(a)}, ${words.short(b)}`;
      const text = words('spotDraw', { chain: chainName(across, found.chain), draw: found.index + 1, value });
      return { x: x(a), y: y(b), text, draw: found };
    },
    placeOf: ({ chain, index }) => {
      const [a, b] = [across.chains[chain]?.[index], up.chains[chain]?.[index]];
      return a === undefined || b === undefined ? undefined : { x: x(a), y: y(b) };
    },
    rangesIn: (corner, opposite) => [
      { name: across.name, ...rangeIn(x, corner.x, opposite.x) },
      { name: up.name, ...rangeIn(y, corner.y, opposite.y) },
    ],
    marksOf: (selected) => marksOf((k, index) => selected[k]?.[index] === 1, { radius: 2 }).marks,
  };
}

/** Evenly spaced draws of another fit: x0, y0, x1, y1, … */
function referencePoints(across: Quantity, up: Quantity): readonly number[] {
  const [a, b] = [across.reference?.draws ?? [], up.reference?.draws ?? []];
  const step = Math.max(1, Math.ceil(a.length / MOST_OTHERS));
  const points: number[] = [];
  for (let k = 0; k < Math.min(a.length, b.length); k += step) {
    if (Number.isFinite(a[k] + b[k])) points.push(a[k], b[k]);
  }
  return points;
}
