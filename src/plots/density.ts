import { type DensityEstimate, kernelDensity } from '../inference/diagnostics/kernel-density.js';
import { frame } from './frame.js';
import { areIntegers, frequencyPlot } from './frequencies.js';
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

/** Overlaid densities of each chain's draws, or their frequencies if all are integers. The curves of chains that agree coincide. */
export function densityPlot(quantity: Quantity, size: Size): Plot {
  return areIntegers(quantity) ? frequencyPlot(quantity, size) : curvesPlot(quantity, size);
}

function curvesPlot(quantity: Quantity, size: Size): Plot {
  const words = wordsOf(size);
  const { name, chains, reference } = quantity;
  const estimates = chains.flatMap((chain, index) => {
    const estimate = kernelDensity(chain);
    return estimate === undefined ? [] : [{ index, estimate }];
  });
  const other = reference && kernelDensity(reference.draws);
  const all = [...estimates.map(({ estimate }) => estimate), ...(other ? [other] : [])];
  const x = extentOf(...all.map(({ values }) => values));
  const [, greatest] = extentOf(...all.map(({ densities }) => densities));
  const { x: toX, y: toY, marks } = frame(size, { x, y: [0, greatest * 1.05], yTicks: false, xLabel: name });
  const line = ({ values, densities }: DensityEstimate) =>
    [...values].flatMap((value, k) => [toX(value), toY(densities[k])]);
  const curves = estimates.flatMap(({ index, estimate }): Mark[] => [
    {
      kind: 'area',
      points: [toX(estimate.values[0]), toY(0), ...line(estimate), toX(estimate.values.at(-1) ?? 0), toY(0)],
      ink: chainInk(index),
      opacity: 0.04,
    },
    { kind: 'line', points: line(estimate), ink: chainInk(index), width: 1.5 },
  ]);
  return {
    ...size,
    title: words('densityTitle', { name }),
    description:
      estimates.length === 0
        ? words('densityConstant', { name })
        : words('densityAbout', { name, from: words.short(x[0]), to: words.short(x[1]) }),
    legend: [...chainLegend(quantity, words), ...referenceLegend(quantity)],
    marks: [
      ...marks,
      ...curves,
      ...(other ? [{ ...REFERENCE, kind: 'line', points: line(other), width: 1.5 } as const] : []),
    ],
    table: () => ({
      columns: [words('chain'), words('value'), words('density')],
      rows: [
        ...estimates.map(({ index, estimate }) => ({ of: chainName(quantity, index), estimate })),
        ...(reference && other ? [{ of: reference.name, estimate: other }] : []),
      ].flatMap(({ of, estimate: { values, densities } }) => [...values].map((value, k) => [of, value, densities[k]])),
    }),
    spotAt: (px) => ({ x: px, y: toY.range[0], text: `${name} = ${words.short(toX.invert(px))}` }),
    rangesIn: (corner, opposite) => [{ name, ...rangeIn(toX, corner.x, opposite.x) }],
    marksOf: (selected) =>
      valuesOf(chains, selected).flatMap((values, index): Mark[] => {
        const share = values.length / Math.max(1, chains[index].length);
        const estimate = kernelDensity(values);
        if (estimate === undefined) return [];
        // Scaled by the fraction of the chain's draws, so that this curve and the curve of all other draws sum to the
        // curve of the chain.
        const points = line({ ...estimate, densities: estimate.densities.map((density) => share * density) });
        const [left, right] = [toX(estimate.values[0]), toX(estimate.values.at(-1) ?? 0)];
        return [
          { kind: 'area', points: [left, toY(0), ...points, right, toY(0)], ink: chainInk(index), opacity: 0.35 },
        ];
      }),
  };
}
