/** The command line. Parses the arguments and runs the command that they name. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { addressLimit, EXPLICIT_CHECKS } from '../node/address-space.js';
import { packageRoot } from '../node/package-root.js';
import { guardStandardStreams, printProblem, printText } from '../node/standard-streams.js';
import { commandsFor } from './commands.js';
import { CommandError, reported } from './errors.js';
import { refuseCmdStanWords } from './options/cmdstan-words.js';

const { version }: { version: string } = JSON.parse(
  readFileSync(join(packageRoot(dirname(fileURLToPath(import.meta.url))), 'package.json'), 'utf8'),
);

/** Options may be written with CmdStan's underscores: `--num_samples` is `--num-samples`. */
function withHyphens(argument: string): string {
  return argument.replace(/^--[a-z_]+/, (name) => name.replaceAll('_', '-'));
}

const program = new Command('leapfrog')
  .description("Stan without a C++ toolchain: compiles programs to WebAssembly and runs Stan's algorithms on them.")
  .version(version)
  .configureOutput({ writeOut: printText, writeErr: printProblem });

async function run(): Promise<void> {
  if (addressLimit() !== undefined && !process.execArgv.includes(EXPLICIT_CHECKS)) {
    const { restartWithin } = await import('./restart.js');
    return restartWithin();
  }
  try {
    refuseCmdStanWords(process.argv.slice(2));
    for (const command of await commandsFor(process.argv[2], version)) program.addCommand(command);
    await program.parseAsync(process.argv.map(withHyphens));
  } catch (error) {
    const end = reported(error);
    if (!(end instanceof CommandError)) throw end;
    printProblem(end.message === '' ? '' : `${end.message}\n`);
    process.exitCode = end.exitCode;
  }
}

guardStandardStreams();
void run();
