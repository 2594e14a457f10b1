import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Command } from 'commander';
import { LOG_LIKELIHOOD } from '../../derive/derived-names.js';
import { FitReader } from '../../fit-files/fit-reader.js';
import { displayed } from '../../fits/fit-statistics.js';
import { keyQuantities } from '../../fits/key-quantities.js';
import { accompanying, type Prediction, predictionsIn, simulatedSets } from '../../fits/predictions.js';
import { observationColumns, placesAmong, transformsOf } from '../../fits/predictive-places.js';
import { displayName, placesOf, quantitiesIn, splitNames, variableOf } from '../../formats/columns.js';
import type { Chains } from '../../inference/diagnostics/chains.js';
import { readText } from '../../node/input-files.js';
import { printText } from '../../node/standard-streams.js';
import { keyQuantitiesSection, plotSections } from '../../plots/report/plots.js';
import { reportPage } from '../../plots/report/report.js';
import { type FinishedDraws, leaveOneOutOf, statisticsOf, withDraws } from '../draws/finished-draws.js';
import { CommandError, writing } from '../errors.js';
import { text } from '../options/values.js';

interface ReportFlags {
  readonly output: string;
  readonly data?: string;
  readonly variables?: readonly string[];
  readonly title?: string;
}

/** `leapfrog report`: writes the verdict, summary and plots of draws to one HTML file. */
export function reportCommand(): Command {
  return new Command('report')
    .description('Write a self-contained HTML file with the verdict, summary, plots and predictive checks of draws.')
    .argument('<files...>', 'CSV, Arrow, netCDF (ArviZ) or NDJSON files with the chains of one fit')
    .option('-o, --output <file>', 'HTML file', 'report.html')
    .option('--data <file>', 'data as JSON, for comparison with simulated data such as y_rep')
    .option(
      '--variables <names...>',
      'variables or elements to plot, such as theta or theta[1] (default: the first few)',
    )
    .option('--title <text>', 'heading (default: the name of the first file)', text)
    .addHelpText(
      'after',
      '\nExamples:\n  $ leapfrog report model-sample_*.csv\n  $ leapfrog report draws.arrow --data data.json --variables mu theta --output fit.html',
    )
    .action(async (paths: string[], flags: ReportFlags) => {
      const data = flags.data === undefined ? undefined : readText(flags.data);
      const page = await withDraws(paths, (draws) => pageOf(draws, paths, data, flags));
      writing(flags.output, () => writeFileSync(flags.output, page));
      printText(`Written: ${flags.output}\n`);
    });
}

async function pageOf(
  draws: FinishedDraws,
  paths: readonly string[],
  data: string | undefined,
  { title, variables }: ReportFlags,
): Promise<string> {
  const { contents, ranges } = draws;
  const { columns } = contents;
  const statistics = statisticsOf(draws);
  const quantities = quantitiesIn(columns);
  const read = columnReader(draws);
  const named = (place: number) => ({ name: displayName(columns[place]), chains: read(columns[place]) });
  const column = (name: string) => (columns.includes(name) ? read(name) : undefined);
  const hasLogLikelihood = placesOf(LOG_LIKELIHOOD, columns).length > 1;
  const loo = hasLogLikelihood ? await leaveOneOutOf(draws, LOG_LIKELIHOOD) : undefined;
  const predictions = data === undefined ? [] : predictionsIn(data, columns);
  const summaries = displayed(await statistics.summarize(quantities));
  const shown = new Set(
    variables === undefined
      ? keyQuantities(summaries.map(({ name }) => name))
      : plotted(columns, variables).map((place) => displayName(columns[place])),
  );
  return reportPage({
    title: title ?? basename(paths[0]).replace(/(_\d+)?\.\w+$/, ''),
    about: [paths.join(', '), `${ranges.length} chains of ${ranges[0].count} draws after warmup`],
    findings: await statistics.diagnose(draws),
    answers: keyQuantitiesSection(
      summaries.filter(({ name }) => shown.has(name)),
      ranges.length,
    ),
    summaries,
    loo,
    sections: plotSections({
      quantities: plotted(columns, variables).map(named),
      column,
      loo,
      predictions: predictions.map((each) => ({
        ...predicted(each, read),
        companions: accompanying(data ?? '{}', each),
        leftOut: loo && leftOutPlaces(each, columns, read),
      })),
    }),
  });
}

/** Reads a column's draws after warmup, one array per chain. */
function columnReader({ contents, ranges }: FinishedDraws): (name: string) => Chains {
  const reader = new FitReader();
  return (name) =>
    ranges.map((range) =>
      reader.columns(contents.path, range.chain, 'draws.arrow', range, [contents.columns.indexOf(name)]),
    );
}

function predicted({ columns, name, observed }: Prediction, read: (name: string) => Chains) {
  return { name, observed, simulated: simulatedSets(columns.map(read)) };
}

/**
 * Leave-one-out probability integral transforms of an outcome, if the columns include the log likelihood of each
 * observation.
 */
function leftOutPlaces(prediction: Prediction, columns: readonly string[], read: (name: string) => Chains) {
  const observations = observationColumns(columns, prediction);
  if (observations.length === 0) return undefined;
  const named = (name: string) => ({ name, chains: read(name) });
  const places = observations.flatMap((each) =>
    placesAmong([each], [named(each.logLikelihood)], [named(each.simulated)]),
  );
  return { name: prediction.name, ...transformsOf(places) };
}

/** Maximum number of quantities that are plotted by default, in total and of one variable. */
const FIRST = 8;
const FIRST_OF_EACH = 3;

function plotted(columns: readonly string[], variables: readonly string[] | undefined): readonly number[] {
  if (variables === undefined) {
    const variables = new Map<string, number[]>();
    for (const column of keyQuantities(quantitiesIn(columns).map((place) => columns[place]))) {
      const name = variableOf(column);
      variables.set(name, [...(variables.get(name) ?? []), columns.indexOf(column)].slice(0, FIRST_OF_EACH));
    }
    return [...variables.values()].flat().slice(0, FIRST);
  }
  return variables.flatMap(splitNames).flatMap((name) => {
    const places = placesOf(name, columns);
    if (places.length === 0) throw new CommandError(`error: the draws contain no variable ${name}`);
    return places;
  });
}
