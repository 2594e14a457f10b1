import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { commandsFor } from './commands.js';

test('The command that is named comes alone, under its name or another of its names.', async () => {
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

test('Every command comes where none is named, for the help and for suggestions.', async () => {
  const { length } = await commandsFor(undefined, '1.0.0');
  for (const first of ['--help', 'help', 'serv', '']) equal((await commandsFor(first, '1.0.0')).length, length);
});
