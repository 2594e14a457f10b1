#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { UnreadableFile } from '../node/program-files.js';
import { guardStandardStreams } from '../node/standard-streams.js';
import { isSystemError } from '../node/system-errors.js';
import { checkCommand } from './check.js';
import { cmdstanCommand } from './cmdstan.js';
import { refuseCmdStanWords } from './cmdstan-words.js';
import { compareCommand } from './compare.js';
import { compileCommand } from './compile.js';
import { diagnoseCommand } from './diagnose.js';
import { CommandError } from './errors.js';
import { formatCommand } from './format.js';
import { looCommand } from './loo.js';
import { methodCommand } from './method-command.js';
import { methods } from './methods.js';
import { reportCommand } from './report.js';
import { serveCommand } from './serve.js';
import { summaryCommand } from './summary.js';
import { workCommand } from './work.js';

const { version }: { version: string } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
);

/** Options may be written with CmdStan's underscores, too: `--num_samples` is `--num-samples`. */
function withHyphens(argument: string): string {
  return argument.replace(/^--[a-z_]+/, (name) => name.replaceAll('_', '-'));
}

const program = new Command('leapfrog')
  .description("Stan without a C++ toolchain: compiles programs to WebAssembly and runs Stan's algorithms on them.")
  .version(version)
  .addCommand(serveCommand(version))
  .addCommand(workCommand())
  .addCommand(compileCommand())
  .addCommand(checkCommand())
  .addCommand(formatCommand());
for (const method of methods) program.addCommand(methodCommand(method));
for (const command of [summaryCommand, diagnoseCommand, looCommand, compareCommand, reportCommand, cmdstanCommand])
  program.addCommand(command());

guardStandardStreams();
try {
  refuseCmdStanWords(process.argv.slice(2));
  await program.parseAsync(process.argv.map(withHyphens));
} catch (error) {
  const told =
    isSystemError(error) || error instanceof UnreadableFile ? new CommandError(`error: ${error.message}`) : error;
  if (!(told instanceof CommandError)) throw told;
  process.stderr.write(told.message === '' ? '' : `${told.message}\n`);
  process.exitCode = told.exitCode;
}
