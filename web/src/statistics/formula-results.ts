/** Effects and fitted values from the draws of a program that a formula has written. */
import type { Fit } from 'leapfrog';
import type { IndexLevels } from '#engine/derive/level-labels.js';
import { withDots } from '#engine/formats/columns.js';
import { type DataValues, FittedModel, observedRows, outcomeIn, type Setting } from '#engine/formula/fitted-values.js';
import type { ModelTerms, PredictorTerm } from '#engine/formula/model-terms.js';
import { quantiles } from '#engine/inference/diagnostics/moments.js';
import type { PlottedEffect } from '#engine/plots/effects.js';
import { FITTED_QUANTILES, type Fitted, type FittedLevel, type FittedPanel } from '#engine/plots/fitted.js';
import { evenColumn } from '../state/fits.js';
import { t } from '../words/messages.js';

/** Maximum number of draws of fitted values, and of those of a group. */
const MOST_DRAWS = 400;
const MOST_GROUP_DRAWS = 200;
const MOST_PANELS = 24;
const GRID = 30;

/** A predictor or a group on the horizontal axis, or by which observations are split. */
export type Axis =
  | { readonly kind: 'numbers'; readonly heading: string; readonly variable: string }
  | { readonly kind: 'levels'; readonly heading: string; readonly levels: readonly string[] }
  | {
      readonly kind: 'groups';
      readonly heading: string;
      readonly variable: string;
      readonly labels: readonly string[];
    };

/** The data of a run by variable. */
export function dataValues(json: string): DataValues {
  const known = new Map<string, readonly number[]>();
  const parsed: unknown = JSON.parse(json);
  for (const [name, values] of Object.entries(parsed instanceof Object ? parsed : {}))
    if (areNumbers(values)) known.set(name, values);
  return (name) => known.get(name);
}

function areNumbers(values: unknown): values is readonly number[] {
  return Array.isArray(values) && values.every((value) => typeof value === 'number');
}

/** The axes of a model: numeric predictors, then categories and groups. */
export function axesOf(terms: ModelTerms, data: DataValues, levels: readonly IndexLevels[]): readonly Axis[] {
  const numbers = terms.predictors.filter(({ level }) => level === undefined);
  const headings = [
    ...new Set(terms.predictors.flatMap(({ heading, level }) => (level === undefined ? [] : [heading]))),
  ];
  const groups = [...new Set(terms.summands.flatMap(({ group }) => group ?? []))];
  return [
    ...numbers.map(({ heading, name }): Axis => ({ kind: 'numbers', heading, variable: name })),
    ...headings.map((heading): Axis => ({ kind: 'levels', heading, levels: levelsOf(heading, terms) })),
    ...groups.map((variable): Axis => {
      const count = Math.max(0, ...Array.from(data(variable) ?? []));
      const known = levels.find((each) => each.variable === variable)?.labels ?? [];
      return {
        kind: 'groups',
        heading: variable,
        variable,
        labels: Array.from({ length: count }, (_, place) => known[place] ?? `${place + 1}`),
      };
    }),
  ];
}

function levelsOf(heading: string, { predictors }: ModelTerms): readonly string[] {
  const own = predictors.filter((each) => each.heading === heading);
  return [...new Set(own.flatMap(({ level, reference }) => [reference ?? '', level ?? '']))];
}

/** The name of an outcome on its scale: `score`, `P(passed = yes)`. */
export function outcomeName({ family, heading, labels }: ModelTerms): string {
  return family === 'bernoulli' ? t('formula.probabilityOf', { name: `${heading} = ${labels?.[1] ?? 1}` }) : heading;
}

/** The effects of all predictors on the expected outcome. */
export function effectsIn(terms: ModelTerms, fit: Fit, data: DataValues): readonly PlottedEffect[] {
  return terms.effects.flatMap(({ predictor, quantity }) => {
    const found = terms.predictors.find(({ name }) => name === predictor);
    if (found === undefined) return [];
    const name = effectName(found, data);
    const labels = terms.family === 'cumulative' ? (terms.labels ?? []) : [undefined];
    return labels.flatMap((category, place) => {
      const draws = pooled(fit, category === undefined ? quantity : `${quantity}[${place + 1}]`);
      if (draws.length === 0) return [];
      return [effectOf(category === undefined ? name : t('formula.onCategory', { effect: name, category }), draws)];
    });
  });
}

function effectName({ heading, level, name, reference = '' }: PredictorTerm, data: DataValues): string {
  if (level !== undefined) return t('formula.otherLevel', { name: heading, level, reference });
  const isSwitch = Array.from(data(name) ?? []).every((value) => value === 0 || value === 1);
  return t(isSwitch ? 'formula.oneForZero' : 'formula.oneMore', { name: heading });
}

function effectOf(name: string, draws: Float64Array): PlottedEffect {
  const [q05, q25, q50, q75, q95] = quantiles(draws, FITTED_QUANTILES);
  const above = draws.filter((draw) => draw > 0).length / draws.length;
  const unused = { mean: q50, rhat: Number.NaN, essBulk: Number.NaN, essTail: Number.NaN };
  return { name, q05, q25, q50, q75, q95, above, ...unused };
}

/** All draws of a quantity in the form `theta[1]`; empty for an unknown one. */
function pooled(fit: Fit, name: string): Float64Array {
  const chains = evenColumn(fit, withDots(name));
  return Float64Array.from(chains.flatMap((chain) => [...chain]));
}

/** The model with at most `most` draws, evenly spaced; undefined if the data or draws lack a variable. */
function fittedModel(terms: ModelTerms, fit: Fit, data: DataValues, most: number): FittedModel | undefined {
  const draws = (name: string) => {
    const all = pooled(fit, name);
    if (all.length === 0) return undefined;
    const count = Math.min(most, all.length);
    return Float64Array.from({ length: count }, (_, place) => all[Math.floor((place * all.length) / count)]);
  };
  return FittedModel.of(terms, data, draws);
}

/** The line along a numeric predictor; for ordered categories, a panel for each category. */
export function fittedLine(terms: ModelTerms, fit: Fit, data: DataValues, axis: Axis): Fitted | undefined {
  if (axis.kind !== 'numbers') return undefined;
  const [all, y] = [data(axis.variable), outcomeIn(terms, data)];
  const model = fittedModel(terms, fit, data, MOST_DRAWS);
  if (all === undefined || y === undefined || model === undefined) return undefined;
  const complete = new Set(observedRows(terms, y.length, data));
  const x = Array.from(all, (value, row) => (complete.has(row) ? value : Number.NaN));
  const grid = gridOf(all);
  const lines = model
    .expected(axis.variable, grid)
    .map((line) => line.map((draws) => quantiles(draws, FITTED_QUANTILES)));
  const isOrdinal = terms.family === 'cumulative';
  const panels = lines.map((at, category): FittedPanel => {
    if (!isOrdinal) return { label: '', x, y, at };
    const isCategory = Array.from(y, (code) => (code === category + 1 ? 1 : 0));
    return { label: terms.labels?.[category] ?? `${category + 1}`, x, y: isCategory, at };
  });
  return {
    ...textsOf(terms, axis),
    title: t('formula.against', { name: outcomeName(terms), other: axis.heading }),
    grid,
    panels,
    groups: panels.length,
  };
}

/** The line of each group or level. `overall` is the line of all. */
export function fittedLines(
  terms: ModelTerms,
  fit: Fit,
  data: DataValues,
  axis: Axis,
  by: Axis,
  { grid, panels: [whole] }: Fitted,
): Fitted | undefined {
  const model = fittedModel(terms, fit, data, MOST_GROUP_DRAWS);
  if (axis.kind !== 'numbers' || model === undefined || whole === undefined) return undefined;
  const parts = partsBy(by, terms, data, whole.x.length);
  const step = Math.max(1, parts.length / MOST_PANELS);
  const shown = Array.from(
    { length: Math.min(parts.length, MOST_PANELS) },
    (_, place) => parts[Math.floor(place * step)],
  );
  const panels = shown.map(({ label, rows, setting }): FittedPanel => {
    const [line = []] = model.expected(axis.variable, grid, setting);
    return {
      label,
      x: rows.map((row) => whole.x[row]),
      y: rows.map((row) => whole.y[row]),
      at: line.map((draws) => quantiles(draws, FITTED_QUANTILES)),
    };
  });
  return {
    ...textsOf(terms, axis),
    title: t('formula.againstBy', { name: outcomeName(terms), other: axis.heading, group: by.heading }),
    grid,
    panels,
    groups: parts.length,
    overall: whole.at.map(([, , median]) => median),
  };
}

/** The expected outcome of each level or group. */
export function fittedLevels(terms: ModelTerms, fit: Fit, data: DataValues, axis: Axis) {
  const y = outcomeIn(terms, data);
  const model = fittedModel(terms, fit, data, MOST_DRAWS);
  if (axis.kind === 'numbers' || y === undefined || model === undefined) return undefined;
  const levels = partsBy(axis, terms, data, y.length).map(({ label, rows, setting }): FittedLevel => {
    const [[draws = new Float64Array()] = []] = model.expected(undefined, [], setting);
    return {
      label,
      y: rows.map((row) => y[row]).filter((value) => !Number.isNaN(value)),
      at: quantiles(draws, FITTED_QUANTILES),
    };
  });
  const title = t('formula.against', { name: outcomeName(terms), other: axis.heading });
  return { levels, texts: { ...textsOf(terms, axis), title } };
}

/** The groups or levels of an axis, with their rows. */
function partsBy(axis: Axis, terms: ModelTerms, data: DataValues, rows: number) {
  const all = Array.from({ length: rows }, (_, row) => row);
  switch (axis.kind) {
    case 'groups': {
      const codes = data(axis.variable) ?? [];
      return axis.labels.map((label, place) => {
        const setting: Setting = { group: { variable: axis.variable, code: place + 1 } };
        return { label, setting, rows: all.filter((row) => codes[row] === place + 1) };
      });
    }
    case 'levels': {
      const indicators = terms.predictors.filter(
        ({ heading, level }) => heading === axis.heading && level !== undefined,
      );
      const levelIn = (row: number) =>
        indicators.find(({ name }) => data(name)?.[row] === 1)?.level ?? indicators[0]?.reference;
      return axis.levels.map((level) => {
        const setting: Setting = { level: { heading: axis.heading, level } };
        return { label: level, setting, rows: all.filter((row) => levelIn(row) === level) };
      });
    }
    default:
      return [];
  }
}

function textsOf(terms: ModelTerms, axis: Axis) {
  const name = outcomeName(terms);
  const { family } = terms;
  return {
    xLabel: axis.heading,
    yLabel: family === 'cumulative' ? t('formula.probability') : name,
    expected: family === 'bernoulli' ? name : t('formula.expectedOutcome', { name }),
    isBinary: family === 'bernoulli' || family === 'cumulative',
  };
}

function gridOf(values: ArrayLike<number>): readonly number[] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let row = 0; row < values.length; row++) {
    low = Math.min(low, values[row]);
    high = Math.max(high, values[row]);
  }
  return Array.from({ length: GRID }, (_, place) => low + ((high - low) * place) / (GRID - 1));
}
