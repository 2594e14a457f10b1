/**
 * Runs commands of the algorithms one after the other in one process, where `leapfrog` has a process for each: an array of
 * arrays of words as JSON. The first that fails ends it.
 */
import { methodCommand } from '../../src/cli/method-command.js';
import { methods } from '../../src/cli/methods.js';

const commands: readonly (readonly string[])[] = JSON.parse(process.argv[2]);
for (const [name, ...words] of commands) {
  const method = methods.find(({ command }) => command === name);
  if (method === undefined) throw new Error(`no command ${name}`);
  await methodCommand(method).parseAsync(words, { from: 'user' });
}
