import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Command } from 'commander';
import { streamText } from '../../inference/number-text.js';
import { type Calibration, calibrationIn, calibrationProgress, compile, type Run } from '../../node/library/index.js';
import { readProgram } from '../../node/program-files.js';
import { printData, printProblem } from '../../node/standard-streams.js';
import { calibrationSections } from '../../plots/report/plots.js';
import { calibrationPage } from '../../plots/report/report.js';
import { readValues } from '../draws/data-file.js';
import { writing } from '../errors.js';
import { type FitFlags, fitFields, withFitFlags } from '../options/fit-flags.js';
import { includePathOption } from '../options/program.js';
import { formatOption } from '../options/table-options.js';
import { integer } from '../options/values.js';
import { Interruption } from '../running/interruption.js';
import { withLibrary } from '../running/library-errors.js';
import { alignedTable, cellText, csvTable } from '../tables/tables.js';

interface SbcFlags extends FitFlags {
  readonly data?: string;
  readonly includePath: readonly string[];
  readonly simulations: number;
  readonly format: string;
  readonly report?: string;
}

/** `leapfrog sbc`: tests whether a sampler recovers the parameters of data that are simulated from a program. */
export function sbcCommand(): Command {
  const command = new Command('sbc')
    .description(
      'Simulation-based calibration: draw parameters from the prior and data from the likelihood, fit each data set, and test whether ' +
        'the ranks of the parameters are uniform. Exits with 1 if they are not.',
    )
    .argument('<program>', 'file with a Stan program; - for standard input')
    .option('--data <file>', 'sizes and predictors as JSON, or as an R dump (.R); of outcomes, only the sizes are used')
    .option('--simulations <integer>', 'number of data sets, from 10 to 10000', integer(1), 100)
    .addOption(includePathOption())
    .addOption(formatOption('one row per fit, with its ranks'))
    .option('--report <file>', 'HTML file with the verdict and plots of the ranks')
    .addHelpText(
      'after',
      '\nExamples:\n  $ leapfrog sbc model.stan --data sizes.json --simulations 200 --seed 1 --report sbc.html',
    )
    .action((path: string, flags: SbcFlags) => {
      const interruption = new Interruption();
      return interruption.during(() => sbc(path, flags, interruption.signal));
    });
  return withFitFlags(command, 'iterations of each fit after warmup; values are ranked among 100 of these draws');
}

async function sbc(path: string, flags: SbcFlags, signal: AbortSignal): Promise<void> {
  const { name, ...source } = readProgram(path, flags.includePath);
  const data = flags.data === undefined ? '{}' : readValues(flags.data);
  await withLibrary(signal, async () => {
    const model = await compile(source.program, { name, includes: source.includes, signal });
    const { simulations } = flags;
    const fields = { data, simulations, ...fitFields(flags) };
    const found = await withProgress(model.startSbc(fields, { signal }), simulations);
    if (flags.report !== undefined) writeReport(flags.report, name, found);
    printData(TEXTS[flags.format]?.(found) ?? '');
    if (flags.format !== 'table') printProblem(`${found.message}\n`);
    if (!found.ok) process.exitCode = 1;
  });
}

/** The result of a calibration. Shows its progress on a terminal. */
async function withProgress(run: Run, simulations: number): Promise<Calibration> {
  const { stderr } = process;
  for await (const count of stderr.isTTY ? calibrationProgress(run) : []) {
    stderr.write(`\r${count} of ${simulations} simulations${count === simulations ? '\n' : ''}`);
  }
  return calibrationIn(await run.result());
}

function writeReport(path: string, program: string, calibration: Calibration): void {
  const { greatestRank, simulations } = calibration;
  const about = [`${simulations} fits of simulated data, ranks from 0 to ${greatestRank}`];
  const title = `Calibration of ${basename(program).replace(/\.stan$/, '')}`;
  const page = calibrationPage(calibration, { title, about, sections: calibrationSections(calibration) });
  writing(path, () => writeFileSync(path, page));
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
