import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Command } from 'commander';
import { addSettings, readSettings } from './settings.js';
import { flag, integer, texts } from './values.js';

const table = {
  maxQueue: { argument: '<number>', description: 'a number', initial: 1, read: integer(0, 100) },
  allowedHost: { argument: '<names>', description: 'names', initial: [], read: texts },
  auth: { negated: true, description: 'a flag', initial: true, read: flag },
};

function read(
  context: TestContext,
  given: { flags?: string[]; environment?: Record<string, string>; file?: object },
): ReturnType<typeof readSettings<typeof table>> {
  const folder = mkdtempSync(join(tmpdir(), 'leapfrog-settings-'));
  const path = join(folder, 'settings.json');
  writeFileSync(path, JSON.stringify(given.file ?? {}));
  Object.assign(process.env, given.environment);
  context.after(() => {
    for (const name of Object.keys(given.environment ?? {})) delete process.env[name];
    rmSync(folder, { recursive: true });
  });
  const command = new Command('try');
  addSettings(command, table);
  command.parse(['--config', path, ...(given.flags ?? [])], { from: 'user' });
  return readSettings(command, table);
}

describe('settings', () => {
  it('are read from flags, the environment, the file and the defaults, in this order', (context) => {
    const file = { 'max-queue': 4, 'allowed-host': ['a', 'b'], 'no-auth': true };
    const environment = { LEAPFROG_MAX_QUEUE: '3' };
    assert.equal(read(context, { flags: ['--max-queue', '2'], environment, file }).maxQueue, 2);
    assert.equal(read(context, { environment, file }).maxQueue, 3);
    delete process.env.LEAPFROG_MAX_QUEUE;
    const found = read(context, { file });
    assert.deepEqual([found.maxQueue, found.allowedHost, found.auth], [4, ['a', 'b'], false]);
    const initial = read(context, {});
    assert.deepEqual([initial.maxQueue, initial.allowedHost, initial.auth], [1, [], true]);
  });

  it('are listed in the help with their defaults', () => {
    const limit = { argument: '<seconds>', description: 'a limit', initialText: 'no limit', read: integer(0, 9) };
    const command = new Command('try').configureHelp({ helpWidth: 200 });
    addSettings(command, { ...table, limit: { ...limit, initial: undefined } });
    assert.match(command.helpInformation(), /a limit \(default: no limit\) \(env: LEAPFROG_LIMIT\)/);
    assert.match(command.helpInformation(), /a number \(default: 1, env: LEAPFROG_MAX_QUEUE\)/);
  });

  it('include flags without values in the environment', (context) => {
    for (const [said, auth] of [
      ['true', false],
      ['1', false],
      ['false', true],
      ['0', true],
      ['', true],
    ] as const) {
      assert.equal(read(context, { environment: { LEAPFROG_NO_AUTH: said } }).auth, auth);
    }
    assert.equal(read(context, { flags: ['--no-auth'], environment: { LEAPFROG_NO_AUTH: 'false' } }).auth, false);
    const unclear = () => read(context, { environment: { LEAPFROG_NO_AUTH: 'maybe' } });
    assert.throws(unclear, /LEAPFROG_NO_AUTH is "maybe"\. It must be true or false/);
  });

  it('are rejected by name if the file contains an error', (context) => {
    assert.throws(
      () => read(context, { file: { 'max-queue': 101 } }),
      /"max-queue" is 101\. It must be an integer from 0/,
    );
    assert.throws(() => read(context, { file: { queue: 1 } }), /unknown setting "queue"; the settings are max-queue/);
  });
});
