import { Command } from 'commander';
import { streamText } from '../../inference/number-text.js';
import { printData, printProblem } from '../../node/standard-streams.js';
import type { LogEvidence } from '../../studies/evidence.js';
import { logEvidenceOfDraws, withDraws } from '../draws/finished-draws.js';
import { includePathOption } from '../options/program.js';
import { digitsOption, formatOption } from '../options/table-options.js';
import { integer } from '../options/values.js';
import { estimatesTable } from '../tables/estimates-table.js';
import { csvTable } from '../tables/tables.js';

interface EvidenceFlags {
  readonly program: string;
  readonly data?: string;
  readonly includePath: readonly string[];
  readonly seed: number;
  readonly sigFigs: number;
  readonly format: string;
}

/** `leapfrog evidence`: estimates the log evidence of a model. */
export function evidenceCommand(): Command {
  return new Command('evidence')
    .description(
      'Estimate the log evidence (marginal likelihood) of a model from draws of its posterior, by bridge sampling.',
    )
    .argument('<files...>', 'CSV, Arrow, netCDF (ArviZ) or NDJSON files with the chains of one fit')
    .requiredOption('--program <file>', 'Stan program of the fit')
    .option('--data <file>', 'data of the program as JSON, or as an R dump (.R)')
    .addOption(includePathOption())
    .option('--seed <integer>', 'seed of the random numbers', integer(0), 1)
    .addOption(digitsOption(USUAL_DIGITS))
    .addOption(formatOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ leapfrog evidence model-sample_*.csv --program model.stan --data data.json\n  $ leapfrog evidence null-sample_*.csv --program null.stan --data data.json --format json > null.json\n  $ leapfrog compare null.json model.json',
    )
    .action(async (paths: string[], { data, format, includePath, program, seed, sigFigs }: EvidenceFlags) => {
      const files = { program, includePath, ...(data !== undefined && { data }) };
      const evidence = await withDraws(paths, (draws) => logEvidenceOfDraws(draws, files, seed), [program, data]);
      if (!evidence.ok) printProblem(`warning: ${evidence.message}\n`);
      printData(TEXTS[format]?.(evidence, sigFigs) ?? '');
    });
}

const USUAL_DIGITS = 6;

const TEXTS: Readonly<Record<string, (evidence: LogEvidence, digits: number) => string>> = {
  table: ({ draws, logEvidence, message, ok, standardError }, digits) => {
    const table = estimatesTable({ log_evidence: { estimate: logEvidence, standardError } }, digits);
    return `${table}\n${draws} draws.${ok ? ` ${message}` : ''}\n`;
  },
  csv: ({ draws, logEvidence, standardError }) =>
    csvTable([
      ['log_evidence', 'se_log_evidence', 'draws'],
      [logEvidence, standardError, draws].map((value) => streamText(value, 17)),
    ]),
  json: (evidence) => `${JSON.stringify(evidence, null, 2)}\n`,
};
