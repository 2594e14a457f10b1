/** Effects with their numbers: median, 50 % and 90 % intervals, and the probability that the effect is above zero. */
import type { Numerals } from '../base/numerals.js';
import { type Estimate, estimateTexts, type ForestPanel, forestPanels } from './forest-rows.js';
import { linear, padded, type Scale, ticksOf } from './scale.js';
import type { Ink, Mark, Plot, Size } from './scene.js';
import { wordsOf } from './words.js';

export interface PlottedEffect extends Estimate {
  readonly q25: number;
  readonly q75: number;
  /** The share of draws above zero. */
  readonly above: number;
}

const INK: Ink = 'chain1';
const ROW = 34;
/** Height of a row that shows its numbers above its interval. */
const TALL_ROW = 58;
const AXIS = 24;
const HEAD = 24;
/** Width in pixels below which numbers are above intervals. */
const NARROW = 560;
/** Digits of an interval's length to which numbers are rounded. */
const DIGITS = 2;
const COLUMNS = { median: 84, interval: 150, above: 72 };
const LETTER = 6.9;

function panelsOf(effects: readonly PlottedEffect[]): readonly ForestPanel<PlottedEffect>[] {
  return forestPanels(
    effects.map((effect) => ({ name: effect.name, isScalar: true, elements: [effect] })),
    () => false,
  );
}

/** Height in pixels of the effects within a width. */
export function effectsHeight(effects: readonly PlottedEffect[], width: number): number {
  const row = width < NARROW ? TALL_ROW : ROW;
  return (width < NARROW ? 0 : HEAD) + effects.length * row + panelsOf(effects).length * AXIS;
}

/** One row for each effect; effects of different scale have separate axes, all with zero. */
export function effectsPlot(title: string, effects: readonly PlottedEffect[], size: Size): Plot {
  const words = wordsOf(size);
  const isNarrow = size.width < NARROW;
  const rowHeight = isNarrow ? TALL_ROW : ROW;
  const names = Math.min(260, 20 + LETTER * Math.max(...effects.map(({ name }) => name.length)));
  const end = { above: size.width - 4, interval: 0, median: 0 };
  end.interval = end.above - COLUMNS.above;
  end.median = end.interval - COLUMNS.interval;
  const range = isNarrow ? ([8, size.width - 8] as const) : ([names, end.median - COLUMNS.median] as const);
  const text = (x: number, y: number, content: string, anchor: 'start' | 'end' = 'end', ink: Ink = 'text'): Mark => ({
    kind: 'text',
    x,
    y,
    text: content,
    ink,
    anchor,
    size: ink === 'muted' ? 12 : 13,
  });
  const marks: Mark[] = isNarrow
    ? []
    : [
        text(end.median, 12, words('median'), 'end', 'muted'),
        text(end.interval, 12, words('interval90'), 'end', 'muted'),
        text(end.above, 12, words('aboveZero'), 'end', 'muted'),
      ];
  let top = isNarrow ? 0 : HEAD;
  for (const { domain, rows } of panelsOf(effects)) {
    const x = linear(padded([Math.min(0, domain[0]), Math.max(0, domain[1])]), range);
    const bottom = top + rows.length * rowHeight;
    // Lines do not cross the numbers above an interval.
    const strips = isNarrow
      ? rows.map((_, place) => [top + place * rowHeight + 36, top + (place + 1) * rowHeight])
      : [[top, bottom]];
    marks.push(...axisMarks(x, strips, bottom, words));
    for (const [place, row] of rows.entries()) {
      if (row.kind !== 'element') continue;
      const { estimate } = row;
      const numbers = numbersOf(estimate, words);
      const above = top + place * rowHeight;
      const interval = words('range', { from: numbers.from, to: numbers.to });
      if (isNarrow) {
        marks.push(
          text(0, above + 14, estimate.name, 'start'),
          text(0, above + 31, `${numbers.median} (${interval})`, 'start'),
          text(size.width - 4, above + 31, `${words('aboveZero')} ${numbers.above}`),
          ...intervalMarks(estimate, x, above + 46),
        );
      } else {
        const y = above + rowHeight / 2;
        marks.push(
          text(0, y + 4, shortened(estimate.name, names), 'start'),
          text(end.median, y + 4, numbers.median),
          text(end.interval, y + 4, interval),
          text(end.above, y + 4, numbers.above),
          ...intervalMarks(estimate, x, y),
        );
      }
    }
    top = bottom + AXIS;
  }
  return {
    ...size,
    title,
    description: effects
      .map((effect) => {
        const { above, from, median, to } = numbersOf(effect, words);
        return words('effectAbout', { name: effect.name, median, from, to, above });
      })
      .join(' '),
    marks,
    table: () => ({
      columns: [words('effect'), '5%', '25%', '50%', '75%', '95%', words('aboveZero')],
      rows: effects.map(({ above, name, q05, q25, q50, q75, q95 }) => [name, q05, q25, q50, q75, q95, above]),
    }),
  };
}

/** The numbers of a row. */
function numbersOf(effect: PlottedEffect, numerals: Numerals) {
  const { ends, mean } = estimateTexts({ ...effect, mean: effect.q50 }, numerals, DIGITS);
  return { median: mean, from: ends[0], to: ends[1], above: percentText(effect.above) };
}

/** Draws do not show that a probability is 0 or 1. */
function percentText(share: number): string {
  if (Number.isNaN(share)) return '–';
  if (share < 0.01) return '< 1 %';
  return share > 0.99 ? '> 99 %' : `${Math.round(100 * share)} %`;
}

function shortened(name: string, width: number): string {
  const room = Math.floor((width - 12) / LETTER);
  return name.length > room ? `${name.slice(0, room - 1)}…` : name;
}

function axisMarks(x: Scale, strips: readonly (readonly number[])[], bottom: number, numerals: Numerals): Mark[] {
  const [from, to] = x.range;
  const ticks = ticksOf(x.domain, Math.max(2, Math.floor((to - from) / 52)));
  const lines = (values: readonly number[]) =>
    values.flatMap((value) => strips.flatMap(([from, to]) => [x(value), from, x(value), to]));
  return [
    { kind: 'segments', ends: lines(ticks.filter((value) => value !== 0)), ink: 'grid' },
    { kind: 'segments', ends: lines([0]), ink: 'muted', width: 1.5 },
    ...ticks.map(
      (value): Mark => ({
        kind: 'text',
        x: x(value),
        y: bottom + 14,
        text: numerals.short(value),
        ink: 'muted',
        anchor: 'middle',
        size: 11,
      }),
    ),
  ];
}

function intervalMarks({ q05, q25, q50, q75, q95 }: PlottedEffect, x: Scale, y: number): Mark[] {
  return [
    { kind: 'segments', ends: [x(q05), y, x(q95), y], ink: INK, width: 2, opacity: 0.7 },
    { kind: 'segments', ends: [x(q25), y, x(q75), y], ink: INK, width: 7 },
    { kind: 'dots', points: [x(q50), y], ink: 'surface', radius: 5 },
    { kind: 'dots', points: [x(q50), y], ink: INK, radius: 3.5 },
  ];
}
