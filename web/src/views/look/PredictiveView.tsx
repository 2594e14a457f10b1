import type { Fit } from 'leapfrog';
import { useMemo } from 'react';
import {
  dataStatistics,
  type Predicted,
  predictiveDistributionPlot,
  predictiveIntervalsPlot,
  predictiveStatisticPlot,
} from '#engine/plots/predictive.js';
import { variableOf } from '#engine/run/columns.js';
import { LOG_LIKELIHOOD } from '#engine/run/cross-validation.js';
import { type Prediction, predictionsIn, simulatedSets } from '#engine/run/predictions.js';
import { evenColumn } from '../../state/fits.js';
import { isOver, type Run } from '../../state/run.js';
import { replicatedOf } from '../../state/statistics.js';
import { Figure } from './Figure.js';
import { LooView } from './LooView.js';
import { MissingQuantities } from './MissingQuantities.js';
import { isDerivable, useDerived } from './useDerived.js';
import { columnNames, useColumns, useFit } from './useFit.js';
import { useLoo } from './useLoo.js';

/** Data beside what the model simulates of them. */
export function PredictiveView({ run }: { readonly run: Run }) {
  const names = columnNames(run, useFit(run));
  const over = isOver(run);
  const predictions = useMemo(
    () => (over ? predictionsIn(run.source.data, names) : []),
    [run.source.data, over, names],
  );
  const fit = useColumns(
    run,
    predictions.flatMap(({ columns }) => columns),
  );
  const loo = useLoo(run);
  const replicated = useDerived(run, predictions.length === 0, replicatedOf);
  const found = useMemo(() => {
    if (replicated instanceof Object && 'columns' in replicated) {
      return predictionsIn(run.source.data, replicated.columns).map((each) => predictedOf(each, replicated));
    }
    return fit === undefined ? [] : predictions.map((each) => predictedOf(each, fit));
  }, [fit, predictions, replicated, run.source.data]);
  if (!over) return <p className="empty">Predictive checks appear when the run ends.</p>;
  if (fit === undefined && run.draws > 0) return <p className="empty">Loading the draws…</p>;
  const isDerived = predictions.length === 0 && found.length > 0;
  const hasTerms = names.some((name) => variableOf(name) === LOG_LIKELIHOOD);
  const isDeriving = isDerivable(run, fit);
  const lacksSimulations = found.length === 0 && (!isDeriving || replicated !== undefined);
  const lacksTerms = !hasTerms && (isDeriving ? loo !== undefined && 'unclear' in loo : true);
  const unclear = [replicated, loo].flatMap((each) => (each !== undefined && 'unclear' in each ? [each.unclear] : []));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard, also before anything in it can be focused
    <section className="scrolls predictive" aria-label="Predictive checks" tabIndex={0}>
      {found.map((predicted) => (
        <PredictiveFigures key={predicted.name} run={run} predicted={predicted} />
      ))}
      {isDerived && <p className="prose muted">The replicated data are derived from the likelihood of the program.</p>}
      <LooView loo={loo} run={run} />
      <MissingQuantities lacksSimulations={lacksSimulations} lacksTerms={lacksTerms} unclear={unclear} />
    </section>
  );
}

function PredictiveFigures({ run, predicted }: { readonly run: Run; readonly predicted: Predicted }) {
  return (
    <section className="figures" aria-label={`Predictive checks of ${predicted.name}`}>
      <Figure height={220} isDescribed version={run.id} plot={(size) => predictiveDistributionPlot(predicted, size)} />
      <Figure height={220} isDescribed version={run.id} plot={(size) => predictiveIntervalsPlot(predicted, size)} />
      {dataStatistics.map((statistic) => (
        <Figure
          key={statistic.name}
          height={150}
          isDescribed
          version={run.id}
          plot={(size) => predictiveStatisticPlot(predicted, statistic, size)}
        />
      ))}
    </section>
  );
}

function predictedOf({ name, observed, columns }: Prediction, fit: Fit): Predicted {
  return { name, observed, simulated: simulatedSets(columns.map((column) => evenColumn(fit, column))) };
}
