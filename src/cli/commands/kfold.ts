import { Command } from 'commander';
import { streamText } from '../../inference/number-text.js';
import { calibrationProgress, compile, type Refits, type Run, refitsIn } from '../../node/library/index.js';
import { readProgram } from '../../node/program-files.js';
import { printData, printProblem } from '../../node/standard-streams.js';
import { FEWEST_FOLDS, USUAL_FOLDS, USUAL_REFIT_CHAINS } from '../../requests/refit-request.js';
import { readValues } from '../draws/data-file.js';
import { CommandError } from '../errors.js';
import { type FitFlags, fitFields, withFitFlags } from '../options/fit-flags.js';
import { includePathOption } from '../options/program.js';
import { digitsOption, formatOption } from '../options/table-options.js';
import { integer } from '../options/values.js';
import { Interruption } from '../running/interruption.js';
import { withLibrary } from '../running/library-errors.js';
import { estimatesTable } from '../tables/estimates-table.js';
import { cellText, csvTable } from '../tables/tables.js';

interface KfoldFlags extends FitFlags {
  readonly data?: string;
  readonly folds?: number;
  readonly groups?: string;
  readonly chains: number;
  readonly includePath: readonly string[];
  readonly sigFigs: number;
  readonly format: string;
}

/** `leapfrog kfold`: estimates the accuracy of predictions of left-out groups of observations. */
export function kfoldCommand(): Command {
  const command = new Command('kfold')
    .description(
      'Estimate how well the model predicts observations that were left out: K-fold cross-validation, which fits the program without each group of ' +
        'observations. The log likelihood is derived from the program.',
    )
    .argument('<program>', 'file with a Stan program; - for standard input')
    .option('--data <file>', 'data as JSON, or as an R dump (.R)')
    .option(
      '--folds <integer>',
      `number of random groups; with the number of observations, each is left out alone (default: ${USUAL_FOLDS})`,
      integer(FEWEST_FOLDS),
    )
    .option('--groups <name>', 'variable in the data with the group number of each observation, instead of --folds')
    .option('--chains <integer>', 'Markov chains of each fit', integer(1), USUAL_REFIT_CHAINS)
    .addOption(includePathOption())
    .addOption(digitsOption())
    .addOption(formatOption('one row per observation'))
    .addHelpText(
      'after',
      '\nExamples:\n  $ leapfrog kfold model.stan --data data.json --folds 10 --seed 1\n  $ leapfrog kfold model.stan --data data.json --groups school',
    )
    .action((path: string, flags: KfoldFlags) => {
      const interruption = new Interruption();
      return interruption.during(() => kfold(path, flags, interruption.signal));
    });
  return withFitFlags(command, 'iterations of each chain after warmup');
}

async function kfold(path: string, flags: KfoldFlags, signal: AbortSignal): Promise<void> {
  const { chains, data: file, folds, groups } = flags;
  if (folds !== undefined && groups !== undefined)
    throw new CommandError('error: --groups cannot be combined with --folds.');
  const { name, ...source } = readProgram(path, flags.includePath);
  const data = file === undefined ? '{}' : readValues(file);
  const found = await withLibrary(signal, async () => {
    const model = await compile(source.program, { name, includes: source.includes, signal });
    const held = groups === undefined ? { folds: folds ?? USUAL_FOLDS } : { groups };
    return withProgress(model.startKfold({ data, ...held, num_chains: chains, ...fitFields(flags) }, { signal }));
  });
  printData(TEXTS[flags.format]?.(found, flags.sigFigs) ?? '');
  if (flags.format !== 'table') printProblem(`${found.message}\n`);
}

/** The result of refits. Shows their progress on a terminal. */
async function withProgress(run: Run): Promise<Refits> {
  const { stderr } = process;
  for await (const count of stderr.isTTY ? calibrationProgress(run) : []) stderr.write(`\rRefits: ${count}`);
  if (stderr.isTTY) stderr.write('\n');
  return refitsIn(await run.result());
}

const TEXTS: Readonly<Record<string, (refits: Refits, digits: number) => string>> = {
  table: ({ elpd, kfoldic, mcse, message, observations, ok, refits }, digits) => {
    const table = estimatesTable({ elpd_kfold: elpd, kfoldic }, digits);
    const error = `Monte Carlo standard error of elpd_kfold: ${cellText(mcse, digits)}.`;
    const count = `${observations.length} observations in ${refits.length} folds.`;
    return `${table}\n${count} ${error}\n${ok ? '' : 'warning: '}${message}\n`;
  },
  csv: ({ observations }) =>
    csvTable([
      ['name', 'fold', 'elpd_kfold', 'mcse_elpd_kfold'],
      ...observations.map(({ elpd, fold, mcse, name }) => [
        name,
        `${fold}`,
        streamText(elpd, 17),
        streamText(mcse, 17),
      ]),
    ]),
  json: (refits) => `${JSON.stringify(refits, null, 2)}\n`,
};
