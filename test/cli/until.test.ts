/** Runs of the command line that stop when their draws are precise enough. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { CommandFolder } from './command.js';

const PROGRAM = `parameters { vector[3] theta; real mu; real<lower=0> tau; }
model { mu ~ normal(0, 5); tau ~ lognormal(0, 1); theta ~ normal(mu, tau); {1.0, 2.0, 4.0} ~ normal(theta, 0.5); }
generated quantities { real z = normal_rng(mu, 1); }
`;

describe('leapfrog sample --until', () => {
  let place: CommandFolder;
  before(async () => {
    place = await CommandFolder.create({ 'model.stan': PROGRAM });
  });
  after(() => place.remove());

  const usual = ['sample', 'model.stan', '--seed', '3', '--num-warmup', '200', '--sig-figs', '17'];
  async function sample(...args: readonly string[]): Promise<string> {
    const { code, errors, output } = await place.run(...usual, ...args);
    assert.equal(code, 0, errors);
    return output;
  }
  const read = (name: string) => readFileSync(place.path(name), 'utf8');
  const rows = (name: string) =>
    read(name)
      .split('\n')
      .filter((line) => /^-?\d/.test(line));
  /** A CSV file without what differs between runs. */
  const text = (name: string) =>
    read(name)
      .replace(/start_datetime = .*|run_id = .*|# +file = .*/g, '')
      .replace(/# .* seconds .*/g, '');

  it('writes the same files as a run with that number of iterations', async () => {
    const blocks = ['--chains', '2', '--num-samples', '100', '--until', 'ess-bulk=300,rhat=1.05'];
    const output = await sample(...blocks, '--thin', '2', '--save-warmup', '--output', 'until.csv');
    const [, found] = /Stopped after (\d+) iterations: the draws are as precise as required\./.exec(output) ?? [];
    assert.ok(Number(found) > 100, output);
    const whole = ['--chains', '2', '--num-samples', found, '--thin', '2', '--save-warmup', '--output', 'whole.csv'];
    await sample(...whole);
    for (const chain of [1, 2]) assert.equal(text(`until_${chain}.csv`), text(`whole_${chain}.csv`));
    assert.match(output, /Written: until_1.csv, until_2.csv\n/);
    const summaries = ['until', 'whole'].map(async (name) => {
      const files = [1, 2].map((chain) => `${name}_${chain}.csv`);
      return JSON.parse((await place.run('summary', ...files, '--format', 'json')).output);
    });
    const [first, second] = await Promise.all(summaries);
    assert.deepEqual(first, second);

    await sample(...blocks, '--thin', '2', '--save-warmup', '--output', 'table.arrow');
    const { output: json } = await place.run('summary', 'table_1.arrow', 'table_2.arrow', '--format', 'json');
    assert.deepEqual(JSON.parse(json), first);

    await sample(
      '--thin',
      '2',
      '--num-samples',
      '20',
      '--output',
      'more.csv',
      '--continue',
      'until_1.csv',
      'until_2.csv',
    );
    await sample('--thin', '2', '--save-warmup', '--num-samples', `${Number(found) + 20}`, '--output', 'long.csv');
    assert.deepEqual(rows('more_1.csv'), rows('long.csv').slice(-10));
  });

  it('keeps the draws so far and the state if it is interrupted', async () => {
    const blocks = ['--num-samples', '500', '--until', 'ess_bulk=1e9,max_iterations=100000000'];
    const { child, ended } = place.start(...usual, ...blocks, '--output', 'cut.csv');
    const second = () =>
      readdirSync(place.folder)
        .filter((name) => /^leapfrog-/.test(name))
        .some(
          (folder) => statSync(join(place.path(folder), 'fit', 'block-3'), { throwIfNoEntry: false }) !== undefined,
        );
    while (child.exitCode === null && !second()) await pause(20);
    child.kill('SIGINT');
    const { code, errors } = await ended;
    assert.equal(code, 130);
    assert.equal(errors, 'Interrupted. Draws so far: cut.csv\n');
    const cut = rows('cut.csv');
    assert.ok(cut.length >= 1000);
    const [, announced] = /num_samples = (\d+) *\n/.exec(read('cut.csv')) ?? [];
    assert.equal(Number(announced), cut.length);
    await sample('--num-samples', '20', '--output', 'rest.csv', '--continue', 'cut.csv');
    await sample('--num-samples', `${cut.length + 20}`, '--output', 'uncut.csv');
    assert.deepEqual([...cut, ...rows('rest.csv')], rows('uncut.csv'));
  });

  it('reports an invalid rule in terms of options', async () => {
    const messages: readonly (readonly [readonly string[], string])[] = [
      [['--until', 'ess_bulk'], '--until requires limits such as ess_bulk=400, not ess_bulk'],
      [['--until', 'rhat=1.1', '--until-quantities', 'nu'], '--until-quantities names nu, which draws do not have'],
      [
        ['--until', 'rhat=1.1', '--until-quantities', 'theta', '--save', 'mu'],
        '--until-quantities names theta, which save does not',
      ],
      [['--until', 'rhat=1.1', '--thin', '3'], '--num-samples must be a positive multiple of num_thin with until'],
      [['--until-quantities', 'mu'], '--until-quantities requires --until'],
    ];
    const found = messages.map(async ([args]) => (await place.run(...usual, ...args)).errors);
    assert.deepEqual(
      await Promise.all(found),
      messages.map(([, message]) => `error: ${message}\n`),
    );
  });
});
