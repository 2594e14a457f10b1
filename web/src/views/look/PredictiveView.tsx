import type { Fit } from 'leapfrog';
import { useMemo } from 'react';
import { LOG_LIKELIHOOD } from '#engine/derive/derived-names.js';
import type { IndexLevels } from '#engine/derive/level-labels.js';
import {
  accompanying,
  MOST_SIMULATIONS,
  type Prediction,
  predictionsIn,
  simulatedSets,
} from '#engine/fits/predictions.js';
import { variableOf } from '#engine/formats/columns.js';
import type { Companion } from '#engine/plots/predictive-by.js';
import { startPrior } from '../../run/running.js';
import { evenColumn } from '../../state/fits.js';
import { isOver, type Run } from '../../state/run.js';
import { replicatedOf } from '../../state/statistics.js';
import { notify, useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';
import { Term } from '../Term.js';
import { DerivingNote, DerivingProgress } from './DerivingProgress.js';
import { KfoldView } from './KfoldView.js';
import { LooView } from './LooView.js';
import { MissingQuantities } from './MissingQuantities.js';
import { type Checked, PredictiveFigures } from './PredictiveFigures.js';
import { isDerivable, isReplicable, useCancellable } from './useDerived.js';
import { columnNames, useColumns, useFit } from './useFit.js';
import { useLoo } from './useLoo.js';

/** Compares the data with the model's simulations of them. */
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
  // Before the cross-validation, which waits for it.
  const replicated = useCancellable(run, predictions.length === 0, replicatedOf, isReplicable);
  const loo = useLoo(run);
  const isCancelled = useStore(({ derivingChoices }) => derivingChoices[run.id]?.isCancelled === true);
  const found = useMemo(() => {
    const { data, levels = [] } = run.source;
    if (replicated instanceof Object && 'columns' in replicated) {
      return predictionsIn(data, replicated.columns).map((each) => checkedOf(each, replicated, data, levels));
    }
    return fit === undefined ? [] : predictions.map((each) => checkedOf(each, fit, data, levels));
  }, [fit, predictions, replicated, run.source]);
  if (!over) return <p className="empty">{t('plots.predictiveWhenOver')}</p>;
  if (fit === undefined && run.draws > 0) return <p className="empty">{t('tables.loading')}</p>;
  const isDerived = predictions.length === 0 && found.length > 0;
  const hasTerms = names.some((name) => variableOf(name) === LOG_LIKELIHOOD);
  const isDeriving = isDerivable(run, fit);
  const lacksReplicated = isReplicable(run, fit) && found.length === 0 && replicated === undefined;
  const lacksSimulations = found.length === 0 && !lacksReplicated;
  const lacksTerms = !hasTerms && run.isPrior !== true && (isDeriving ? loo !== undefined && 'unclear' in loo : true);
  const isLeavingOut = hasTerms ? run.draws > 1 : isDeriving && !lacksReplicated;
  const draws = fit === undefined ? 0 : fit.draws * fit.chains.length;
  const observations = loo !== undefined && 'observations' in loo ? loo.observations.length : 0;
  const unclear = [replicated, loo].flatMap((each) => (each !== undefined && 'unclear' in each ? [each.unclear] : []));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard, also before anything in it can be focused
    <section className="scrolls predictive" aria-label={t('plots.predictive')} tabIndex={0}>
      <DerivingNote run={run} draws={draws} />
      {lacksReplicated && !isCancelled && <DerivingProgress run={run} draws={draws} isLeavingOut={false} />}
      {run.isPrior === true && found.length > 0 && <p className="prose">{t('plots.priorPredictive')}</p>}
      {found.map((checked) => (
        <PredictiveFigures key={checked.name} run={run} checked={checked} hasLoo={loo !== undefined && 'elpd' in loo} />
      ))}
      {found.length > 0 && run.isPrior !== true && run.source.program.trim() !== '' && <PriorPredictive />}
      {isDerived && <p className="prose muted">{t('plots.derived')}</p>}
      {isLeavingOut && loo === undefined && !isCancelled && <DerivingProgress run={run} draws={draws} isLeavingOut />}
      <LooView loo={loo} run={run} />
      {isDeriving && fit !== undefined && observations > 1 && (
        <KfoldView key={run.id} run={run} fit={fit} observations={observations} groups={groupsIn(found)} />
      )}
      <MissingQuantities lacksSimulations={lacksSimulations} lacksTerms={lacksTerms} unclear={unclear} />
    </section>
  );
}

/** Starts a run of the prior, whose predictive checks then replace those of the posterior. */
function PriorPredictive() {
  const start = async () => {
    const reason = await startPrior();
    if (reason !== undefined) notify(t('compare.priorUnclear', { reason }));
  };
  return (
    <p className="prose">
      <button type="button" onClick={() => void start()}>
        {t('plots.fromPrior')}
      </button>
      <Term name="priorPredictive" label={t('plots.fromPrior')} />
    </p>
  );
}

/** Data variables whose values are groups of the observations of all outcomes. */
function groupsIn(outcomes: readonly Checked[]): readonly Companion[] {
  const [first, ...others] = outcomes.map(({ companions }) => companions);
  const isShared = ({ name }: Companion) => others.every((each) => each.some((companion) => companion.name === name));
  // A column of a matrix is not a variable.
  return (first ?? []).filter((each) => each.areGroups && !each.name.includes('[') && isShared(each));
}

function checkedOf(prediction: Prediction, simulated: Fit, data: string, levels: readonly IndexLevels[]): Checked {
  const { columns, name, observed } = prediction;
  // Reading single columns of all draws would block the page.
  const few = simulated.thin(MOST_SIMULATIONS);
  return {
    name,
    observed,
    prediction,
    fit: simulated,
    simulated: simulatedSets(columns.map((column) => evenColumn(few, column))),
    companions: accompanying(data, prediction).map((companion) => {
      const labels = levels.find(({ variable }) => variable === companion.name)?.labels;
      return labels === undefined ? companion : { ...companion, labels };
    }),
  };
}
