import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { commandsFor } from './commands.js';

test('A named command is returned alone, under its name or an alias.', async () => {
  const all = await commandsFor(undefined, '1.0.0');
  for (const command of all)
    for (const name of [command.name(), ...command.aliases()]) {
      const found = await commandsFor(name, '1.0.0');
      deepEqual(
        found.map((one) => one.name()),
        [command.name()],
      );
    }
});

test('All commands are returned if none is named, for the help and for suggestions.', async () => {
  const { length } = await commandsFor(undefined, '1.0.0');
  for (const first of ['--help', 'help', 'serv', '']) equal((await commandsFor(first, '1.0.0')).length, length);
});
