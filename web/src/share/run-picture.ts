/**
 * The results of a run as one picture: verdict, key quantities, plots of predictions, and of the first quantities or, for draws that are not
 * reliable, of the worst ones.
 */
import type { Fit } from 'leapfrog';
import { keyQuantities } from '#engine/fits/key-quantities.js';
import { predictionsIn, simulatedSets } from '#engine/fits/predictions.js';
import { displayName } from '#engine/formats/columns.js';
import { densityPlot } from '#engine/plots/density.js';
import { POSTER_GAP, type PosterRow, poster } from '#engine/plots/poster.js';
import { predictiveDistributionPlot, predictiveIntervalsPlot } from '#engine/plots/predictive.js';
import { keyQuantitiesSection } from '#engine/plots/report/plots.js';
import type { Plot, Quantity, Size } from '#engine/plots/scene.js';
import { tracePlot } from '#engine/plots/trace.js';
import { worstFirst } from '../plots/worst-first.js';
import { headlineOf } from '../run/headline-text.js';
import { labelingOf } from '../run/labeling.js';
import { columnOf, quantitiesOf } from '../state/fits.js';
import { nameOf, type Run } from '../state/run.js';
import { plotWords, t } from '../words/messages.js';
import { inWords, labeled } from './run-report.js';

/** The width of plots that span the picture in reports. */
const WIDTH = 1100;
const COLUMNS = 3;

export async function pictureOf(run: Run, fit: Fit, project: string): Promise<Plot> {
  const summaries = await fit.summary();
  const labeling = await labelingOf(run);
  const key = new Set(keyQuantities(summaries.map(({ name }) => name)));
  const { plots: answers } = keyQuantitiesSection(
    labeled(
      summaries.filter(({ name }) => key.has(name)),
      labeling,
    ),
    fit.chains.length,
    plotWords,
  );
  const names = keyQuantities(quantitiesOf(fit.columns));
  const isReliable = (run.findings ?? []).every(({ ok }) => ok);
  const quantities = (isReliable ? names : worstFirst(names, summaries, fit.chains.length))
    .slice(0, COLUMNS)
    .map((name): Quantity => ({ name: labeling(displayName(name)), chains: columnOf(fit, name) ?? [] }));
  const size = (columns: number): Size => ({
    width: (WIDTH - (columns - 1) * POSTER_GAP) / columns,
    height: 200,
    words: plotWords,
  });
  const predicted = predictionsIn(run.source.data, fit.columns)
    .slice(0, 1)
    .map(({ columns, name, observed }) => ({
      name,
      observed,
      simulated: simulatedSets(columns.map((column) => columnOf(fit, column) ?? [])),
    }));
  const rows: readonly PosterRow[] = [
    { texts: [{ text: `${project}, ${nameOf(run)}`, ink: 'text', size: 22 }, ...verdictOf(run, fit)] },
    { plots: answers },
    { plots: quantities.map((quantity) => tracePlot(quantity, size(COLUMNS))) },
    { plots: quantities.map((quantity) => densityPlot(quantity, size(COLUMNS))) },
    {
      plots: predicted.flatMap((each) => [
        predictiveDistributionPlot(each, size(2)),
        predictiveIntervalsPlot(each, size(2)),
      ]),
    },
  ];
  return poster(
    `${project} ${nameOf(run)}`,
    rows.filter((row) => 'texts' in row || row.plots.length > 0),
    WIDTH,
  );
}

/** The headline, the number of draws, and the findings. */
function verdictOf(run: Run, fit: Fit) {
  const { findings = [], note = '' } = run;
  const isGood = findings.every(({ ok }) => ok);
  const about = `${t('runs.drawCount', { count: fit.draws, chains: fit.chains.length })}. ${note}`.trim();
  return [
    ...(findings.length > 0
      ? [{ text: headlineOf(run, findings), ink: isGood ? 'accent' : 'bad', size: 17 } as const]
      : []),
    { text: about, ink: 'muted', size: 13 } as const,
    ...findings.map((finding) => {
      const { ok } = finding;
      return { text: `${ok ? '✓' : '✗'} ${inWords(finding).message}`, ink: ok ? 'muted' : 'bad', size: 13 } as const;
    }),
  ];
}
