import { Command } from 'commander';
import { costText } from '../../chain/cost-sentences.js';
import { refusing } from '../../chain/refusal.js';
import type { ProgramProfile, StatementTime } from '../../engine/program-profile.js';
import { durationText, firstLine, shareText } from '../../fits/profile-text.js';
import { parseStanJson } from '../../formats/stan-json.js';
import { streamText } from '../../inference/number-text.js';
import { readText } from '../../node/input-files.js';
import { readProgram } from '../../node/program-files.js';
import { printData, visible } from '../../node/standard-streams.js';
import { readValues } from '../draws/data-file.js';
import { CommandError } from '../errors.js';
import { includePathOption } from '../options/program.js';
import { formatOption } from '../options/table-options.js';
import { integer } from '../options/values.js';
import { csvTable } from '../tables/tables.js';

interface ProfileFlags {
  readonly includePath: readonly string[];
  readonly point?: string;
  readonly evaluations?: number;
  readonly seed: number;
  readonly format: string;
}

/** Memory limit of a model in bytes. */
const LIMITS = { maximumMemory: 2 ** 31 };

/** `leapfrog profile`: measures the time of each statement in a gradient. */
export function profileCommand(): Command {
  return new Command('profile')
    .description(
      'Measure the time that each statement of a program takes in a gradient. The slowest statements are listed first.',
    )
    .argument('<program>', 'file with a Stan program; - for standard input')
    .argument('[data]', 'file with data as JSON, or an R dump (.R)')
    .addOption(includePathOption())
    .option('--point <file>', 'JSON file with an array of unconstrained parameters (default: a random point)')
    .option(
      '--evaluations <integer>',
      'number of evaluations of the gradient of each part of the program (default: about a second of evaluations)',
      integer(1, 1e9),
    )
    .option(
      '--seed <integer>',
      'seed of the random point, and of random numbers in transformed data',
      integer(0, 2 ** 32 - 1),
      1,
    )
    .addOption(formatOption('one row per statement, in the order of the program'))
    .addHelpText(
      'after',
      '\nIf the compiler computes a value where it is used, its time counts for the statement that uses it.\n\nExamples:\n' +
        '  $ leapfrog profile model.stan data.json\n  $ leapfrog profile model.stan data.json --format csv',
    )
    .action(profile);
}

async function profile(path: string, dataPath: string | undefined, flags: ProfileFlags): Promise<void> {
  const source = readProgram(path, flags.includePath);
  const data = dataPath === undefined ? '{}' : readValues(dataPath);
  const [{ compiler, models }, { profileProgram }] = await Promise.all([
    import('../../node/engine.js'),
    import('../../engine/program-profile.js'),
  ]);
  const { errors } = compiler.describe(source, false);
  if (errors.length > 0) throw new CommandError(errors.map(({ text }) => text).join('\n'));
  const { evaluations, point, seed } = flags;
  const request = {
    source,
    data,
    seed,
    ...(evaluations !== undefined && { evaluations }),
    ...(point !== undefined && { position: readPoint(point) }),
  };
  const found = refusing(models, () => profileProgram(compiler, models, request, LIMITS));
  printData(TEXTS[flags.format]?.(found, source.name) ?? '');
}

function readPoint(path: string): readonly number[] {
  const found = parseStanJson(readText(path, { name: path }));
  if (found instanceof Float64Array) return [...found];
  if (Array.isArray(found) && found.every((each) => typeof each === 'number')) return found;
  throw new CommandError(`error: ${path} must contain a JSON array of numbers`);
}

const TEXTS: Readonly<Record<string, (profile: ProgramProfile, program: string) => string>> = {
  table: tableText,
  csv: ({ statements }) =>
    csvTable([
      ['file', 'line', 'end_line', 'share', 'nanoseconds', 'executions', 'cost', 'statement'],
      ...statements.map(({ cost, end_line, executions, file, line, nanoseconds, share, text }) => [
        file,
        ...[line, end_line].map(String),
        ...[share, nanoseconds].map((value) => streamText(value, 6)),
        String(executions),
        cost?.cost ?? '',
        firstLine(text),
      ]),
    ]),
  json: (found) => `${JSON.stringify(found, null, 2)}\n`,
};

const WIDTH = { share: 7, time: 9, executions: 11 };

function tableText({ evaluations, nanoseconds, other, statements }: ProgramProfile, program: string): string {
  const slowest = [...statements].sort((one, two) => two.nanoseconds - one.nanoseconds);
  const title = ['share', 'time', 'executions'].map((name, k) => name.padStart(Object.values(WIDTH)[k])).join('');
  const total = `${durationText(nanoseconds)} per gradient: the smallest mean of a batch, among ${evaluations} evaluations.`;
  const rest = `${shareText(other.share)} of it is not due to any statement.`;
  return `${title}  statement\n${slowest.map((statement) => rowText(statement, program)).join('')}\n${total} ${rest}\n`;
}

function rowText({ cost, executions, file, line, nanoseconds, share, text }: StatementTime, program: string): string {
  const cells = [
    shareText(share).padStart(WIDTH.share),
    durationText(nanoseconds).padStart(WIDTH.time),
    String(executions).padStart(WIDTH.executions),
  ].join('');
  const note = cost === undefined ? '' : `${' '.repeat(cells.length + 4)}${costText(cost)}\n`;
  const place = file === program ? `${line}` : `${file}:${line}`;
  return `${cells}  ${visible(`${place}: ${firstLine(text)}`)}\n${note}`;
}
