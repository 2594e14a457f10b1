import { frame } from './frame.js';
import type { Mark, Plot, Size } from './scene.js';
import { wordsOf } from './words.js';

export interface LeftOutShapes {
  /** Names of the observations. */
  readonly names: readonly string[];
  /** Pareto k of each observation, in the same order. */
  readonly paretoK: ArrayLike<number>;
  /** Estimates with at most this k are reliable. */
  readonly greatest: number;
}

/** The tail shape of each observation's importance ratios, with crosses for tails that are too heavy. */
export function paretoKPlot({ names, paretoK, greatest }: LeftOutShapes, size: Size): Plot {
  const words = wordsOf(size);
  const known = Array.from(paretoK).flatMap((value, place) => (Number.isFinite(value) ? [{ place, value }] : []));
  const values = known.map(({ value }) => value);
  const { x, y, marks } = frame(size, {
    x: [0.5, Math.max(1, names.length) + 0.5],
    y: [Math.min(0, ...values) - 0.05, Math.max(1, ...values) + 0.05],
    xLabel: words('observation'),
    yLabel: words('paretoK'),
  });
  const points = (of: typeof known) => of.flatMap(({ place, value }) => [x(place + 1), y(value)]);
  const high = known.filter(({ value }) => value > greatest);
  const fine = known.filter(({ value }) => value <= greatest);
  const label: Mark = {
    kind: 'text',
    x: x.range[1] - 4,
    y: y(greatest) - 5,
    text: words.short(greatest, 3),
    ink: 'muted',
    anchor: 'end',
    size: 11,
  };
  return {
    ...size,
    title: words('paretoK'),
    description: words('paretoKAbout', { count: names.length, high: high.length, limit: words.short(greatest, 3) }),
    marks: [
      ...marks,
      {
        kind: 'segments',
        ends: [x.range[0], y(greatest), x.range[1], y(greatest)],
        ink: 'muted',
        dash: '4 3',
      },
      label,
      { kind: 'dots', points: points(fine), ink: 'chain1', radius: 2.5, opacity: 0.8 },
      { kind: 'crosses', points: points(high), ink: 'bad', radius: 3.5 },
    ],
    table: () => ({
      columns: [words('observation'), words('paretoK')],
      rows: names.map((name, place) => [name, paretoK[place]]),
    }),
    spotAt: (px) => {
      const place = Math.round(x.invert(px)) - 1;
      const found = known.find((each) => each.place === place);
      if (found === undefined) return undefined;
      return { x: x(place + 1), y: y(found.value), text: `${names[place]}: ${words.short(found.value, 3)}` };
    },
  };
}
