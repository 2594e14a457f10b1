import { Command } from 'commander';
import { printText } from '../../node/standard-streams.js';
import { statisticsOf, withDraws } from '../draws/finished-draws.js';
import { integer } from '../options/values.js';

/** `leapfrog diagnose`: reports whether draws are reliable, and what to do if they are not. */
export function diagnoseCommand(): Command {
  return new Command('diagnose')
    .description('Check draws for divergences, tree depth, E-BFMI, R-hat and effective sample sizes.')
    .argument('<files...>', 'CSV, Arrow, netCDF (ArviZ) or NDJSON files with the chains of one fit')
    .option('--max-depth <integer>', 'max_depth of the sampler, if not in the files', integer(1))
    .addHelpText('after', '\nExamples:\n  $ leapfrog diagnose model-sample_*.csv\n  $ leapfrog diagnose draws.arrow')
    .action(async (paths: string[], { maxDepth }: { readonly maxDepth?: number }) => {
      const found = await withDraws(paths, (draws) => {
        const { function: name, maximumDepth } = draws;
        return statisticsOf(draws).diagnose({ function: name, maximumDepth: maxDepth ?? maximumDepth });
      });
      for (const { message, ok } of found) printText(`${ok ? 'ok     ' : 'problem'}  ${message}\n`);
      const problems = found.filter(({ ok }) => !ok).length;
      printText(
        problems === 0 ? '\nNo problems detected.\n' : `\n${problems} of ${found.length} checks found a problem.\n`,
      );
    });
}
