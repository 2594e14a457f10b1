import { pool } from '../inference/diagnostics/chains.js';
import { type DensityEstimate, kernelDensity } from '../inference/diagnostics/kernel-density.js';
import { correlation } from '../inference/diagnostics/moments.js';
import { isPlottable } from './plottable.js';
import { extentOf, linear, padded, rangeIn, type Scale, ticksOf } from './scale.js';
import {
  chainName,
  type DrawPlace,
  divergenceLegend,
  type Mark,
  type Plot,
  type Quantity,
  REFERENCE,
  referenceLegend,
  type Size,
} from './scene.js';
import { wordsOf } from './words.js';

/** Maximum number of quantities; with more, the cells are too small to read. */
export const MOST_IN_MATRIX = 6;
/** Maximum number of dots in a cell. */
const MOST_DOTS = 500;
/** Height of a cell in pixels. */
const CELL = 120;
const [LEFT, RIGHT, BOTTOM, GAP] = [48, 14, 22, 8];
/** Space above a density for the name of its quantity. */
const HEADROOM = 0.35;
/** Maximum distance in pixels between the pointer and a draw. */
const REACH = 14;
const LABEL = { kind: 'text', ink: 'text', size: 11 } as const;

/** A cell of the matrix, with the scales of the quantities of its column and its row. */
interface Cell {
  readonly row: number;
  readonly column: number;
  readonly x: Scale;
  readonly y: Scale;
}

export function pairMatrixHeight(count: number): number {
  return CELL * Math.min(count, MOST_IN_MATRIX) + BOTTOM;
}

/**
 * All pairs of the first quantities: their draws below the diagonal, with divergences as crosses, their correlations above it, and the density of
 * each on the diagonal. Quantities that do not vary are left out.
 */
export function pairMatrixPlot(chosen: readonly Quantity[], size: Size): Plot {
  const words = wordsOf(size);
  const varying = chosen.filter(isPlottable);
  const quantities = (varying.length > 0 ? varying : chosen).slice(0, MOST_IN_MATRIX);
  const count = quantities.length;
  const [width, height] = [(size.width - LEFT - RIGHT) / count, (size.height - BOTTOM) / count];
  const domains = quantities.map(({ chains, reference }) => padded(extentOf(...chains, reference?.draws ?? [])));
  const cells = quantities.flatMap((_, row) =>
    quantities.map((_, column): Cell => {
      const [x, y] = [LEFT + column * width, row * height];
      return {
        row,
        column,
        x: linear(domains[column], [x + GAP / 2, x + width - GAP / 2]),
        y: linear(domains[row], [y + height - GAP / 2, y + GAP / 2]),
      };
    }),
  );
  const below = cells.filter(({ column, row }) => column < row);
  const diagonal = cells.filter(({ column, row }) => column === row);
  const [first] = quantities;
  const draws = first.chains.flatMap((chain, k) => [...chain.keys()].map((index): DrawPlace => ({ chain: k, index })));
  const isDivergent = ({ chain, index }: DrawPlace) => (first.divergent?.[chain]?.[index] ?? 0) !== 0;
  const valueIn = (which: number, { chain, index }: DrawPlace) =>
    quantities[which].chains[chain]?.[index] ?? Number.NaN;
  const pointsOf = ({ column, row, x, y }: Cell, shown: readonly DrawPlace[]) =>
    shown.flatMap((draw) => {
      const [a, b] = [valueIn(column, draw), valueIn(row, draw)];
      return Number.isFinite(a + b) ? [x(a), y(b)] : [];
    });
  const others = spread(draws.filter((draw) => !isDivergent(draw)));
  const divergent = spread(draws.filter(isDivergent));
  const pooled = quantities.map(({ chains }) => pool(chains));
  const correlations = new Map(
    cells.flatMap((cell) =>
      cell.column > cell.row ? [[cell, finiteCorrelation(pooled[cell.column], pooled[cell.row])]] : [],
    ),
  );
  const estimates = pooled.map((values) => kernelDensity(values.filter(Number.isFinite)));
  const cellAt = (px: number, py: number) =>
    cells.find(({ column, row }) => row === Math.floor(py / height) && column === Math.floor((px - LEFT) / width));
  const nearest = ({ column, row, x, y }: Cell, px: number, py: number) => {
    let [least, found]: [number, DrawPlace | undefined] = [REACH ** 2, undefined];
    for (const draw of [...others, ...divergent]) {
      const distance = (x(valueIn(column, draw)) - px) ** 2 + (y(valueIn(row, draw)) - py) ** 2;
      if (distance < least) [least, found] = [distance, draw];
    }
    return found;
  };
  return {
    ...size,
    title: words('pairMatrixTitle'),
    description: words('pairMatrixAbout', {
      names: quantities.map(({ name }) => name).join(', '),
      correlations: [...correlations]
        .map(
          ([{ column, row }, value]) => `${quantities[row].name}, ${quantities[column].name}: ${words.fixed(value, 2)}`,
        )
        .join('; '),
      count: draws.filter(isDivergent).length,
    }),
    legend: [...divergenceLegend(first, words), ...referenceLegend(first)],
    marks: [
      ...cells.map(borderOf),
      ...cells.flatMap((cell) => (cell.row === count - 1 ? ticksBelow(cell, words.short) : [])),
      ...cells.flatMap((cell) => (cell.column === 0 && cell.row > 0 ? ticksBeside(cell, words.short) : [])),
      ...below.flatMap((cell): Mark[] => [
        { kind: 'dots', points: pointsOf(cell, others), ink: 'accent', radius: 1.2, opacity: 0.4 },
        { kind: 'crosses', points: pointsOf(cell, divergent), ink: 'divergence', radius: 2.5 },
      ]),
      ...diagonal.flatMap((cell) => densityMarks(cell, quantities[cell.row], estimates[cell.row])),
      ...[...correlations].map(([{ x, y }, value]): Mark => {
        return { ...LABEL, size: 15, x: middle(x), y: middle(y) + 5, text: words.fixed(value, 2), anchor: 'middle' };
      }),
    ],
    table: () => ({
      columns: [words('quantity'), ...quantities.map(({ name }) => name)],
      rows: quantities.map(({ name }, row) => [
        name,
        ...quantities.map((_, column) => (row === column ? 1 : finiteCorrelation(pooled[row], pooled[column]))),
      ]),
    }),
    spotAt: (px, py) => {
      const cell = cellAt(px, py);
      if (cell === undefined) return undefined;
      const { column, row, x, y } = cell;
      const [across, up] = [quantities[column], quantities[row]];
      const value = correlations.get(cell);
      if (value !== undefined) {
        const text = words('pairMatrixCorrelation', { up: up.name, across: across.name, value: words.fixed(value, 2) });
        return { x: middle(x), y: middle(y), text };
      }
      if (row === column) return { x: px, y: y.range[0], text: `${up.name} ${words.short(x.invert(px))}` };
      const draw = nearest(cell, px, py);
      if (draw === undefined) return undefined;
      const [a, b] = [valueIn(column, draw), valueIn(row, draw)];
      const text = words('spotDraw', {
        chain: chainName(first, draw.chain),
        draw: draw.index + 1,
        value: `${across.name} ${words.short(a)}, ${up.name} ${words.short(b)}`,
      });
      return { x: x(a), y: y(b), text, draw };
    },
    rangesIn: (corner, opposite) => {
      const cell = cellAt(corner.x, corner.y);
      if (cell === undefined || cell.column > cell.row) return [];
      const { column, row, x, y } = cell;
      const across = { name: quantities[column].name, ...rangeIn(x, corner.x, opposite.x) };
      return row === column ? [across] : [across, { name: quantities[row].name, ...rangeIn(y, corner.y, opposite.y) }];
    },
    marksOf: (selected) => {
      const picked = spread(draws.filter(({ chain, index }) => selected[chain]?.[index] === 1));
      return below.map((cell) => ({ kind: 'dots', points: pointsOf(cell, picked), ink: 'accent', radius: 1.8 }));
    },
  };
}

/** At most `MOST_DOTS` of the draws, spread evenly. */
function spread(draws: readonly DrawPlace[]): readonly DrawPlace[] {
  const step = Math.ceil(draws.length / MOST_DOTS);
  return draws.filter((_, k) => k % step === 0);
}

/** The correlation of the draws of which both values are finite. */
function finiteCorrelation(across: Float64Array, up: Float64Array): number {
  const areFinite = (_: number, k: number) => Number.isFinite(across[k] + up[k]);
  return correlation(across.filter(areFinite), up.filter(areFinite));
}

function densityMarks({ x, y }: Cell, { name, reference }: Quantity, estimate: DensityEstimate | undefined): Mark[] {
  const other = reference && kernelDensity(reference.draws);
  const [, greatest] = extentOf(...[estimate, other].flatMap((each) => (each ? [each.densities] : [])));
  const heights = linear([0, greatest * (1 + HEADROOM)], y.range);
  const line = ({ densities, values }: DensityEstimate) =>
    [...values].flatMap((value, k) =>
      value < x.domain[0] || value > x.domain[1] ? [] : [x(value), heights(densities[k])],
    );
  const [bottom, top] = y.range;
  const curve = estimate === undefined ? [] : line(estimate);
  return [
    { kind: 'area', points: [...curve, curve.at(-2) ?? 0, bottom, curve[0] ?? 0, bottom], ink: 'accent', opacity: 0.2 },
    { kind: 'line', points: curve, ink: 'accent', width: 1.5 },
    ...(other ? [{ ...REFERENCE, kind: 'line', points: line(other), width: 1.5 } as const] : []),
    { ...LABEL, x: x.range[0] + 5, y: top + 13, text: name },
  ];
}

function borderOf({ x, y }: Cell): Mark {
  const [[left, right], [bottom, top]] = [x.range, y.range];
  const ends = [left, bottom, right, bottom, right, bottom, right, top, right, top, left, top, left, top, left, bottom];
  return { kind: 'segments', ends, ink: 'grid' };
}

function ticksBelow({ x, y }: Cell, short: (value: number) => string): Mark[] {
  return ticksIn(x).map((value) => {
    return { ...LABEL, ink: 'muted', x: x(value), y: y.range[0] + 15, text: short(value), anchor: 'middle' };
  });
}

function ticksBeside({ x, y }: Cell, short: (value: number) => string): Mark[] {
  return ticksIn(y).map((value) => {
    return { ...LABEL, ink: 'muted', x: x.range[0] - 6, y: y(value) + 4, text: short(value), anchor: 'end' };
  });
}

/** Ticks whose labels fit the cell. */
function ticksIn({ domain }: Scale): number[] {
  return ticksOf(padded(domain, -0.06), 2);
}

function middle({ range: [from, to] }: Scale): number {
  return (from + to) / 2;
}
