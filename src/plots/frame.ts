/** The frame of a plot: margins, axes, grid. */
import { type Domain, linear, type Scale, ticksOf } from './scale.js';
import type { Mark, Size } from './scene.js';
import { wordsOf } from './words.js';

export interface FrameOptions {
  readonly x: Domain;
  readonly y: Domain;
  readonly xLabel?: string;
  readonly yLabel?: string;
  /** Whether the y axis has numbers. The height of a density has no meaning by itself. */
  readonly yTicks?: boolean;
  /** Whether the x axis has numbers. */
  readonly xTicks?: boolean;
  /** Left margin in pixels, for plots with their own labels. */
  readonly left?: number;
  /** Pixels above the frame, for plots of several frames. */
  readonly top?: number;
}

export interface Frame {
  readonly x: Scale;
  readonly y: Scale;
  /** Marks to be drawn first. */
  readonly marks: readonly Mark[];
}

const LABEL_SIZE = 11;
const CHARACTER = 6.2;
/** Maximum width of a character of a tick label, in other fonts too. */
const WIDEST = 7;

/** Scales over the plot area, with marks for the axes. */
export function frame(size: Size, options: FrameOptions): Frame {
  const words = wordsOf(size);
  const { top = 0, xLabel, yLabel, xTicks = true, yTicks = true } = options;
  const yValues = yTicks ? ticksOf(options.y, Math.max(2, Math.floor((size.height - top) / 44))) : [];
  const yTexts = yValues.map((value) => words.short(value));
  const widest = Math.max(0, ...yTexts.map((text) => text.length)) * CHARACTER;
  const left = options.left ?? (yTicks ? widest + 10 : 4) + (yLabel === undefined ? 0 : 16);
  const bottom = 20 + (xLabel === undefined ? 0 : 16);
  const y = linear(options.y, [size.height - bottom, top + 6]);
  const xValues = !xTicks ? [] : ticksOf(options.x, Math.max(2, Math.floor((size.width - left) / 72)));
  const xTexts = xValues.map((value) => words.short(value));
  const x = linear(options.x, withinWidth(options.x, [left, size.width - 18], xValues, xTexts, size.width));
  const [low, high] = y.range;
  const grid = yValues.flatMap((value) => [x.range[0], y(value), x.range[1], y(value)]);
  const marks: Mark[] = [
    { kind: 'segments', ends: grid, ink: 'grid' },
    { kind: 'segments', ends: [x.range[0], low, x.range[1], low], ink: 'muted', opacity: 0.6 },
    {
      kind: 'segments',
      ends: xValues.flatMap((value) => [x(value), low, x(value), low + 4]),
      ink: 'muted',
      opacity: 0.6,
    },
    ...xValues.map((value, index): Mark => {
      const place = { x: x(value), y: low + 16 };
      return { kind: 'text', ...place, text: xTexts[index], ink: 'muted', anchor: 'middle', size: LABEL_SIZE };
    }),
    ...yValues.map((value, index): Mark => {
      const place = { x: left - 6, y: y(value) + 4 };
      return { kind: 'text', ...place, text: yTexts[index], ink: 'muted', anchor: 'end', size: LABEL_SIZE };
    }),
  ];
  if (xLabel !== undefined) {
    const place = { x: (x.range[0] + x.range[1]) / 2, y: size.height - 4 };
    marks.push({ kind: 'text', ...place, text: xLabel, ink: 'muted', anchor: 'middle', size: LABEL_SIZE });
  }
  if (yLabel !== undefined) {
    const place = { x: 11, y: (low + high) / 2 };
    marks.push({ kind: 'text', ...place, text: yLabel, ink: 'muted', anchor: 'middle', size: LABEL_SIZE, turn: -90 });
  }
  return { x, y, marks };
}

/** The range of the x axis, shortened so that the labels of its first and its last tick are not cut. */
function withinWidth(
  domain: Domain,
  [left, right]: Domain,
  ticks: readonly number[],
  texts: readonly string[],
  width: number,
): Domain {
  const x = linear(domain, [left, right]);
  const half = (text = '') => (WIDEST * text.length) / 2;
  const [first, last] = [ticks[0], ticks.at(-1)];
  const cutLeft = first === undefined ? 0 : half(texts[0]) - x(first);
  const cutRight = last === undefined ? 0 : x(last) + half(texts.at(-1)) - width;
  return [left + Math.max(0, cutLeft), right - Math.max(0, cutRight)];
}
