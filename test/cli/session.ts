/**
 * Runs several commands of algorithms in one process, instead of one `leapfrog` process each. The argument is a JSON array of commands, each an array
 * of words. Stops at the first failure.
 */
import { methodCommand } from '../../src/cli/commands/method-command.js';
import { methods } from '../../src/cli/options/methods.js';

const commands: readonly (readonly string[])[] = JSON.parse(process.argv[2]);
for (const [name, ...words] of commands) {
  const method = methods.find(({ command }) => command === name);
  if (method === undefined) throw new Error(`no command ${name}`);
  await methodCommand(method).parseAsync(words, { from: 'user' });
}
