import { Command } from 'commander';
import { streamText } from '../inference/number-text.js';
import { type Compared, cautions, compareModels, type Validated } from '../inference/validation/comparison.js';
import { printData, printProblem } from '../node/standard-streams.js';
import { LOG_LIKELIHOOD } from '../run/cross-validation.js';
import { CommandError } from './errors.js';
import { leaveOneOutOf, withDraws } from './finished-draws.js';
import { digitsOption, formatOption } from './table-options.js';
import { alignedTable, cellText, csvTable } from './tables.js';

interface CompareFlags {
  readonly variable: string;
  readonly sigFigs: number;
  readonly format: string;
}

/** `leapfrog compare`: which of several models of the same observations predicts best. */
export function compareCommand(): Command {
  return new Command('compare')
    .description('Compare how well models predict the same observations, by leave-one-out cross-validation.')
    .argument('<files...>', 'files with draws; files that differ only in the suffix _1, _2, … are chains of one fit')
    .option('--variable <name>', 'variable with the log likelihood of each observation', LOG_LIKELIHOOD)
    .addOption(digitsOption())
    .addOption(formatOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ leapfrog compare pooled-sample_*.csv hierarchical-sample_*.csv\n  $ leapfrog compare pooled.arrow hierarchical.arrow',
    )
    .action(async (paths: string[], { format, sigFigs, variable }: CompareFlags) => {
      const models: Validated[] = [];
      for (const [name, files] of fitsOf(paths)) {
        const { message, observations, ok } = await withDraws(files, (draws) => leaveOneOutOf(draws, variable));
        if (!ok) printProblem(`warning: ${name}: ${message}\n`);
        models.push({ name, leftOut: observations });
      }
      refuseDifferent(models);
      const compared = compareModels(models);
      for (const caution of cautions(compared, models[0].leftOut.length)) printProblem(`note: ${caution}\n`);
      printData(TEXTS[format]?.(compared, sigFigs) ?? '');
    });
}

/** Files by the names of their fits: paths without the number of the chain and the extension. */
export function fitsOf(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const fits = new Map<string, string[]>();
  for (const path of paths) {
    const name = path.replace(/\.\w+$/, '').replace(/_\d+$/, '');
    fits.set(name, [...(fits.get(name) ?? []), path]);
  }
  return fits;
}

function refuseDifferent(models: readonly Validated[]): void {
  const [first, ...others] = models;
  if (others.length === 0) {
    throw new CommandError(
      `error: all files belong to one fit, ${first.name}; name the files of at least one other fit`,
    );
  }
  const other = others.find(({ leftOut }) => leftOut.length !== first.leftOut.length);
  if (other === undefined) return;
  throw new CommandError(
    `error: ${first.name} has ${first.leftOut.length} observations and ${other.name} ${other.leftOut.length}: ` +
      'a comparison requires the same observations',
  );
}

const HEADINGS = ['elpd_diff', 'se_diff', 'p_worse', 'elpd_loo', 'stacking', 'pseudo_bma_plus'];

const TEXTS: Readonly<Record<string, (compared: readonly Compared[], digits: number) => string>> = {
  table: (compared, digits) =>
    alignedTable([['', ...HEADINGS], ...compared.map((each) => cells(each, (value) => cellText(value, digits)))]),
  csv: (compared) =>
    csvTable([['name', ...HEADINGS], ...compared.map((each) => cells(each, (value) => streamText(value, 17)))]),
  json: (compared) => `${JSON.stringify(compared, null, 2)}\n`,
};

function cells(compared: Compared, text: (value: number) => string) {
  const { name, difference, elpd, probabilityWorse, pseudoBmaPlus, stacking, standardError } = compared;
  const probability = Number.isNaN(probabilityWorse) ? '' : text(probabilityWorse);
  return [name, text(difference), text(standardError), probability, ...[elpd, stacking, pseudoBmaPlus].map(text)];
}
