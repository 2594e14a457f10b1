import { frame } from './frame.js';
import { robustRange } from './robust-range.js';
import { padded } from './scale.js';
import type { Mark, Plot, Quantity, Size } from './scene.js';
import { chainLines } from './trace.js';
import { wordsOf } from './words.js';

/** Iterations of each chain that determine the axis. */
const MOST = 1000;

/** The iterations of warmup of each chain in order, in gray. The axis excludes outliers, because chains may begin far from their later values. */
export function warmupPlot({ name, chains }: Quantity, size: Size): Plot {
  const words = wordsOf(size);
  const longest = Math.max(2, ...chains.map(({ length }) => length));
  const every = Math.ceil(longest / MOST);
  const some = chains.flatMap((chain) => [...chain.filter((_, index) => index % every === 0)]);
  const { x, y, marks } = frame(size, {
    x: [1, longest],
    y: padded(robustRange(Float64Array.from(some))),
    xLabel: words('iteration'),
  });
  const lines = chains.flatMap((chain) =>
    chainLines(chain, x, y).map((points): Mark => {
      return { kind: 'line', points, ink: 'muted', width: 1, opacity: 0.6 };
    }),
  );
  return {
    ...size,
    title: words('warmupTitle', { name }),
    description: words('warmupAbout', { name, chains: chains.length }),
    marks: [...marks, ...lines],
    table: () => ({
      columns: [words('iteration'), ...chains.map((_, index) => words('chainOf', { name: `${index + 1}` }))],
      rows: Array.from({ length: Math.max(0, ...chains.map(({ length }) => length)) }, (_, index) => [
        index + 1,
        ...chains.map((chain) => chain[index] ?? Number.NaN),
      ]),
    }),
  };
}
