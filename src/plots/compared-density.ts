import { type DensityEstimate, kernelDensity } from '../inference/diagnostics/kernel-density.js';
import { frame } from './frame.js';
import { isWithin, outsideNote, robustRange } from './robust-range.js';
import { type Domain, extentOf } from './scale.js';
import { chainInk, type Mark, type Plot, type Size } from './scene.js';
import { wordsOf } from './words.js';

/** All draws of one quantity in one fit. */
export interface NamedSample {
  readonly name: string;
  readonly draws: Float64Array;
}

const LEGEND_LINE = 14;

/**
 * Overlaid densities of one quantity in several fits, for example before and after seeing the data. The axis excludes
 * extreme values, such as those of a heavy-tailed prior.
 */
export function comparedDensityPlot(quantity: string, samples: readonly NamedSample[], size: Size): Plot {
  const words = wordsOf(size);
  const domain: Domain = extentOf(...samples.map(({ draws }) => robustRange(draws)));
  const curves = samples.flatMap(({ name, draws }, index) => {
    const estimate = densityWithin(draws, domain);
    return estimate === undefined ? [] : [{ name, index, estimate }];
  });
  const extent = extentOf(...curves.map(({ estimate }) => estimate.values));
  const [, greatest] = extentOf(...curves.map(({ estimate }) => estimate.densities));
  const { x, y, marks } = frame(size, { x: extent, y: [0, greatest * 1.05], yTicks: false, xLabel: quantity });
  const drawn = curves.flatMap(({ name, index, estimate: { values, densities } }): Mark[] => {
    const line = [...values].flatMap((value, k) => [x(value), y(densities[k])]);
    const [from, to] = [x(values[0]), x(values.at(-1) ?? 0)];
    const ink = chainInk(index);
    return [
      { kind: 'area', points: [from, y(0), ...line, to, y(0)], ink, opacity: 0.08 },
      { kind: 'line', points: line, ink, width: 1.8, ...(index > 0 && { dash: '6 3' }) },
      {
        kind: 'text',
        x: x.range[1] - 4,
        y: y.range[1] + LEGEND_LINE * (index + 1),
        text: name,
        ink,
        anchor: 'end',
        size: 11,
      },
    ];
  });
  const [first = '', ...others] = curves.map(({ name }) => name);
  const fits = others.reduce((before, second) => words('comparedFits', { first: before, second }), first);
  return {
    ...size,
    title: quantity,
    description:
      curves.length === 0
        ? words('comparedConstant', { name: quantity })
        : words('comparedAbout', { name: quantity, fits, from: words.short(extent[0]), to: words.short(extent[1]) }) +
          outsideNote(Float64Array.from(samples.flatMap(({ draws }) => [...draws])), domain, 'outsideDraws', words),
    marks: [...marks, ...drawn],
    table: () => ({
      columns: [words('fit'), words('value'), words('density')],
      rows: curves.flatMap(({ name, estimate: { values, densities } }) =>
        [...values].map((value, k) => [name, value, densities[k]]),
      ),
    }),
    spotAt: (px) => ({ x: px, y: y.range[0], text: `${quantity} = ${words.short(x.invert(px))}` }),
  };
}

/** The density of the draws on an axis, scaled by their fraction of all draws. */
function densityWithin(draws: Float64Array, domain: Domain): DensityEstimate | undefined {
  const within = draws.filter((value) => isWithin(value, domain));
  const estimate = kernelDensity(within);
  const share = within.length / draws.length;
  return estimate && { values: estimate.values, densities: estimate.densities.map((density) => share * density) };
}
