import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { fileName, readProgram } from '../../node/program-files.js';
import { printProblem, printText } from '../../node/standard-streams.js';
import { CommandError, writing } from '../errors.js';
import { type PassFlags, passOptions, passRequest } from '../options/pass-options.js';
import { includePathOption } from '../options/program.js';
import { ensureFolder } from '../running/outputs.js';

interface CompileFlags extends PassFlags {
  readonly includePath: readonly string[];
  readonly output?: string;
}

/** `leapfrog compile`: compiles a program to a WebAssembly module and a description of its data and outputs. */
export function compileCommand(): Command {
  const command = new Command('compile')
    .description('Compile a program and show how long each stage takes. Other commands compile programs automatically.')
    .argument('<program>', 'file with a Stan program; - for standard input')
    .addOption(includePathOption())
    .option('--output <folder>', 'folder for the module, NAME.wasm, and its description, NAME.json')
    .addHelpText(
      'after',
      '\nThe exit code is 1 if the program has an error.\n\nExamples:\n' +
        '  $ leapfrog compile model.stan\n' +
        '  $ leapfrog compile model.stan --include-path lib --output build',
    )
    .action(async (path: string, { includePath, output, ...flags }: CompileFlags) => {
      const request = passRequest(flags, printText);
      const { compiler } = await import('../../node/engine.js');
      const outcome = compiler.compile(readProgram(path, includePath), { ...request, timePasses: flags.timePasses });
      if (!outcome.compiled) throw new CommandError(outcome.text);
      if (outcome.warnings !== '') printProblem(`${outcome.warnings}\n`);
      printText(outcome.log);
      if (output === undefined) return;
      const file = join(output, fileName(path));
      ensureFolder(output, true);
      writing(`${file}.wasm`, () => writeFileSync(`${file}.wasm`, outcome.wasm));
      writing(`${file}.json`, () => writeFileSync(`${file}.json`, outcome.artifact));
    });
  for (const option of passOptions()) command.addOption(option);
  return command;
}
