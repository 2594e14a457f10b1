/** The report of a run as a self-contained HTML document, like `leapfrog report`. */
import type { Fit } from 'leapfrog';
import type { Statement } from '#engine/base/statement.js';
import { LOG_LIKELIHOOD } from '#engine/derive/derived-names.js';
import { keyQuantities } from '#engine/fits/key-quantities.js';
import { accompanying, predictionsIn, simulatedSets } from '#engine/fits/predictions.js';
import { displayName, variableOf } from '#engine/formats/columns.js';
import { keyQuantitiesSection, plotSections } from '#engine/plots/report/plots.js';
import { reportPage } from '#engine/plots/report/report.js';
import { chosenQuantities } from '../plots/choosing.js';
import { headlineOf } from '../run/headline-text.js';
import { type Labeling, labelingOf } from '../run/labeling.js';
import { columnOf, quantitiesOf } from '../state/fits.js';
import { nameOf, type Run } from '../state/run.js';
import { looOf } from '../state/statistics.js';
import { areKnown, currentLanguage, plotWords, stated, t } from '../words/messages.js';

/** Maximum number of quantities with plots. */
const MOST = 8;

export async function reportOf(run: Run, fit: Fit, project: string): Promise<string> {
  const { data } = run.source;
  const read = (name: string) => columnOf(fit, name) ?? [];
  const column = (name: string) => columnOf(fit, name);
  const summaries = await fit.summary();
  const labeling = await labelingOf(run);
  const key = new Set(keyQuantities(summaries.map(({ name }) => name)));
  const hasTerms = fit.columns.some((name) => variableOf(name) === LOG_LIKELIHOOD);
  const loo = hasTerms ? await looOf(run, fit).catch(() => undefined) : undefined;
  const plotted = chosenQuantities(keyQuantities(quantitiesOf(fit.columns)), '', run.generated).together.slice(0, MOST);
  return reportPage({
    title: [project, nameOf(run)].join(', '),
    about: [
      `${t('runs.drawCount', { count: fit.draws, chains: fit.chains.length })}.`,
      ...(run.note ? [run.note] : []),
    ],
    language: currentLanguage(),
    words: plotWords,
    ...(run.findings && { headline: headlineOf(run, run.findings) }),
    findings: (run.findings ?? []).map(inWords),
    answers: keyQuantitiesSection(
      labeled(
        summaries.filter(({ name }) => key.has(name)),
        labeling,
      ),
      fit.chains.length,
      plotWords,
    ),
    summaries: labeled(summaries, labeling),
    loo: loo && inWords(loo),
    sections: plotSections({
      words: plotWords,
      quantities: plotted.map((name) => ({ name: labeling(displayName(name)), chains: read(name) })),
      column,
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

/** The same with labels of levels in their names. */
export function labeled<Each extends { readonly name: string }>(
  all: readonly Each[],
  labeling: Labeling,
): readonly Each[] {
  return all.map((each) => ({ ...each, name: labeling(each.name) }));
}

/** A result with its message in the language of the page. */
export function inWords<Result extends { readonly message: string; readonly statements: readonly Statement[] }>(
  result: Result,
): Result {
  return areKnown(result.statements) ? { ...result, message: stated(result.statements) } : result;
}
