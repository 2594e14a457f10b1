import { Command } from 'commander';
import { type Finding, findings } from '../inference/diagnostics/findings.js';
import { type FinishedDraws, quantitiesIn, summariesOf, withDraws } from './finished-draws.js';
import { integer } from './values.js';

/** CmdStan's limit, where a file does not say what it was. */
const USUAL_DEPTH = 10;

/** `leapfrog diagnose`: whether draws can be relied on, and what to do when they cannot. */
export function diagnoseCommand(): Command {
  return new Command('diagnose')
    .description('Check draws for divergences, tree depth, E-BFMI, R-hat and effective sample sizes.')
    .argument('<files...>', 'CSV, Arrow or NDJSON files with the chains of one fit')
    .option('--max-depth <integer>', 'max_depth of the sampler, if the files do not tell', integer(1))
    .addHelpText('after', '\nExamples:\n  $ leapfrog diagnose model-sample_*.csv\n  $ leapfrog diagnose draws.arrow')
    .action((paths: string[], { maxDepth }: { readonly maxDepth?: number }) => {
      const found = withDraws(paths, (draws) => judge(draws, maxDepth ?? draws.maximumDepth ?? USUAL_DEPTH));
      for (const { message, ok } of found) process.stdout.write(`${ok ? 'ok     ' : 'problem'}  ${message}\n`);
      const problems = found.filter(({ ok }) => !ok).length;
      process.stdout.write(
        problems === 0 ? '\nNo problems detected.\n' : `\n${problems} of ${found.length} checks found a problem.\n`,
      );
    });
}

function judge(draws: FinishedDraws, maximumDepth: number): Finding[] {
  const { contents, perform, ranges } = draws;
  const sampler = perform({ kind: 'sampler', path: contents.path, ranges, maximumDepth });
  const reports = sampler.kind === 'sampler' ? sampler.reports : [];
  return findings(reports, summariesOf(draws, quantitiesIn(draws)), maximumDepth);
}
