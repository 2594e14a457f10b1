import { useMemo } from 'react';
import { mean, standardDeviation } from '#engine/inference/diagnostics/moments.js';
import {
  areCounts,
  type Predicted,
  predictiveCountsPlot,
  predictiveDensityPlot,
  predictiveIntervalsPlot,
  predictiveStatisticPlot,
} from '#engine/plots/predictive.js';
import { type Prediction, predictionsIn } from '#engine/run/predictions.js';
import { type Draws, drawsOf } from '../state/draws.js';
import { isOver, type Run } from '../state/run.js';
import { Figure } from './Figure.js';

/** Simulations that checks are made of. */
const MOST = 500;

const STATISTICS = [
  { name: 'mean', of: mean },
  { name: 'standard deviation', of: standardDeviation },
  { name: 'least value', of: (values: Float64Array) => values.reduce((a, b) => Math.min(a, b)) },
  { name: 'greatest value', of: (values: Float64Array) => values.reduce((a, b) => Math.max(a, b)) },
];

/** Data beside what the model simulates of them. */
export function PredictiveView({ run }: { readonly run: Run }) {
  const draws = drawsOf(run.id);
  const over = isOver(run);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a run that is over does not change
  const found = useMemo(
    () => (over ? predictionsIn(run.source.data, draws.columns).map((each) => predictedOf(each, draws)) : []),
    [run.id, over],
  );
  if (!over) return <p className="empty">Predictive checks come with the end of the run.</p>;
  if (found.length === 0) {
    return (
      <p className="empty">
        Predictive checks compare data with simulations of them. Simulate a data variable y in the generated quantities
        under the name y_rep, of the same size; the example “A line through points” shows how.
      </p>
    );
  }
  return (
    <div className="figures scrolls predictive">
      {found.flatMap((predicted) => [
        <Figure
          key={`${predicted.name} density`}
          height={220}
          version={run.id}
          plot={(size) =>
            areCounts(predicted) ? predictiveCountsPlot(predicted, size) : predictiveDensityPlot(predicted, size)
          }
        />,
        <Figure
          key={`${predicted.name} intervals`}
          height={220}
          version={run.id}
          plot={(size) => predictiveIntervalsPlot(predicted, size)}
        />,
        ...STATISTICS.map((statistic) => (
          <Figure
            key={`${predicted.name} ${statistic.name}`}
            height={150}
            version={run.id}
            plot={(size) => predictiveStatisticPlot(predicted, statistic, size)}
          />
        )),
      ])}
    </div>
  );
}

function predictedOf({ name, observed, columns }: Prediction, draws: Draws): Predicted {
  const chains = columns.map((column) => draws.evenColumn(column));
  const total = draws.count * draws.chains.length;
  const step = Math.max(1, Math.floor(total / MOST));
  const simulated: Float64Array[] = [];
  for (let place = 0; place < total; place += step) {
    const [chain, index] = [Math.floor(place / draws.count), place % draws.count];
    simulated.push(Float64Array.from(chains, (each) => each[chain][index]));
  }
  return { name, observed, simulated };
}
