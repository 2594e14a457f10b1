import { Command } from 'commander';
import { displayed } from '../../fits/fit-statistics.js';
import type { NamedSummary } from '../../fits/statistics.js';
import { placesOf, quantitiesIn, splitNames } from '../../formats/columns.js';
import { streamText } from '../../inference/number-text.js';
import { printData } from '../../node/standard-streams.js';
import { type FinishedDraws, statisticsOf, withDraws } from '../draws/finished-draws.js';
import { CommandError } from '../errors.js';
import { digitsOption, formatOption } from '../options/table-options.js';
import { alignedTable, cellText, csvTable } from '../tables/tables.js';

interface SummaryFlags {
  readonly variables?: readonly string[];
  readonly sigFigs: number;
  readonly format: string;
}

/** Columns of the table with their headings. */
const COLUMNS: readonly (readonly [
  heading: string,
  field: Exclude<keyof NamedSummary, 'name' | 'variation' | 'isSeparated'>,
])[] = [
  ['Mean', 'mean'],
  ['MCSE', 'mcseMean'],
  ['StdDev', 'sd'],
  ['5%', 'q05'],
  ['50%', 'q50'],
  ['95%', 'q95'],
  ['ESS_bulk', 'essBulk'],
  ['ESS_tail', 'essTail'],
  ['R_hat', 'rhat'],
];

/** `leapfrog summary`: summarizes each quantity of the posterior. */
export function summaryCommand(): Command {
  return new Command('summary')
    .description('Summarize draws: means, quantiles, Monte Carlo errors, effective sample sizes and R-hat.')
    .argument('<files...>', 'CSV, Arrow, netCDF (ArviZ) or NDJSON files with the chains of one fit')
    .option('--variables <names...>', 'variables or elements, such as theta or theta[1] (default: all)')
    .addOption(digitsOption())
    .addOption(formatOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ leapfrog summary model-sample_*.csv\n  $ leapfrog summary draws.arrow --variables mu sigma --format csv',
    )
    .action(async (paths: string[], { format, sigFigs, variables }: SummaryFlags) => {
      await withDraws(paths, async (draws) => {
        const columns = variables === undefined ? quantitiesIn(draws.contents.columns) : chosen(draws, variables);
        const summaries = displayed(await statisticsOf(draws).summarize(columns));
        printData(TEXTS[format]?.(summaries, sigFigs) ?? '');
      });
    });
}

function chosen({ contents }: FinishedDraws, variables: readonly string[]): number[] {
  return variables.flatMap(splitNames).flatMap((name) => {
    const places = placesOf(name, contents.columns);
    if (places.length === 0) throw new CommandError(`error: the draws contain no variable ${name}`);
    return places;
  });
}

const TEXTS: Readonly<Record<string, (summaries: readonly NamedSummary[], digits: number) => string>> = {
  table: tableText,
  csv: (summaries) =>
    csvTable([
      ['name', ...COLUMNS.map(([heading]) => heading)],
      ...summaries.map((each) => [each.name, ...numbers(each, 17)]),
    ]),
  json: (summaries) => `${JSON.stringify(summaries, null, 2)}\n`,
};

function tableText(summaries: readonly NamedSummary[], digits: number): string {
  const rows = [
    ['', ...COLUMNS.map(([heading]) => heading)],
    ...summaries.map((each) => [each.name, ...COLUMNS.map(([, field]) => cellText(each[field], digits))]),
  ];
  return alignedTable(rows);
}

function numbers(summary: NamedSummary, digits: number): string[] {
  return COLUMNS.map(([, field]) => streamText(summary[field], digits));
}
