import { oneAxisHeight, oneAxisIntervalsPlot } from './intervals.js';
import { chainName, type Plot, type Quantity, type Size } from './scene.js';
import { wordsOf } from './words.js';

/** Height in pixels for a number of chains. */
export const stepSizeHeight = oneAxisHeight;

/**
 * The acceptance statistics of each chain's transitions by step size. Similarly adapted chains have similar statistics.
 * `stepSizes` are the step sizes of the draws; the last one counts.
 */
export function stepSizePlot(
  { chains: stepSizes }: Pick<Quantity, 'chains'>,
  acceptance: Omit<Quantity, 'name'>,
  size: Size,
): Plot {
  const words = wordsOf(size);
  const steps = stepSizes.map((chain) => chain.at(-1) ?? Number.NaN);
  const rows = acceptance.chains.map((chain, k) => ({
    name: words('stepSizeRow', { chain: chainName(acceptance, k), step: words.short(steps[k]) }),
    chains: [chain],
  }));
  const plot = oneAxisIntervalsPlot(rows, size);
  return {
    ...plot,
    title: words('stepSizeTitle'),
    description: words('stepSizeAbout', {
      chains: rows.length,
      from: words.short(Math.min(...steps)),
      to: words.short(Math.max(...steps)),
    }),
    table: () => {
      const { columns, rows: numbers } = plot.table();
      return {
        columns: [words('chain'), words('stepSize'), ...columns.slice(1)],
        rows: numbers.map((row, k) => [chainName(acceptance, k), steps[k], ...row.slice(1)]),
      };
    },
  };
}
