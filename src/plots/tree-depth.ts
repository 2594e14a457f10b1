import { frame } from './frame.js';
import { chainInk, chainLegend, chainName, type Mark, type Plot, type Quantity, type Size } from './scene.js';
import { wordsOf } from './words.js';

/** The number of transitions of each chain by tree depth. */
export function treeDepthPlot(quantity: Quantity, size: Size): Plot {
  const words = wordsOf(size);
  const { chains } = quantity;
  const depths = [...new Set(chains.flatMap((chain) => [...chain]))].sort((a, b) => a - b);
  const [least, greatest] = [depths[0] ?? 0, depths.at(-1) ?? 1];
  const counts = chains.map((chain) => {
    const found = new Map<number, number>();
    for (const depth of chain) found.set(depth, (found.get(depth) ?? 0) + 1);
    return found;
  });
  const most = Math.max(1, ...counts.flatMap((found) => [...found.values()]));
  const { x, y, marks } = frame(size, {
    x: [least - 0.6, greatest + 0.6],
    y: [0, most * 1.05],
    xLabel: words('treeDepth'),
  });
  const width = (x(1) - x(0)) / (chains.length + 0.6);
  const bars = counts.map((found, chain): Mark => {
    const boxes = [...found].flatMap(([depth, count]) => {
      const left = x(depth) + (chain - chains.length / 2) * width;
      return [left, y(count), width - 1, y(0) - y(count)];
    });
    return { kind: 'boxes', boxes, ink: chainInk(chain) };
  });
  return {
    ...size,
    title: words('treeDepthTitle'),
    description: words('treeDepthAbout', { least, greatest }),
    legend: chainLegend(quantity, words),
    marks: [...marks, ...bars],
    table: () => ({
      columns: [words('chain'), words('depth'), words('transitions')],
      rows: counts.flatMap((found, chain) =>
        [...found].map(([depth, count]) => [chainName(quantity, chain), depth, count]),
      ),
    }),
  };
}
