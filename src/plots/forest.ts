/** Forest plots: the 90 % intervals of the quantities of a fit, one per row, with their numbers. */
import type { Numerals } from '../base/numerals.js';
import { GREATEST_RHAT, LEAST_ESS_PER_CHAIN } from '../inference/diagnostics/limits.js';
import {
  type Estimate,
  estimateTexts,
  type ForestPanel,
  type ForestRow,
  type ForestVariable,
  leastEss,
  meansTexts,
  worstOf,
} from './forest-rows.js';
import { type Domain, extentOf, linear, padded, type Scale, ticksOf } from './scale.js';
import type { Ink, Mark, Plot, Size } from './scene.js';
import { type PlotWords, wordsOf } from './words.js';

export const FOREST_ROW = 26;
export const FOREST_AXIS = 22;
/** Maximum number of elements of a variable that are drawn in its row. */
const MOST_DOTS = 400;

/** The cells of a row besides its interval. */
interface Cells {
  readonly name: string;
  /** Empty for a variable. */
  readonly mean: string;
  /** The ends of the interval; for a variable, the least and the greatest mean. */
  readonly ends: readonly [string, string];
  readonly rhat: string;
  readonly ess: string;
  readonly isRhatBad: boolean;
  readonly isEssBad: boolean;
}

/** The numbers of a row; for a variable, the range of its means and the worst diagnostics of its elements. */
export function cellsOf(row: ForestRow, chains: number, numerals: Numerals): Cells {
  const { rhat, ess } = worstOf(estimatesOf(row));
  return {
    ...(row.kind === 'element' ? estimateTexts(row.estimate, numerals) : variableTexts(row.variable, numerals)),
    name: row.kind === 'element' ? row.estimate.name : row.variable.name,
    rhat: numerals.fixed(rhat, 3),
    ess: numerals.fixed(ess, 0),
    isRhatBad: rhat > GREATEST_RHAT,
    isEssBad: ess < LEAST_ESS_PER_CHAIN * chains,
  };
}

function variableTexts(variable: ForestVariable, numerals: Numerals): Pick<Cells, 'mean' | 'ends'> {
  return { mean: '', ends: meansTexts(variable, numerals) };
}

function intervalText({ kind }: ForestRow, [from, to]: Cells['ends'], words: PlotWords): string {
  return words(kind === 'variable' ? 'meansRange' : 'range', { from, to });
}

function estimatesOf(row: ForestRow): readonly Estimate[] {
  return row.kind === 'element' ? [row.estimate] : row.variable.elements;
}

/** The scale of a panel across a strip that is `width` pixels wide. */
function scaleOf(domain: Domain, from: number, to: number): Scale {
  return linear(padded(domain), [from, to]);
}

function rowMarks(row: ForestRow, x: Scale, y: number): Mark[] {
  const estimates = estimatesOf(row);
  const step = Math.ceil(estimates.length / MOST_DOTS);
  const shown = estimates.filter((_, index) => index % step === 0);
  const isFolded = row.kind === 'variable';
  const [low, high] = extentOf(estimates.flatMap(({ q05, q95 }) => [q05, q95]));
  const ends = isFolded ? [x(low), y, x(high), y] : estimates.flatMap(({ q05, q95 }) => [x(q05), y, x(q95), y]);
  // The mean of a heavy-tailed quantity may lie beyond the axis.
  const means = shown.flatMap(({ mean }) => (mean >= x.domain[0] && mean <= x.domain[1] ? [mean] : []));
  const dots = means.flatMap((mean) => [x(mean), y]);
  if (isFolded) {
    const ticks = means.flatMap((mean) => [x(mean), y - 5, x(mean), y + 5]);
    return [
      { kind: 'segments', ends, ink: 'muted', width: 1, opacity: 0.6 },
      { kind: 'segments', ends: ticks, ink: 'chain1', width: 1.5, opacity: 0.8 },
    ];
  }
  return [
    { kind: 'segments', ends, ink: 'chain1', width: 2.5 },
    { kind: 'dots', points: dots, ink: 'surface', radius: 5 },
    { kind: 'dots', points: dots, ink: 'chain1', radius: 4 },
  ];
}

/** Vertical lines at the ticks of the axis, the one at 0 stronger. */
function gridMarks(domain: Domain, x: Scale, top: number, bottom: number): Mark[] {
  const ticks = tickValues(domain, x);
  const lines = (values: readonly number[]) => values.flatMap((value) => [x(value), top, x(value), bottom]);
  return [
    { kind: 'segments', ends: lines(ticks.filter((value) => value !== 0)), ink: 'grid' },
    { kind: 'segments', ends: lines(ticks.filter((value) => value === 0)), ink: 'muted', opacity: 0.6 },
  ];
}

function tickValues(domain: Domain, { range: [from, to] }: Scale): number[] {
  return ticksOf(padded(domain), Math.max(2, Math.floor((to - from) / 80)));
}

function axisMarks(domain: Domain, x: Scale, top: number, numerals: Numerals): Mark[] {
  const [from, to] = x.range;
  const labels = tickValues(domain, x).map(
    (value): Mark => ({
      kind: 'text',
      x: x(value),
      y: top + 15,
      text: numerals.short(value),
      ink: 'muted',
      anchor: 'middle',
      size: 11,
    }),
  );
  return [{ kind: 'segments', ends: [from, top, to, top], ink: 'muted', opacity: 0.6 }, ...labels];
}

/** The interval of a single row, for a table that shows its numbers; rows with the same `domain` share an axis. */
export function forestStrip(row: ForestRow, domain: Domain, size: Size): Plot {
  const x = scaleOf(domain, 0, size.width);
  const words = wordsOf(size);
  const { name, mean, ends } = cellsOf(row, 0, words);
  const interval = intervalText(row, ends, words);
  return {
    ...size,
    title: words('stripTitle', { name }),
    description: words(row.kind === 'element' ? 'stripAbout' : 'stripElements', { mean, interval }),
    marks: [...gridMarks(domain, x, 0, size.height), ...rowMarks(row, x, size.height / 2)],
    table: () => tableOf([row], words),
  };
}

/** The axis below such rows. */
export function forestAxis(domain: Domain, size: Size): Plot {
  const words = wordsOf(size);
  return {
    ...size,
    title: words('axis'),
    description: words('axisRange', { from: words.short(domain[0]), to: words.short(domain[1]) }),
    marks: axisMarks(domain, scaleOf(domain, 0, size.width), 0, words),
    table: () => ({ columns: [words('from'), words('to')], rows: [domain] }),
  };
}

/** Height in pixels of a forest plot. */
export function forestHeight(panels: readonly ForestPanel[]): number {
  return FOREST_ROW + panels.reduce((sum, { rows }) => sum + rows.length * FOREST_ROW + FOREST_AXIS, 0);
}

/** Widths in pixels of the columns of numbers, and of a letter of a name. */
const COLUMNS = { mean: 76, interval: 150, rhat: 64, ess: 60 };
const LETTER = 7.2;

/** The panels with their numbers in one figure. R-hat and effective sample sizes beyond their limits are marked. */
export function forestPlot(panels: readonly ForestPanel[], chains: number, size: Size): Plot {
  const words = wordsOf(size);
  const rows = panels.flatMap((panel) => panel.rows);
  const cells = rows.map((row) => {
    const own = cellsOf(row, chains, words);
    return { ...own, interval: intervalText(row, own.ends, words) };
  });
  const left = Math.min(220, 24 + LETTER * Math.max(4, ...cells.map(({ name }) => name.length)));
  const ends = { ess: size.width - 4, rhat: 0, interval: 0, mean: 0 };
  ends.rhat = ends.ess - COLUMNS.ess;
  ends.interval = ends.rhat - COLUMNS.rhat;
  ends.mean = ends.interval - COLUMNS.interval;
  const right = ends.mean - COLUMNS.mean;
  const text = (x: number, y: number, content: string, ink: Ink = 'text', anchor: 'start' | 'end' = 'end'): Mark => ({
    kind: 'text',
    x,
    y: y + 4,
    text: content,
    ink,
    anchor,
    size: 12,
  });
  const half = FOREST_ROW / 2;
  const marks: Mark[] = [
    text(ends.mean, half, words('mean'), 'muted'),
    text(ends.interval, half, words('interval90'), 'muted'),
    text(ends.rhat, half, 'R-hat', 'muted'),
    text(ends.ess, half, 'ESS', 'muted'),
  ];
  let top = FOREST_ROW;
  for (const { domain, rows: own } of panels) {
    const x = scaleOf(domain, left, right);
    const bottom = top + own.length * FOREST_ROW;
    marks.push(...gridMarks(domain, x, top, bottom), ...axisMarks(domain, x, bottom, words));
    own.forEach((row, index) => {
      const y = top + index * FOREST_ROW + half;
      const { name, mean, interval, rhat, ess, isEssBad, isRhatBad } = cells[rows.indexOf(row)];
      const count = row.kind === 'variable' ? ` (${row.variable.elements.length})` : '';
      marks.push(
        ...rowMarks(row, x, y),
        text(4, y, name + count, 'text', 'start'),
        text(ends.mean, y, mean),
        text(ends.interval, y, interval, row.kind === 'variable' ? 'muted' : 'text'),
        text(ends.rhat, y, isRhatBad ? `${rhat} !` : rhat, isRhatBad ? 'bad' : 'text'),
        text(ends.ess, y, isEssBad ? `${ess} !` : ess, isEssBad ? 'bad' : 'text'),
      );
    });
    top = bottom + FOREST_AXIS;
  }
  return {
    ...size,
    title: words('forestTitle'),
    description: words('forestAbout', {
      rows: cells
        .slice(0, 4)
        .map(({ name, mean, interval }) => `${name} ${mean === '' ? '' : `${mean}, `}${interval}`)
        .join('; '),
      more: Math.max(0, cells.length - 4),
    }),
    marks,
    table: () => tableOf(rows, words),
  };
}

function tableOf(rows: readonly ForestRow[], words: PlotWords) {
  const elements = [...new Set(rows.flatMap(estimatesOf))];
  return {
    columns: [words('quantity'), words('mean'), '5%', '50%', '95%', 'R-hat', 'ESS'],
    rows: elements.map((each) => [each.name, each.mean, each.q05, each.q50, each.q95, each.rhat, leastEss(each)]),
  };
}
