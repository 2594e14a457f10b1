import { writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { type Family, families, familyNamed } from '../../formula/families.js';
import { type MissingValues, missingValues } from '../../formula/imputation.js';
import { printData, printProblem, visible } from '../../node/standard-streams.js';
import { CommandError, writing } from '../errors.js';
import { prepareOutputs } from '../running/outputs.js';

interface ModelFlags {
  readonly formula: string;
  readonly family: Family;
  readonly missing: MissingValues;
  readonly order?: readonly string[];
  readonly sheet?: string;
  readonly output?: string;
  readonly dataOutput?: string;
}

/** `leapfrog model`: writes a program and its data from a formula and a table. */
export function modelCommand(): Command {
  return new Command('model')
    .description(
      'Write a Stan program from a formula and a table: a regression with weakly informative priors, scaled to the data. The formula is that of lme4 ' +
        'and brms.',
    )
    .argument('<file>', 'table: CSV or a similar text, or a workbook (.xlsx); - for standard input')
    .requiredOption('--formula <formula>', "outcome and terms, such as 'y ~ x + sex + (1 + x | school)'")
    .addOption(
      new Option('--family <word>', 'distribution of the outcome')
        .choices(families)
        .default('normal')
        .argParser(parsedFamily),
    )
    .addOption(
      new Option('--missing <word>', 'missing values: omit their rows, or treat missing numbers as parameters')
        .choices(missingValues)
        .default('omit'),
    )
    .option('--order <levels>', 'categories of an ordinal outcome in order, separated by commas', (text) =>
      text.split(','),
    )
    .option('--sheet <name>', 'sheet of a workbook (default: the first one with a table)')
    .option('--output <file>', 'file for the program (default: standard output)')
    .option('--data-output <file>', 'file for the data, as JSON')
    .addHelpText(
      'after',
      "\nExamples:\n  $ leapfrog model --formula 'y ~ x + (1 | school)' pupils.csv\n" +
        "  $ leapfrog model --formula 'passed ~ hours * sex' --family bernoulli --output model.stan --data-output data.json pupils.csv\n" +
        '  $ leapfrog sample model.stan --data data.json --recommended',
    )
    .action(model);
}

function parsedFamily(text: string): Family {
  const family = familyNamed(text);
  if (family === undefined)
    throw new CommandError(`error: --family must be one of ${families.join(', ')}, but is ${text}`);
  return family;
}

async function model(path: string, flags: ModelFlags): Promise<void> {
  const [{ modelFromFormula }, { faultsReport }, { readTableFile }] = await Promise.all([
    import('../../formula/model.js'),
    import('../../formula/faults.js'),
    import('../../node/table-files.js'),
  ]);
  const { dataOutput, family, formula, missing, order, output, sheet } = flags;
  const outputs = [output, dataOutput].flatMap((file) => file ?? []);
  prepareOutputs([{ inFolder: false, paths: outputs }], [path]);
  const table = await readTableFile(path, sheet);
  const made = modelFromFormula({ formula, table, family, missing, order });
  if ('faults' in made)
    throw new CommandError(
      made.faults.map((fault) => `error: ${faultsReport(formula, [fault], visible)}`).join('\n\n'),
    );
  if (output === undefined) printData(made.program);
  else writing(output, () => writeFileSync(output, made.program));
  if (dataOutput !== undefined) writing(dataOutput, () => writeFileSync(dataOutput, made.data));
  if (made.omitted > 0) {
    const rows = made.omitted === 1 ? '1 row is' : `${made.omitted} rows are`;
    printProblem(`${rows} left out because of missing values.\n`);
  }
  if (output !== undefined && dataOutput !== undefined) {
    printProblem(`Next: leapfrog sample ${output} --data ${dataOutput} --recommended\n`);
  }
}
