/** The report of a run as a self-contained HTML document, like `leapfrog report`. */
import type { Fit } from 'leapfrog';
import { LOG_LIKELIHOOD } from '#engine/derive/derived-names.js';
import { displayName, variableOf } from '#engine/formats/columns.js';
import { keyQuantitiesSection, plotSections } from '#engine/plots/report/plots.js';
import { reportPage } from '#engine/plots/report/report.js';
import { keyQuantities } from '#engine/run/key-quantities.js';
import { accompanying, predictionsIn, simulatedSets } from '#engine/run/predictions.js';
import { chosenQuantities } from '../plots/choosing.js';
import { columnOf, quantitiesOf } from '../state/fits.js';
import { nameOf, type Run } from '../state/run.js';
import { looOf } from '../state/statistics.js';

/** Maximum number of quantities with plots. */
const MOST = 8;

export async function reportOf(run: Run, fit: Fit, project: string): Promise<string> {
  const { data } = run.source;
  const read = (name: string) => columnOf(fit, name) ?? [];
  const own = (name: string) => columnOf(fit, name);
  const summaries = await fit.summary();
  const key = new Set(keyQuantities(summaries.map(({ name }) => name)));
  const hasTerms = fit.columns.some((name) => variableOf(name) === LOG_LIKELIHOOD);
  const loo = hasTerms ? await looOf(run, fit).catch(() => undefined) : undefined;
  const plotted = chosenQuantities(keyQuantities(quantitiesOf(fit.columns)), '', run.generated).together.slice(0, MOST);
  return reportPage({
    title: [project, nameOf(run)].join(', '),
    about: [`${fit.chains.length} chains of ${fit.draws} draws after warmup`, ...(run.note ? [run.note] : [])],
    findings: run.findings ?? [],
    answers: keyQuantitiesSection(
      summaries.filter(({ name }) => key.has(name)),
      fit.chains.length,
    ),
    summaries,
    loo,
    sections: plotSections({
      quantities: plotted.map((name) => ({ name: displayName(name), chains: read(name) })),
      divergent: own('divergent__'),
      energy: own('energy__'),
      treeDepth: own('treedepth__'),
      stepSize: own('stepsize__'),
      acceptance: own('accept_stat__'),
      loo,
      predictions: predictionsIn(data, fit.columns).map((prediction) => ({
        name: prediction.name,
        observed: prediction.observed,
        simulated: simulatedSets(prediction.columns.map(read)),
        companions: accompanying(data, prediction),
        leftOut: undefined,
      })),
    }),
  });
}
