/** Small pictures of statistical terms, in the inks of plots and without words. They are schematic: no draws are shown. */
import type { Ink, Mark, Point } from '#engine/plots/scene.js';
import { numerals } from '../words/messages.js';
import type { TermName } from './term-names.js';

export const PICTURE = { width: 280, height: 96 } as const;

/** Height of the ground line in pixels. */
const GROUND = 84;

const line = (points: readonly number[], ink: Ink, width = 1.5, dash?: string): Mark => ({
  kind: 'line',
  points,
  ink,
  width,
  ...(dash !== undefined && { dash }),
});
const dots = (points: readonly number[], ink: Ink, radius = 3): Mark => ({ kind: 'dots', points, ink, radius });
const area = (points: readonly number[], ink: Ink, opacity = 0.25): Mark => ({ kind: 'area', points, ink, opacity });
const text = (x: number, y: number, content: string, ink: Ink = 'muted'): Mark => ({
  kind: 'text',
  x,
  y,
  text: content,
  ink,
  anchor: 'middle',
  size: 12,
});
const ground = (from = 10, to = 270): Mark => line([from, GROUND, to, GROUND], 'muted', 1);
const good = (x: number, y = 14) => text(x, y, '✓', 'accent');
const bad = (x: number, y = 14) => text(x, y, '✗', 'bad');

/** Points of a curve over pixels. */
function curve(from: number, to: number, height: (x: number) => number, step = 2): number[] {
  const points: number[] = [];
  for (let x = from; x <= to; x += step) points.push(x, height(x));
  return points;
}

/** A bell over the ground line. */
function bell(center: number, scale: number, height: number): (x: number) => number {
  return (x) => GROUND - height * Math.exp(-0.5 * ((x - center) / scale) ** 2);
}

/** A skewed density over the ground line, whose peak is 60 pixels high. */
function skewed(x: number): number {
  const z = Math.max(0, (x - 30) / 32);
  return GROUND - 60 * z * Math.exp(1 - z);
}

/** Numbers between -1 and 1 without a pattern to the eye. */
function noise(k: number, seed: number): number {
  const value = Math.sin(12.9898 * k + 78.233 * seed) * 43758.5453;
  return 2 * (value - Math.floor(value)) - 1;
}

/** A trace; `pull` is between 0, for a slow walk, and 1, for independent draws. */
function trace(from: number, to: number, center: number, spread: number, pull: number, seed: number): number[] {
  let value = 0;
  return curve(
    from,
    to,
    (x) => {
      value = (1 - pull) * value + Math.sqrt(pull) * noise(x, seed);
      return center + spread * Math.max(-1.6, Math.min(1.6, value));
    },
    3,
  );
}

/** An ellipse around a center. */
function ring({ x, y }: Point, wide: number, high: number): number[] {
  return curve(0, 63, (k) => k, 1).flatMap((k, place) =>
    place % 2 === 0 ? [x + wide * Math.cos(k / 10), y + high * Math.sin(k / 10)] : [],
  );
}

const TREE = [1, 2, 4, 8];
const WEIGHTS = [0.68, 0.27, 0.05];
const RANKS = [44, 38, 47, 41, 36, 45, 40, 43, 37, 46];

export const PICTURES: Readonly<Record<TermName, () => readonly Mark[]>> = {
  rhat: () => [
    line(trace(14, 126, 36, 10, 1, 1), 'chain1'),
    line(trace(14, 126, 66, 10, 1, 2), 'chain2'),
    bad(70),
    line(trace(154, 266, 52, 20, 1, 3), 'chain1'),
    line(trace(154, 266, 52, 20, 1, 4), 'chain2'),
    good(210),
  ],
  ess: () => [
    line(trace(14, 126, 46, 18, 0.06, 7), 'chain1'),
    dots([30, 84, 70, 84, 110, 84], 'accent', 4),
    line(trace(154, 266, 46, 16, 1, 8), 'chain1'),
    dots(
      curve(158, 262, () => GROUND, 10),
      'accent',
      4,
    ),
  ],
  mcse: () => [
    ground(),
    area([...curve(20, 260, bell(140, 46, 54)), 260, GROUND, 20, GROUND], 'chain1'),
    line(curve(20, 260, bell(140, 46, 54)), 'chain1'),
    line(curve(110, 170, bell(140, 6, 70), 1), 'accent', 2),
    line([94, 93, 186, 93], 'chain1', 3),
    line([134, 90, 146, 90], 'accent', 3),
  ],
  divergence: () => [
    ...[1, 0.62, 0.3].map((size) =>
      line(
        [20, 48 - 38 * size, ...curve(20, 210, (x) => 48 - 38 * size * (1 - (x - 20) / 205) ** 1.6), 226, 48],
        'muted',
        1,
      ),
    ),
    ...[1, 0.62, 0.3].map((size) =>
      line(
        curve(20, 210, (x) => 48 + 38 * size * (1 - (x - 20) / 205) ** 1.6),
        'muted',
        1,
      ),
    ),
    line([60, 62, 90, 52, 120, 44, 150, 46, 178, 52, 204, 30, 240, 12], 'chain1', 2),
    dots([60, 62, 90, 52, 120, 44, 150, 46, 178, 52], 'chain1'),
    { kind: 'crosses', points: [240, 12], ink: 'divergence', radius: 5 },
  ],
  treeDepth: () => [
    line(
      curve(20, 260, (x) => 30 + 0.0016 * (x - 140) ** 2, 4),
      'muted',
      1,
      '4 3',
    ),
    dots(
      Array.from({ length: 8 }, (_, k) => [20 + 34.3 * k, 30 + 0.0016 * (20 + 34.3 * k - 140) ** 2]).flat(),
      'chain1',
      4,
    ),
    ...TREE.slice(1).flatMap((count, depth): Mark[] => {
      const y = 62 + 10 * depth;
      return [line([20, y - 4, 20, y, 20 + 34.3 * (count - 1), y, 20 + 34.3 * (count - 1), y - 4], 'accent')];
    }),
    ...TREE.slice(1).map((count, depth) => text(20 + 34.3 * (count - 1) + 12, 65 + 10 * depth, `${depth + 1}`)),
  ],
  ebfmi: () => [
    ground(),
    line(curve(14, 126, bell(70, 24, 60)), 'muted', 2),
    line(curve(14, 126, bell(70, 8, 66)), 'bad', 2),
    bad(116, 20),
    line(curve(154, 266, bell(210, 24, 60)), 'muted', 2),
    line(curve(154, 266, bell(210, 21, 62)), 'accent', 2),
    good(256, 20),
  ],
  loo: () => [
    area([...curve(20, 260, (x) => 60 - 0.14 * (x - 20)), ...[260, 50, 20, 84]], 'chain1'),
    line([20, 72, 260, 38], 'chain1', 2),
    dots([36, 66, 62, 74, 92, 56, 124, 64, 186, 42, 214, 52, 244, 36], 'text'),
    line([156, 37, 156, 71], 'accent', 2),
    dots([156, 24], 'text', 5),
    dots([156, 24], 'surface', 3.5),
  ],
  elpd: () => [
    ground(),
    area([...curve(20, 260, bell(130, 44, 66)), 260, GROUND, 20, GROUND], 'chain1'),
    line(curve(20, 260, bell(130, 44, 66)), 'chain1', 2),
    line([172, GROUND, 172, bell(130, 44, 66)(172)], 'accent', 3),
    dots([172, GROUND], 'text', 4),
  ],
  paretoK: () => [
    ground(30),
    line([30, 36, 270, 36], 'bad', 1, '4 3'),
    text(16, 40, numerals.short(0.7)),
    dots(Array.from({ length: 15 }, (_, k) => [44 + 15 * k, 68 + 12 * noise(k, 5)]).flat(), 'chain1'),
    dots([194, 16], 'bad', 4),
  ],
  pLoo: () => {
    const wiggly = (x: number) => 74 - 0.225 * (x - 20) - 12 * Math.cos(((x - 62) * Math.PI) / 32);
    return [
      line([20, 74, 260, 20], 'chain1', 2),
      line(curve(26, 256, wiggly), 'chain2'),
      dots(curve(30, 254, wiggly, 32), 'text'),
    ];
  },
  stacking: () => {
    let from = 20;
    return WEIGHTS.flatMap((weight, k): Mark[] => {
      const width = 240 * weight;
      const start = from;
      from += width;
      return [
        { kind: 'boxes', boxes: [start, 30, width - 3, 30], ink: `chain${k + 1}`, opacity: 0.85 },
        text(start + width / 2, 78, numerals.short(weight)),
      ];
    });
  },
  sbc: () => [
    { kind: 'boxes', boxes: [20, GROUND - 52, 240, 22], ink: 'muted', opacity: 0.25 },
    {
      kind: 'boxes',
      boxes: RANKS.flatMap((height, k) => [20 + 24 * k, GROUND - height, 22, height]),
      ink: 'chain1',
      opacity: 0.8,
    },
    ground(),
  ],
  priorPredictive: () => [
    ground(),
    ...Array.from({ length: 9 }, (_, k) =>
      line(curve(14, 266, bell(140 + 52 * noise(k, 3), 26 + 10 * noise(k, 4), 46 + 14 * noise(k, 6))), 'chain1', 0.8),
    ),
    line(curve(14, 266, bell(150, 22, 58)), 'observed', 2.5),
  ],
  interval: () => [
    area([...curve(42, 176, skewed), 176, GROUND, 42, GROUND], 'chain1'),
    line(curve(30, 268, skewed), 'chain1', 2),
    ground(),
    line([42, 90, 176, 90], 'chain1', 3),
    line([32, 95, 150, 95], 'accent', 3),
  ],
  lp: () => [
    ground(),
    line(curve(20, 260, bell(140, 46, 66)), 'chain1', 2),
    line([186, GROUND, 186, bell(140, 46, 66)(186), 20, bell(140, 46, 66)(186)], 'muted', 1, '4 3'),
    dots([186, bell(140, 46, 66)(186)], 'accent', 4),
  ],
  warmup: () => [
    { kind: 'boxes', boxes: [14, 6, 92, 82], ink: 'muted', opacity: 0.18 },
    line(
      curve(14, 104, (x) => 54 - 40 * Math.exp(-(x - 14) / 16) + 10 * noise(x, 9), 3),
      'muted',
    ),
    line(trace(107, 266, 54, 14, 1, 10), 'chain1'),
  ],
  chain: () => [
    ...[1, 0.66, 0.33].map((size) => line(ring({ x: 150, y: 48 }, 100 * size, 40 * size), 'muted', 1)),
    line([20, 14, 60, 26, 96, 40, 130, 36, 160, 56, 190, 44, 150, 30, 120, 60, 170, 66], 'chain1', 1.5),
    dots([20, 14, 60, 26, 96, 40, 130, 36, 160, 56, 190, 44, 150, 30, 120, 60, 170, 66], 'chain1', 2.5),
    line([264, 88, 230, 70, 204, 60, 180, 36, 140, 44, 110, 52, 146, 70, 186, 54], 'chain2', 1.5),
    dots([264, 88, 230, 70, 204, 60, 180, 36, 140, 44, 110, 52, 146, 70, 186, 54], 'chain2', 2.5),
  ],
  bayesFactor: () => [
    ground(),
    line(curve(14, 266, bell(110, 24, 62)), 'chain1', 2),
    line(curve(14, 266, bell(150, 60, 34)), 'chain2', 2),
    line([132, GROUND, 132, 8], 'muted', 1, '4 3'),
    dots([132, bell(110, 24, 62)(132)], 'chain1', 4),
    dots([132, bell(150, 60, 34)(132)], 'chain2', 4),
    dots([132, GROUND], 'text', 4),
  ],
};
