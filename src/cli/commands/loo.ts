import { Command } from 'commander';
import { LOG_LIKELIHOOD } from '../../derive/derived-names.js';
import type { LeaveOneOut } from '../../fits/cross-validation.js';
import { streamText } from '../../inference/number-text.js';
import { readProgram } from '../../node/program-files.js';
import { printData } from '../../node/standard-streams.js';
import { readValues } from '../draws/data-file.js';
import { type FinishedDraws, leaveOneOutMatchedOf, leaveOneOutOf, withDraws } from '../draws/finished-draws.js';
import { CommandError } from '../errors.js';
import { includePathOption } from '../options/program.js';
import { digitsOption, formatOption } from '../options/table-options.js';
import { integer } from '../options/values.js';
import { estimatesTable } from '../tables/estimates-table.js';
import { cellText, csvTable } from '../tables/tables.js';

interface LooFlags {
  readonly variable: string;
  readonly program?: string;
  readonly momentMatch: boolean;
  readonly exact: boolean;
  readonly numWarmup: number;
  readonly numSamples: number;
  readonly seed: number;
  readonly data?: string;
  readonly includePath: readonly string[];
  readonly sigFigs: number;
  readonly format: string;
}

/** `leapfrog loo`: estimates the accuracy of predictions of left-out observations. */
export function looCommand(): Command {
  return new Command('loo')
    .description(
      'Estimate how well the model predicts each observation from all others: leave-one-out cross-validation by Pareto-smoothed ' +
        'importance sampling.',
    )
    .argument('<files...>', 'CSV, Arrow, netCDF (ArviZ) or NDJSON files with the chains of one fit')
    .option('--variable <name>', 'variable with the log likelihood of each observation', LOG_LIKELIHOOD)
    .option('--program <file>', 'Stan program from which the log likelihood is derived if the draws do not contain it')
    .option('--moment-match', 'use moment matching for observations with a high Pareto k; requires --program', false)
    .option(
      '--exact',
      'fit the program without each observation whose Pareto k is still high; requires --program',
      false,
    )
    .option('--num-warmup <integer>', 'with --exact, warmup iterations of each chain', integer(0), 1000)
    .option('--num-samples <integer>', 'with --exact, iterations of each chain after warmup', integer(1), 1000)
    .option('--seed <integer>', 'with --exact, seed of the random numbers', integer(0), 1)
    .option('--data <file>', 'data of the program as JSON, or as an R dump (.R)')
    .addOption(includePathOption())
    .addOption(digitsOption())
    .addOption(formatOption('one row per observation'))
    .addHelpText(
      'after',
      '\nExamples:\n  $ leapfrog loo model-sample_*.csv\n  $ leapfrog loo model-sample_*.csv --program model.stan --data data.json\n  $ leapfrog loo model-sample_*.csv --program model.stan --data data.json --exact --seed 1\n  $ leapfrog loo draws.arrow --variable log_likelihood --format csv',
    )
    .action(async (paths: string[], flags: LooFlags) => {
      const weighed = await withDraws(paths, (draws) => crossValidated(draws, flags), [flags.program, flags.data]);
      const loo = flags.format === 'json' ? await withOutcomes(weighed, flags) : weighed;
      printData(TEXTS[flags.format]?.(loo, flags.sigFigs) ?? '');
    });
}

async function crossValidated(
  draws: FinishedDraws,
  { data, exact, includePath, momentMatch, program, variable, ...settings }: LooFlags,
): Promise<LeaveOneOut> {
  const files = program === undefined ? undefined : { program, includePath, ...(data !== undefined && { data }) };
  if (!momentMatch && !exact) return leaveOneOutOf(draws, variable, files);
  if (files === undefined) {
    throw new CommandError(`error: ${exact ? '--exact' : '--moment-match'} requires --program and --data.`);
  }
  if (!exact) return leaveOneOutMatchedOf(draws, files);
  const { numSamples: num_samples, numWarmup: num_warmup, seed: random_seed } = settings;
  const { leaveOneOutExactlyOf } = await import('./exact-loo.js');
  return leaveOneOutExactlyOf(draws, files, { momentMatch, sampler: { num_samples, num_warmup, random_seed } });
}

/**
 * Adds the outcomes of the program and their values, with which `leapfrog compare` checks that observations are the
 * same.
 */
async function withOutcomes(loo: LeaveOneOut, { data, includePath, program }: LooFlags): Promise<LeaveOneOut> {
  if (program === undefined) return loo;
  const { observedIn } = await import('../../studies/observed-outcomes.js');
  const values = data === undefined ? '{}' : readValues(data);
  const source = readProgram(program, includePath);
  return { ...loo, observed: observedIn({ source, data: values, count: loo.observations.length }) };
}

const TEXTS: Readonly<Record<string, (loo: LeaveOneOut, digits: number) => string>> = {
  table: tableText,
  csv: ({ observations }) =>
    csvTable([
      ['name', 'elpd_loo', 'mcse_elpd_loo', 'p_loo', 'pareto_k'],
      ...observations.map(({ name, elpd, mcse, effectiveParameters, paretoK }) => [
        name,
        ...[elpd, mcse, effectiveParameters, paretoK].map((value) => streamText(value, 17)),
      ]),
    ]),
  json: (loo) => `${JSON.stringify(loo, null, 2)}\n`,
};

function tableText({ elpd, effectiveParameters, looic, mcse, message, observations, ok }: LeaveOneOut, digits: number) {
  const table = estimatesTable({ elpd_loo: elpd, p_loo: effectiveParameters, looic }, digits);
  const error = Number.isNaN(mcse) ? '' : `Monte Carlo standard error of elpd_loo: ${cellText(mcse, digits)}.\n`;
  const count = observations.length === 1 ? '1 observation' : `${observations.length} observations`;
  return `${table}\n${count}. ${error}${ok ? '' : 'warning: '}${message}\n`;
}
