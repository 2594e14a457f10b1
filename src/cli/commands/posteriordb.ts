import { Command } from 'commander';
import { summariesOf } from '../../fits/statistics.js';
import { displayName } from '../../formats/columns.js';
import { type ComparedQuantity, compareWithReference } from '../../inference/validation/reference-comparison.js';
import { nearestName } from '../../language/suggestion.js';
import { compile } from '../../node/library/index.js';
import { type DatabasePosterior, PosteriorDatabase } from '../../node/posteriordb.js';
import { readProgram } from '../../node/program-files.js';
import { printData, printProblem } from '../../node/standard-streams.js';
import { CommandError } from '../errors.js';
import { type FitFlags, fitFields, withFitFlags } from '../options/fit-flags.js';
import { digitsOption, formatOption } from '../options/table-options.js';
import { integer } from '../options/values.js';
import { Interruption } from '../running/interruption.js';
import { withLibrary } from '../running/library-errors.js';
import { reportText } from '../running/run-report.js';
import { modelTable } from '../tables/tables.js';

interface PosteriordbFlags extends FitFlags {
  readonly database: string;
  readonly list: boolean;
  readonly chains: number;
  readonly sigFigs: number;
  readonly format: string;
}

/** `leapfrog posteriordb`: samples a posterior of posteriordb and compares the draws with its reference draws. */
export function posteriordbCommand(): Command {
  const command = new Command('posteriordb')
    .description(
      'Sample a posterior of posteriordb, and compare means and standard deviations with its reference draws. Exits with 1 if they differ. ' +
        'Reads a checkout of https://github.com/stan-dev/posteriordb.',
    )
    .argument('[name]', 'name or alias of a posterior')
    .requiredOption('--database <folder>', 'checkout of posteriordb')
    .option('--list', 'list the posteriors instead', false)
    .option('--chains <integer>', 'Markov chains', integer(1), 4)
    .addOption(digitsOption())
    .addOption(formatOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ leapfrog posteriordb --database posteriordb --list\n' +
        '  $ leapfrog posteriordb eight_schools-eight_schools_noncentered --database posteriordb --delta 0.95',
    )
    .action((name: string | undefined, flags: PosteriordbFlags) => {
      const database = new PosteriorDatabase(flags.database);
      if (flags.list) return list(database, flags);
      if (name === undefined) throw new CommandError('error: pass the name of a posterior, or --list');
      const posterior = database.posterior(knownName(database, name));
      const interruption = new Interruption();
      return interruption.during(() => check(database, posterior, flags, interruption.signal));
    });
  return withFitFlags(command, 'iterations of each chain after warmup');
}

function list(database: PosteriorDatabase, { format, sigFigs: digits }: PosteriordbFlags): void {
  const rows = database.names().map((name) => database.posterior(name));
  const cells = ({ dimension, name, reference }: DatabasePosterior) => [
    name,
    `${dimension}`,
    reference === undefined ? 'no' : 'yes',
  ];
  printData(modelTable(['quantities', 'reference_draws'], rows, cells, { digits, format }));
}

/** The name of a posterior, from its name or alias. */
function knownName(database: PosteriorDatabase, given: string): string {
  const names = database.names();
  const aliases = database.aliases();
  const name = aliases.get(given) ?? given;
  if (names.includes(name)) return name;
  const nearest = nearestName(given, [...names, ...aliases.keys()]);
  const hint = nearest === undefined ? '--list lists the posteriors.' : `Did you mean ${nearest}?`;
  throw new CommandError(`error: the database has no posterior ${given}. ${hint}`);
}

async function check(
  database: PosteriorDatabase,
  posterior: DatabasePosterior,
  flags: PosteriordbFlags,
  signal: AbortSignal,
): Promise<void> {
  const reference = database.referenceDraws(posterior);
  if (reference === undefined) {
    const path = database.program(posterior);
    throw new CommandError(
      `error: the database has no reference draws of ${posterior.name}. Its program can be sampled: ${path}`,
    );
  }
  const { name, ...source } = readProgram(database.program(posterior), []);
  const data = database.data(posterior);
  await withLibrary(signal, async () => {
    const model = await compile(source.program, { name, includes: source.includes, signal });
    const fit = await model.sample({ data, num_chains: flags.chains, ...fitFields(flags) }, { signal }).result();
    const drawn = new Set(fit.columns.map(displayName));
    const variables = reference.flatMap((each) => (drawn.has(each.name) ? [each.name] : []));
    const comparison = compareWithReference(await fit.summary({ variables }), summariesOf(reference));
    const { message, ok, quantities } = comparison;
    if (flags.format === 'json') {
      printData(`${JSON.stringify({ posterior: posterior.name, ...comparison }, null, 2)}\n`);
    } else {
      printData(modelTable(HEADINGS, quantities, cells, { digits: flags.sigFigs, format: flags.format }));
    }
    const problems = (await fit.diagnose()).filter((finding) => !finding.ok);
    if (problems.length > 0) printProblem(reportText(problems));
    if (flags.format === 'table') printData(`\n${message}\n`);
    else printProblem(`${message}\n`);
    if (!ok) process.exitCode = 1;
  });
}

const HEADINGS = ['mean', 'reference_mean', 'z_mean', 'sd', 'reference_sd', 'z_sd'];

function cells({ mean, name, sd }: ComparedQuantity, text: (value: number) => string): readonly string[] {
  return [name, ...[mean, sd].flatMap(({ found, reference, z }) => [text(found), text(reference), text(z)])];
}
