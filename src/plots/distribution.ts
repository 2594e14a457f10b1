import { pool } from '../inference/diagnostics/chains.js';
import { type DensityEstimate, kernelDensity } from '../inference/diagnostics/kernel-density.js';
import { quantiles } from '../inference/diagnostics/moments.js';
import { frame } from './frame.js';
import { areIntegers, frequencyPlot } from './frequencies.js';
import { extentOf, rangeIn } from './scale.js';
import { type Mark, type Plot, type Quantity, REFERENCE, referenceLegend, type Size } from './scene.js';
import { valuesOf } from './selection.js';
import { wordsOf } from './words.js';

/** Space above the curve for its numbers, relative to its height. */
const SPACE = 0.35;

/**
 * The density of the draws of all chains, shaded within their 90 % and 50 % intervals, with the median. If 0 is on the axis, a dashed line and the
 * probability of positive values; the pointer shows that of other values. Integers have their frequencies instead.
 */
export function distributionPlot(quantity: Quantity, size: Size): Plot {
  return areIntegers(quantity) ? frequencyPlot(quantity, size) : curvePlot(quantity, size);
}

function curvePlot(quantity: Quantity, size: Size): Plot {
  const words = wordsOf(size);
  const { name, chains, reference } = quantity;
  const draws = pool(chains).filter(Number.isFinite);
  const [from, low, median, high, to] = quantiles(draws, [0.05, 0.25, 0.5, 0.75, 0.95]);
  const estimate = kernelDensity(draws);
  const other = reference && kernelDensity(reference.draws);
  const drawn = [estimate, other].flatMap((each) => each ?? []);
  const [least, most] = extentOf(...drawn.map(({ values }) => values));
  const [, greatest] = extentOf(...drawn.map(({ densities }) => densities));
  const height = greatest * (1 + SPACE);
  const { x, y, marks } = frame(size, { x: [least, most], y: [0, height], yTicks: false, xLabel: name });
  const line = ({ values, densities }: DensityEstimate) =>
    [...values].flatMap((value, k) => [x(value), y(densities[k])]);
  const below = (points: readonly number[], opacity: number): Mark => {
    const base = [points.at(-2) ?? 0, y(0), points[0] ?? 0, y(0)];
    return { kind: 'area', points: [...points, ...base], ink: 'accent', opacity };
  };
  const within = ({ values, densities }: DensityEstimate, first: number, last: number) =>
    [...values].flatMap((value, k) => (value < first || value > last ? [] : [x(value), y(densities[k])]));
  const shareAbove = (value: number) =>
    words.short(draws.reduce((count, draw) => count + Number(draw > value), 0) / draws.length, 3);

  const numbers = { name, median: words.short(median, 3), from: words.short(from, 3), to: words.short(to, 3) };
  const above = least < 0 && most > 0 ? `${words('aboveZero')} ${shareAbove(0)}` : undefined;
  const label = { kind: 'text', ink: 'text', size: 11 } as const;
  const at = estimate?.values.findIndex((value) => value >= median) ?? 0;
  return {
    ...size,
    title: words('distributionTitle', { name }),
    description:
      words('distributionAbout', { ...numbers, low: words.short(low, 3), high: words.short(high, 3) }) +
      (above === undefined ? '' : ` ${above}.`),
    legend: referenceLegend(quantity),
    marks: [
      ...marks,
      ...(estimate === undefined
        ? []
        : [
            below(line(estimate), 0.08),
            below(within(estimate, from, to), 0.18),
            below(within(estimate, low, high), 0.3),
            { kind: 'line', points: line(estimate), ink: 'accent', width: 1.5 } as const,
            {
              kind: 'segments',
              ends: [x(median), y(0), x(median), y(estimate.densities[at])],
              ink: 'accent',
              width: 2.5,
            } as const,
          ]),
      ...(other ? [{ ...REFERENCE, kind: 'line', points: line(other), width: 1.5 } as const] : []),
      ...(above === undefined
        ? []
        : [
            { kind: 'segments', ends: [x(0), y(0), x(0), y(greatest * 1.1)], ink: 'muted', dash: '2 3' } as const,
            { ...label, x: size.width - 18, y: 28, text: above, anchor: 'end' } as const,
          ]),
      { ...label, x: 4, y: 14, text: words('distributionNumbers', numbers) },
    ],
    table: () => ({
      columns: [words('fit'), words('value'), words('density')],
      rows: [...rowsOf(words('draws'), estimate), ...rowsOf(reference?.name ?? '', other)],
    }),
    spotAt: (px) => {
      const value = x.invert(px);
      return { x: px, y: y(0), text: `P(${name} > ${words.short(value)}) = ${shareAbove(value)}` };
    },
    rangesIn: (corner, opposite) => [{ name, ...rangeIn(x, corner.x, opposite.x) }],
    marksOf: (selected) => {
      const chosen = pool(valuesOf(chains, selected));
      const curve = kernelDensity(chosen);
      if (curve === undefined) return [];
      // Scaled by the share of the draws, so that this curve and that of all other draws sum to the plot's own.
      const share = chosen.length / Math.max(1, draws.length);
      return [below(line({ ...curve, densities: curve.densities.map((density) => share * density) }), 0.5)];
    },
  };
}

/** Rows of the table; none without a density. */
function rowsOf(fit: string, estimate: DensityEstimate | undefined): (string | number)[][] {
  return estimate === undefined ? [] : [...estimate.values].map((value, k) => [fit, value, estimate.densities[k]]);
}
