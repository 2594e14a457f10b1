/** The distribution of draws that are integers. */
import { frame } from './frame.js';
import { integerBins } from './integer-bins.js';
import { isPlottable } from './plottable.js';
import { extentOf, rangeIn } from './scale.js';
import {
  chainInk,
  chainLegend,
  chainName,
  type Mark,
  type Plot,
  type Quantity,
  REFERENCE,
  referenceLegend,
  type Size,
} from './scene.js';
import { valuesOf } from './selection.js';
import { wordsOf } from './words.js';

/** Whether all finite draws are integers, and some of them differ. */
export function areIntegers(quantity: Quantity): boolean {
  const isIntegers = (chain: Float64Array) =>
    chain.every((value) => Number.isInteger(value) || !Number.isFinite(value));
  return quantity.chains.every(isIntegers) && isPlottable(quantity);
}

/** The fraction of each chain's draws with each value, as overlaid steps; wide ranges have several values per step. */
export function frequencyPlot(quantity: Quantity, size: Size): Plot {
  const words = wordsOf(size);
  const { name, chains, reference } = quantity;
  const bins = integerBins(extentOf(...chains, ...(reference ? [reference.draws] : [])));
  const sharesOf = (draws: Float64Array) => bins.count(draws).map((count) => count / Math.max(1, draws.length));
  const shares = chains.map(sharesOf);
  const others = reference && sharesOf(reference.draws);
  const { starts, width } = bins;
  const [first, end] = [starts[0], (starts.at(-1) ?? 0) + width];
  const { x, y, marks } = frame(size, {
    x: [first - 0.5, end - 0.5],
    y: [0, Math.max(...shares.flat(), ...(others ?? [])) * 1.05],
    yTicks: false,
    xLabel: name,
  });
  const steps = (heights: readonly number[]) => [
    x(first - 0.5),
    y(0),
    ...starts.flatMap((start, k) => {
      const top = y(heights[k]);
      return [x(start - 0.5), top, x(start + width - 0.5), top];
    }),
    x(end - 0.5),
    y(0),
  ];
  return {
    ...size,
    title: words('frequenciesTitle', { name }),
    description: words('frequenciesByChain', { name, from: words.short(first), to: words.short(end - width) }),
    legend: [...chainLegend(quantity, words), ...referenceLegend(quantity)],
    marks: [
      ...marks,
      ...shares.flatMap((heights, index): Mark[] => [
        { kind: 'area', points: steps(heights), ink: chainInk(index), opacity: 0.04 },
        { kind: 'line', points: steps(heights), ink: chainInk(index), width: 1.5 },
      ]),
      ...(others ? [{ ...REFERENCE, kind: 'line', points: steps(others), width: 1.5 } as const] : []),
    ],
    table: () => ({
      columns: [words('chain'), words('value'), words('density')],
      rows: [
        ...shares.map((heights, index) => ({ of: chainName(quantity, index), heights })),
        ...(reference && others ? [{ of: reference.name, heights: others }] : []),
      ].flatMap(({ heights, of }) => starts.map((start, k) => [of, start, heights[k] / width])),
    }),
    spotAt: (px) => {
      const start = starts.findLast((each) => each - 0.5 <= x.invert(px)) ?? first;
      const label = width === 1 ? words.short(start) : `${words.short(start)} … ${words.short(start + width - 1)}`;
      return { x: x(start + (width - 1) / 2), y: y.range[0], text: `${name} = ${label}` };
    },
    rangesIn: (corner, opposite) => [{ name, ...rangeIn(x, corner.x, opposite.x) }],
    marksOf: (selected) =>
      valuesOf(chains, selected).map((values, index): Mark => {
        const heights = bins.count(values).map((count) => count / Math.max(1, chains[index].length));
        return { kind: 'area', points: steps(heights), ink: chainInk(index), opacity: 0.35 };
      }),
  };
}
