import { Command, Option } from 'commander';
import { streamText } from '../inference/number-text.js';
import { type Calibration, CompileError, close, compile, RequestError, RunError } from '../node/library/index.js';
import { readProgram } from '../node/program-files.js';
import { printData, printProblem } from '../node/standard-streams.js';
import { readValues } from './data-file.js';
import { CommandError, INTERRUPTED } from './errors.js';
import { Interruption } from './interruption.js';
import { includePathOption } from './program.js';
import { alignedTable, cellText, csvTable } from './tables.js';
import { integer } from './values.js';

interface SbcFlags {
  readonly data?: string;
  readonly includePath: readonly string[];
  readonly simulations: number;
  readonly numWarmup: number;
  readonly numSamples: number;
  readonly seed: number;
  readonly format: string;
}

/** `leapfrog sbc`: whether a program and a sampler recover parameters of simulated data. */
export function sbcCommand(): Command {
  return new Command('sbc')
    .description(
      'Simulation-based calibration: draw parameters from the prior and data from the likelihood, fit each data set, and test whether ' +
        'the ranks of the parameters are uniform. Exits with 1 if they are not.',
    )
    .argument('<program>', 'file with a Stan program; - for standard input')
    .option('--data <file>', 'sizes and predictors as JSON, or as an R dump (.R); values of outcomes do not matter')
    .option('--simulations <integer>', 'number of data sets', integer(10), 100)
    .option('--num-warmup <integer>', 'warmup iterations of each fit', integer(0), 1000)
    .option('--num-samples <integer>', 'iterations of each fit after warmup, of which 100 count', integer(1), 1000)
    .option('--seed <integer>', 'seed', integer(0), 1)
    .addOption(includePathOption())
    .addOption(
      new Option('--format <word>', 'output format; csv has the ranks of each fit')
        .choices(['table', 'csv', 'json'])
        .default('table'),
    )
    .addHelpText('after', '\nExamples:\n  $ leapfrog sbc model.stan --data sizes.json --simulations 200 --seed 1')
    .action((path: string, flags: SbcFlags) => {
      const interruption = new Interruption();
      return interruption.during(() => sbc(path, flags, interruption.signal));
    });
}

async function sbc(path: string, flags: SbcFlags, signal: AbortSignal): Promise<void> {
  const { name, ...source } = readProgram(path, flags.includePath);
  const data = flags.data === undefined ? '{}' : readValues(flags.data);
  try {
    const model = await compile(source.program, { name, includes: source.includes, signal });
    const { numSamples: num_samples, numWarmup: num_warmup, seed: random_seed, simulations } = flags;
    const found = await model.sbc({ data, simulations, num_samples, num_warmup, random_seed }, { signal });
    printData(TEXTS[flags.format]?.(found) ?? '');
    if (flags.format !== 'table') printProblem(`${found.message}\n`);
    if (!found.ok) process.exitCode = 1;
  } catch (error) {
    if (signal.aborted) throw new CommandError('Interrupted.', INTERRUPTED);
    if (error instanceof CompileError) throw new CommandError(error.message);
    const isKnown = error instanceof RunError || error instanceof RequestError;
    throw isKnown ? new CommandError(`error: ${error.message}`) : error;
  } finally {
    close();
  }
}

const TEXTS: Readonly<Record<string, (calibration: Calibration) => string>> = {
  table: ({ message, quantities }) => {
    const rows = quantities.map(({ differences, name, probability }) => [
      name,
      cellText(Math.max(...differences.map(Math.abs)), 3),
      cellText(probability, 3),
    ]);
    return `${alignedTable([['', 'difference', 'p'], ...rows])}\n${message}\n`;
  },
  csv: ({ quantities, simulations }) =>
    csvTable([
      quantities.map(({ name }) => name),
      ...Array.from({ length: simulations }, (_, index) => quantities.map(({ ranks }) => streamText(ranks[index], 17))),
    ]),
  json: (calibration) => `${JSON.stringify(calibration, null, 2)}\n`,
};
