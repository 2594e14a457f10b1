import { Command, InvalidArgumentError, Option } from 'commander';
import { refusing } from '../../chain/refusal.js';
import { writeJson } from '../../formats/json.js';
import { parseStanJson } from '../../formats/stan-json.js';
import { readProgram } from '../../node/program-files.js';
import { printData, printProblem } from '../../node/standard-streams.js';
import { CommandError, reasonOf } from '../errors.js';
import { includePathOption } from '../options/program.js';

interface CallFlags {
  readonly includePath: readonly string[];
  readonly seed: number;
  readonly signature?: string;
}

/** Memory limit of a function in bytes. */
const LIMITS = { maximumMemory: 2 ** 31 };

/** `leapfrog call`: calls a function that a program declares. */
export function callCommand(): Command {
  return new Command('call')
    .description('Call a function that a program declares. Prints the result as JSON.')
    .argument('<program>', 'file with a Stan program; - for standard input')
    .argument('<function>', 'name of the function')
    .argument('[arguments...]', "values in Stan's JSON format, one per parameter")
    .addOption(includePathOption())
    .addOption(new Option('--seed <seed>', 'seed of a function that ends in _rng').default(1).argParser(seedOf))
    .option('--signature <types>', 'types of the parameters, to choose an overload: "vector, array[] int"')
    .addHelpText(
      'after',
      '\nOutput that the function prints goes to standard error. Write -- before negative numbers.\n\nExamples:\n' +
        "  $ leapfrog call model.stan scaled '[1, 2, 3]' 10\n" +
        '  $ leapfrog call model.stan logistic -- -1.5\n' +
        "  $ leapfrog call model.stan total '[1, 2]' --signature row_vector",
    )
    .action(call);
}

async function call(path: string, name: string, args: string[], flags: CallFlags): Promise<void> {
  const source = readProgram(path, flags.includePath);
  const [{ compiler, models }, { FunctionCaller }] = await Promise.all([
    import('../../node/engine.js'),
    import('../../engine/calls/function-call.js'),
  ]);
  const { errors } = compiler.describe(source, false);
  if (errors.length > 0) throw new CommandError(errors.map(({ text }) => text).join('\n'));
  const request = {
    source,
    name,
    arguments: `[${args.map(argumentText).join(',')}]`,
    seed: flags.seed,
    ...(flags.signature !== undefined && { signature: typesOf(flags.signature) }),
  };
  const { output, result } = refusing(models, () => new FunctionCaller(compiler, models).call(request, LIMITS));
  printProblem(output);
  printData(`${writeJson(result, 'string')}\n`);
}

/** An argument as JSON. Throws unless the text is a single value. */
function argumentText(text: string, index: number): string {
  try {
    parseStanJson(text);
    return text;
  } catch (error) {
    throw new CommandError(`error: argument ${index + 1} is not JSON: ${reasonOf(error)}`);
  }
}

function seedOf(text: string): number {
  const seed = Number(text);
  if (Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32) return seed;
  throw new InvalidArgumentError('It must be an integer from 0 to 4294967295.');
}

/** Types at the top level of a list: commas inside brackets and parentheses belong to a type. */
function typesOf(list: string): readonly string[] {
  const types = [''];
  let depth = 0;
  for (const character of list) {
    if ('[('.includes(character)) depth += 1;
    if ('])'.includes(character)) depth -= 1;
    if (character === ',' && depth === 0) types.push('');
    else types[types.length - 1] += character;
  }
  return types.map((type) => type.trim());
}
