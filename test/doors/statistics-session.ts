/**
 * Runs commands of the command line, and tools and executables of a CmdStan folder, in one process. The argument is a JSON array of commands,
 * each an array of words. Prints a record separator after the output of each command; a refused command prints the error.
 */
import type { Command } from 'commander';
import { compareCommand } from '../../src/cli/commands/compare.js';
import { diagnoseCommand } from '../../src/cli/commands/diagnose.js';
import { looCommand } from '../../src/cli/commands/loo.js';
import { methodCommand } from '../../src/cli/commands/method-command.js';
import { summaryCommand } from '../../src/cli/commands/summary.js';
import { CommandError, reported } from '../../src/cli/errors.js';
import { methods } from '../../src/cli/options/methods.js';
import { runExecutable } from '../../src/cmdstan/command.js';
import { runDiagnose } from '../../src/cmdstan/diagnose.js';
import { standardConsole } from '../../src/cmdstan/output.js';
import { runStanc } from '../../src/cmdstan/stanc.js';
import { runStansummary } from '../../src/cmdstan/stansummary.js';

const TOOLS = new Map<string, (words: readonly string[]) => number | Promise<number>>([
  ['bin/diagnose', runDiagnose],
  ['bin/stanc', runStanc],
  ['bin/stansummary', runStansummary],
]);
const COMMANDS: readonly Command[] = [
  ...methods.map((method) => methodCommand(method)),
  ...[summaryCommand(), diagnoseCommand(), looCommand(), compareCommand()],
];

const commands: readonly (readonly string[])[] = JSON.parse(process.argv[2]);
for (const [name, ...words] of commands) {
  const tool = TOOLS.get(name);
  const command = COMMANDS.find((each) => each.name() === name);
  if (tool !== undefined) await tool(words);
  else if (name.startsWith('./')) await runExecutable(name, words, standardConsole);
  else if (command !== undefined) {
    try {
      await command.parseAsync(words, { from: 'user' });
    } catch (error) {
      const end = reported(error);
      if (!(end instanceof CommandError)) throw end;
      process.stdout.write(`${end.message}\n`);
    }
  } else throw new Error(`no command ${name}`);
  process.stdout.write('\u001e\n');
}
