/** A run that is interrupted by Ctrl-C leaves its draws so far in valid files. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { CommandFolder, type Ended } from './command.js';

const QUICK = 'parameters {\n  vector[3] x;\n}\nmodel {\n  x ~ std_normal();\n}\n';
const ENDLESS = 'parameters {\n  real x;\n}\nmodel {\n  while (1) {\n    x ~ std_normal();\n  }\n}\n';
/** Draws slowly a few hundred times, and then never returns. */
const STUCK = `parameters {
  real x;
}
model {
  real s = 0;
  for (i in 1:100000) {
    s += sin(i * x);
  }
  target += 1e-300 * s;
  x ~ std_normal();
}
generated quantities {
  real u = uniform_rng(0, 1);
  while (u > 0.99) {
    u += 1;
  }
}
`;

describe('an interrupted run', () => {
  let place: CommandFolder;
  before(async () => {
    place = await CommandFolder.create({ 'quick.stan': QUICK, 'endless.stan': ENDLESS, 'stuck.stan': STUCK });
  });
  after(() => place.remove());

  /** Starts a command and sends it SIGINT as soon as a condition holds. */
  async function interrupted(hasBegun: () => boolean, ...args: readonly string[]): Promise<Ended> {
    return interruptedCommand(hasBegun, ...args, '--seed', '1');
  }

  async function interruptedCommand(hasBegun: () => boolean, ...args: readonly string[]): Promise<Ended> {
    const { child, ended } = place.start(...args);
    while (child.exitCode === null && !hasBegun()) await pause(20);
    child.kill('SIGINT');
    const result = await ended;
    assert.equal(result.code, 130, result.errors);
    assert.deepEqual(temporary(), []);
    return result;
  }

  const temporary = () => readdirSync(place.folder).filter((name) => /^leapfrog-/.test(name));
  const hasBytes = (least: number, path: string) => () =>
    (statSync(path, { throwIfNoEntry: false })?.size ?? -1) >= least;
  /** Whether the first chain has written at least `least` bytes of output. */
  const hasSaid = (least: number) => () =>
    temporary().some((folder) => hasBytes(least, join(place.path(folder), 'fit', 'chain-1.journal'))());

  /** The rows of a file in the form that CmdStan's readers expect: the number that its header announces, followed by comments. */
  function rowsOf(path: string): readonly string[] {
    const text = readFileSync(place.path(path), 'utf8');
    assert.match(text, /\n# Interrupted\n$/);
    const lines = text.trimEnd().split('\n');
    const [names, ...rows] = lines.filter((line) => !line.startsWith('#'));
    for (const row of rows) assert.equal(row.split(',').length, names.split(',').length);
    const [, announced] = /num_samples = (\d+) *\n/.exec(text) ?? [];
    assert.equal(Number(announced), rows.length);
    return rows;
  }

  const sample = (program: string, output: string) => ['sample', program, '--output', output];
  const many = ['--num-samples', '100000000', '--num-warmup', '10'];

  it('keeps the completed draws of every chain in its files', async () => {
    const { errors } = await interrupted(
      hasBytes(100_000, place.path('q_1.csv')),
      ...sample('quick.stan', 'q.csv'),
      '--chains',
      '2',
      ...many,
    );
    assert.ok(rowsOf('q_1.csv').length > 100);
    const [told, advice, ...rest] = errors.split('\n');
    const isSecond = existsSync(place.path('q_2.csv'));
    assert.equal(told, `Interrupted. Draws so far: ${isSecond ? 'q_1.csv, q_2.csv' : 'q_1.csv'}`);
    if (isSecond) assert.match(advice, /^The chains may differ in length: leapfrog summary .* as the shortest has; /);
    assert.deepEqual(rest, isSecond ? [''] : []);
    assert.match(readFileSync(place.path('q_1.csv'), 'utf8'), /\n# {2}Elapsed Time: /);
    for (const name of ['q.arrow', 'q.ndjson']) {
      await interrupted(hasSaid(100_000), ...sample('quick.stan', name), ...many);
      const { output } = await place.run('summary', name, '--variables', 'x', '--format', 'json');
      assert.equal(JSON.parse(output).length, 3);
    }
  });

  it('also keeps them if a thread must be terminated because the model does not return', async () => {
    for (const extension of ['csv', 'arrow', 'ndjson']) {
      const name = `stuck.${extension}`;
      await interrupted(hasSaid(4000), ...sample('stuck.stan', name), '--num-warmup', '10');
      if (extension === 'csv') assert.ok(rowsOf(name).length > 0);
      assert.equal((await place.run('summary', name)).code, 0, name);
    }
  });

  it("leaves no empty file, and keeps a file's contents if there are no draws", async () => {
    await writeFile(place.path('kept_2.csv'), 'draws of another run');
    for (const [method, ...args] of [
      ['sample', '--chains', '2'],
      ['optimize'],
      ['variational'],
      ['pathfinder'],
      ['diagnose-gradient'],
    ]) {
      const made = place.path(args.length > 0 ? 'kept_1.csv' : 'kept.csv');
      const { errors } = await interrupted(hasBytes(0, made), method, 'endless.stan', ...args, '--output', 'kept.csv');
      assert.equal(errors, 'Interrupted before the first draw.\n');
      assert.deepEqual(
        readdirSync(place.folder).filter((name) => /^kept/.test(name)),
        ['kept_2.csv'],
      );
    }
    assert.equal(readFileSync(place.path('kept_2.csv'), 'utf8'), 'draws of another run');
  });

  it('ends promptly while draws of an earlier run are read, and leaves no file', async () => {
    const names = Array.from({ length: 500 }, (_, k) => `x.${k + 1}`);
    const row = names.map((_, k) => `0.${k + 123456789}`).join();
    await writeFile(place.path('large.csv'), `lp__,${names.join()}\n${`-1,${row}\n`.repeat(5000)}`);
    const hasBegun = () => temporary().length > 0;
    for (const command of [
      ['summary', 'large.csv'],
      ['diagnose', 'large.csv'],
      ['generate', 'quick.stan', '--fitted-params', 'large.csv', '--output', 'generated.csv'],
    ]) {
      const { errors } = await interruptedCommand(hasBegun, ...command);
      assert.equal(errors, 'Interrupted.\n');
    }
    assert.ok(!existsSync(place.path('generated.csv')));
  });
});
