import { autocorrelation } from '../inference/diagnostics/effective-sample-size.js';
import { frame } from './frame.js';
import { chainInk, chainLegend, chainName, type Mark, type Plot, type Quantity, type Size } from './scene.js';
import { wordsOf } from './words.js';

const LAGS = 30;

/**
 * Autocorrelation of the draws by lag, for each chain. Chains with constant draws have no autocorrelation and no line.
 */
export function autocorrelationPlot(quantity: Quantity, size: Size): Plot {
  const words = wordsOf(size);
  const { name, chains } = quantity;
  const series = chains.map((chain) => autocorrelation(chain, LAGS + 1));
  const { x, y, marks } = frame(size, {
    x: [0, LAGS],
    y: [Math.min(-0.1, ...series.flatMap((s) => [...s].filter(Number.isFinite))), 1.05],
    xLabel: words('lag'),
  });
  const zero = y(0);
  const lines = series.map((values, index): Mark => {
    const points = [...values].flatMap((value, lag) => (Number.isFinite(value) ? [x(lag), y(value)] : []));
    return { kind: 'line', points, ink: chainInk(index), width: 1.5 };
  });
  return {
    ...size,
    title: words('autocorrelationTitle', { name }),
    description: words('autocorrelationAbout', { name, lags: LAGS }),
    legend: chainLegend(quantity, words),
    marks: [
      ...marks,
      { kind: 'segments', ends: [x.range[0], zero, x.range[1], zero], ink: 'muted', opacity: 0.6 },
      ...lines,
    ],
    table: () => ({
      columns: [words('lag'), ...chains.map((_, index) => words('chainOf', { name: chainName(quantity, index) }))],
      rows: Array.from({ length: LAGS + 1 }, (_, lag) => [lag, ...series.map((values) => values[lag])]),
    }),
  };
}
