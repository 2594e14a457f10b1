/** Plots of models compared by leave-one-out cross-validation. */
import type { Compared } from '../inference/validation/comparison.js';
import type { LeftOut } from '../inference/validation/leave-one-out.js';
import { frame } from './frame.js';
import { extentOf, padded } from './scale.js';
import { chainInk, type Mark, type Plot, type Size } from './scene.js';
import { wordsOf } from './words.js';

/** A model with the estimates for each observation. Observations have the same order in all models. */
export interface ComparedModel extends Compared {
  readonly observations: readonly LeftOut[];
  /** Estimates with at most this Pareto k are reliable. */
  readonly greatestK: number;
}

const ROW = 26;
/** Length of an error bar on each side, in standard errors. */
const ERRORS = 2;

/** Height in pixels of the plot of differences of `count` models. */
export function elpdDifferencesHeight(count: number): number {
  return 44 + ROW * count;
}

/** The difference of each model from the best one, which is the first, with error bars of two standard errors. */
export function elpdDifferencesPlot(models: readonly Compared[], size: Size): Plot {
  const words = wordsOf(size);
  const rows = models.map(({ difference, name, standardError }) => ({
    name,
    difference,
    standardError,
    ends: [difference - ERRORS * standardError, difference + ERRORS * standardError] as const,
  }));
  const left = Math.min(220, 12 + 7 * Math.max(...rows.map(({ name }) => name.length)));
  const { x, y, marks } = frame(size, {
    x: padded(extentOf([0], ...rows.map(({ ends }) => ends))),
    y: [rows.length, 0],
    yTicks: false,
    xLabel: `elpd_diff ± ${ERRORS} se_diff`,
    left,
  });
  const [bottom, top] = y.range;
  const center = (row: number) => y(row + 0.5);
  const points = rows.flatMap(({ difference }, row) => [x(difference), center(row)]);
  return {
    ...size,
    title: words('elpdDifferencesTitle'),
    description: words('elpdDifferencesAbout', {
      best: rows[0]?.name ?? '',
      differences: rows
        .slice(1)
        .map(({ difference, name, standardError }) =>
          [name, words.short(difference, 3), `± ${words.short(ERRORS * standardError, 3)}`].join(' '),
        )
        .join(', '),
    }),
    marks: [
      ...marks,
      { kind: 'segments', ends: [x(0), top, x(0), bottom], ink: 'muted', dash: '3 3', opacity: 0.7 },
      ...rows.map(({ name }, row): Mark => {
        const place = { x: left - 8, y: center(row) + 4 };
        return { kind: 'text', ...place, text: name, ink: 'text', anchor: 'end', size: 12 };
      }),
      {
        kind: 'segments',
        ends: rows.flatMap(({ ends: [from, to] }, row) => [x(from), center(row), x(to), center(row)]),
        ink: 'chain1',
        width: 2,
      },
      { kind: 'dots', points, ink: 'surface', radius: 5 },
      { kind: 'dots', points, ink: 'chain1', radius: 4 },
    ],
    table: () => ({
      columns: [words('model'), 'elpd_diff', 'se_diff'],
      rows: rows.map(({ difference, name, standardError }) => [name, difference, standardError]),
    }),
    spotAt: (_, py) => {
      const row = Math.floor(y.invert(py));
      const found = rows[row];
      if (found === undefined) return undefined;
      const [from, to] = found.ends.map((end) => words.short(end, 3));
      const text = words('spotInterval', { name: found.name, median: words.short(found.difference, 3), from, to });
      return { x: x(found.difference), y: center(row), text };
    },
  };
}

/**
 * The elpd of each observation in each model minus its elpd in the best model, which is the first. Crosses mark
 * observations whose Pareto k is too high in one of the two models.
 */
export function pointwiseDifferencesPlot(
  [best, ...others]: readonly ComparedModel[],
  names: readonly string[],
  size: Size,
): Plot {
  const words = wordsOf(size);
  const series = others.map((model, index) => ({
    model,
    // The first ink represents the best model in plots that show all models.
    ink: chainInk(index + 1),
    points: model.observations.map(({ elpd, paretoK }, place) => {
      const own = best.observations[place];
      const isHigh = !(paretoK <= model.greatestK && own.paretoK <= best.greatestK);
      // A Pareto k that could not be estimated counts as larger than any other.
      const k = Number.isNaN(paretoK) || paretoK > own.paretoK ? paretoK : own.paretoK;
      return { place, value: elpd - own.elpd, k, isHigh };
    }),
  }));
  const { x, y, marks } = frame(size, {
    x: [0.5, Math.max(1, names.length) + 0.5],
    y: padded(extentOf([0], ...series.map(({ points }) => points.map(({ value }) => value))), 0.07),
    xLabel: words('observation'),
    yLabel: words('difference'),
  });
  const placesOf = (points: (typeof series)[number]['points']) =>
    points.flatMap(({ place, value }) => [x(place + 1), y(value)]);
  const high = series.reduce((sum, { points }) => sum + points.filter(({ isHigh }) => isHigh).length, 0);
  const all = series.flatMap(({ model, points }) => points.map((point) => ({ ...point, model })));
  return {
    ...size,
    title: words('pointwiseTitle'),
    description: words('pointwiseAbout', { count: names.length, best: best.name, high }),
    legend: series.map(({ ink, model }) => ({ ink, text: model.name })),
    marks: [
      ...marks,
      { kind: 'segments', ends: [x.range[0], y(0), x.range[1], y(0)], ink: 'muted', opacity: 0.6 },
      ...series.flatMap(({ ink, points }): Mark[] => [
        {
          kind: 'dots',
          points: placesOf(points.filter(({ isHigh }) => !isHigh)),
          ink,
          radius: 2.5,
          opacity: 0.8,
        },
        { kind: 'crosses', points: placesOf(points.filter(({ isHigh }) => isHigh)), ink, radius: 3.5 },
      ]),
    ],
    table: () => ({
      columns: [words('observation'), words('model'), words('difference'), words('paretoK')],
      rows: all.map(({ k, model, place, value }) => [names[place], model.name, value, k]),
    }),
    spotAt: (px, py) => {
      const [nearest] = all
        .map((point) => ({ point, distance: Math.hypot(x(point.place + 1) - px, y(point.value) - py) }))
        .sort((a, b) => a.distance - b.distance);
      if (nearest === undefined) return undefined;
      const { k, model, place, value } = nearest.point;
      const shown = { name: names[place], model: model.name, value: words.short(value, 3), k: words.short(k, 3) };
      return { x: x(place + 1), y: y(value), text: words('spotModel', shown) };
    },
  };
}
