import type { Fit, LeftOutTransforms, Prediction } from 'leapfrog';
import { useEffect, useState } from 'react';
import { looIntervalsPlot } from '#engine/plots/loo-intervals.js';
import { looPitPlot } from '#engine/plots/loo-pit.js';
import {
  dataStatistics,
  type Predicted,
  predictiveDistributionPlot,
  predictiveIntervalsPlot,
  predictiveStatisticPlot,
} from '#engine/plots/predictive.js';
import { type Companion, predictiveByPlot } from '#engine/plots/predictive-by.js';
import { predictiveEcdfPlot } from '#engine/plots/predictive-ecdf.js';
import { errorsPlot, observedAgainstMeanPlot } from '#engine/plots/predictive-means.js';
import { isBinary, reliabilityPlot } from '#engine/plots/reliability.js';
import type { Size } from '#engine/plots/scene.js';
import { twoStatisticsPlot } from '#engine/plots/two-statistics.js';
import type { Run } from '../../state/run.js';
import { transformsOf } from '../../state/statistics.js';
import { t } from '../../words/messages.js';
import { Figure } from './Figure.js';
import { useChosenDraws } from './useDerived.js';
import { useFit } from './useFit.js';

/** An outcome with its simulations, and the data variables by which it can be checked. */
export interface Checked extends Predicted {
  readonly prediction: Prediction;
  /** The draws that contain the simulations. */
  readonly fit: Fit;
  readonly companions: readonly Companion[];
}

/** Data compared with their simulations: overall, per observation, by another variable, and by leave-one-out predictions. */
export function PredictiveFigures({
  run,
  checked,
  hasLoo,
}: {
  readonly run: Run;
  readonly checked: Checked;
  /** Whether leave-one-out cross-validation is available. */
  readonly hasLoo: boolean;
}) {
  const transforms = useTransforms(run, checked, hasLoo);
  return (
    <section className="figures" aria-label={t('plots.predictiveOf', { name: checked.name })}>
      <Figure height={220} isDescribed version={run.id} plot={(size) => predictiveDistributionPlot(checked, size)} />
      <Figure height={220} isDescribed version={run.id} plot={(size) => predictiveIntervalsPlot(checked, size)} />
      {dataStatistics.map((statistic) => (
        <Figure
          key={statistic.key}
          height={150}
          isDescribed
          version={run.id}
          plot={(size) => predictiveStatisticPlot(checked, statistic, size)}
        />
      ))}
      {checked.companions.length > 0 && <ByFigure run={run} checked={checked} />}
      {isBinary(checked) && (
        <Figure height={260} isDescribed hasLegend version={run.id} plot={(size) => reliabilityPlot(checked, size)} />
      )}
      {transforms !== undefined && (
        <Figure
          height={220}
          isDescribed
          version={run.id}
          plot={(size) => looPitPlot({ name: checked.name, ...transforms }, size)}
        />
      )}
      <MoreChecks run={run} checked={checked} transforms={transforms} />
    </section>
  );
}

/** Plots that show the same in other ways. Most are of little use for a binary outcome. */
function MoreChecks({
  run,
  checked,
  transforms,
}: {
  readonly run: Run;
  readonly checked: Checked;
  readonly transforms: LeftOutTransforms | undefined;
}) {
  const [isOpen, setOpen] = useState(false);
  const plots = isBinary(checked)
    ? [errorsPlot]
    : [predictiveEcdfPlot, observedAgainstMeanPlot, errorsPlot, meanAndDeviationPlot];
  return (
    <>
      <p className="figures-note">
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t(isOpen ? 'plots.fewerChecks' : 'plots.moreChecks')}
        </button>
      </p>
      {isOpen && transforms !== undefined && !isBinary(checked) && (
        <Figure
          height={260}
          isDescribed
          hasLegend
          version={run.id}
          plot={(size) => looIntervalsPlot({ name: checked.name, ...transforms }, size)}
        />
      )}
      {isOpen &&
        plots.map((plot) => (
          <Figure
            key={plot.name}
            height={260}
            isDescribed
            hasLegend
            version={run.id}
            plot={(size) => plot(checked, size)}
          />
        ))}
    </>
  );
}

function meanAndDeviationPlot(checked: Predicted, size: Size) {
  const [mean, deviation] = dataStatistics;
  return twoStatisticsPlot(checked, [mean, deviation], size);
}

/** The outcome by a data variable, which the user chooses. */
function ByFigure({ run, checked }: { readonly run: Run; readonly checked: Checked }) {
  const [asked, setAsked] = useState('');
  const { companions } = checked;
  const shown = companions.find(({ name }) => name === asked) ?? companions[0];
  if (shown === undefined) return null;
  return (
    <div className="by-figure">
      {companions.length > 1 && (
        <label className="inline-field">
          {t('plots.by', { name: checked.name })}
          <select value={shown.name} onChange={({ target }) => setAsked(target.value)}>
            {companions.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      <Figure
        height={220}
        isDescribed
        version={`${run.id} ${shown.name}`}
        plot={(size) => predictiveByPlot(checked, shown, size)}
      />
    </div>
  );
}

/** Leave-one-out probability integral transforms; undefined until they are computed, or if they cannot be. */
function useTransforms(run: Run, checked: Checked, hasLoo: boolean): LeftOutTransforms | undefined {
  const { prediction } = checked;
  const fit = useChosenDraws(run, useFit(run));
  const simulated = useChosenDraws(run, checked.fit);
  const [found, setFound] = useState<LeftOutTransforms>();
  useEffect(() => {
    let isWanted = true;
    setFound(undefined);
    if (hasLoo && fit !== undefined && simulated !== undefined) {
      transformsOf(run, fit, prediction, simulated).then(
        (transforms) => isWanted && setFound(transforms),
        // The cross-validation shows the reason.
        () => {},
      );
    }
    return () => {
      isWanted = false;
    };
  }, [run, fit, hasLoo, prediction, simulated]);
  return found;
}
