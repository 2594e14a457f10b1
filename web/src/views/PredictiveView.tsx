import type { Fit } from 'leapfrog';
import { useMemo } from 'react';
import {
  areCounts,
  dataStatistics,
  type Predicted,
  predictiveCountsPlot,
  predictiveDensityPlot,
  predictiveIntervalsPlot,
  predictiveStatisticPlot,
} from '#engine/plots/predictive.js';
import { type Prediction, predictionsIn, simulatedSets } from '#engine/run/predictions.js';
import { evenColumn } from '../state/fits.js';
import { isOver, type Run } from '../state/run.js';
import { Figure } from './Figure.js';
import { useFit } from './useFit.js';

/** Data beside what the model simulates of them. */
export function PredictiveView({ run }: { readonly run: Run }) {
  const fit = useFit(run);
  const over = isOver(run);
  const found = useMemo(
    () =>
      over && fit !== undefined
        ? predictionsIn(run.source.data, fit.columns).map((each) => predictedOf(each, fit))
        : [],
    [run.source.data, over, fit],
  );
  if (!over) return <p className="empty">Predictive checks come with the end of the run.</p>;
  if (fit === undefined && run.draws > 0) return <p className="empty">Loading the draws…</p>;
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
        ...dataStatistics.map((statistic) => (
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

function predictedOf({ name, observed, columns }: Prediction, fit: Fit): Predicted {
  return { name, observed, simulated: simulatedSets(columns.map((column) => evenColumn(fit, column))) };
}
