/** Continuing runs from files of the command line. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { CommandFolder } from './command.js';

const PROGRAM = `data { int N; vector[N] y; }
transformed data { real shift = normal_rng(0, 1); }
parameters { vector[N] theta; real mu; real<lower=0> tau; }
model { mu ~ normal(shift, 5); tau ~ lognormal(0, 1); theta ~ normal(mu, tau); y ~ normal(theta, 0.5); }
generated quantities { real z = normal_rng(mu, 1); }
`;

describe('leapfrog sample --continue', () => {
  let place: CommandFolder;
  before(async () => {
    place = await CommandFolder.create({
      'model.stan': PROGRAM,
      'data.json': '{"N": 3, "y": [1, 2, 4]}',
      'other.json': '{"N": 3, "y": [1, 2, 5]}',
    });
  });
  after(() => place.remove());

  const usual = [
    'sample',
    'model.stan',
    '--data',
    'data.json',
    '--seed',
    '5',
    '--num-warmup',
    '200',
    '--sig-figs',
    '17',
  ];
  async function sample(...args: readonly string[]): Promise<void> {
    const { code, errors } = await place.run(...usual, ...args);
    assert.equal(code, 0, errors);
  }
  async function refusal(...args: readonly string[]): Promise<string> {
    const { code, errors } = await place.run(...usual, ...args);
    assert.equal(code, 1);
    return errors;
  }
  const rows = (name: string): readonly string[] =>
    readFileSync(place.path(name), 'utf8')
      .split('\n')
      .filter((line) => /^-?\d/.test(line));

  it('continues chains of parallel tempering, of every format and number of threads, and only with their own sampler', async () => {
    const tempered = ['--algorithm', 'tempered', '--chains', '2'];
    await sample('--num-samples', '50', ...tempered, '--output', 'tempered.csv');
    for (const extension of ['csv', 'arrow', 'ndjson']) {
      await sample('--num-samples', '20', ...tempered, '--threads', '1', '--output', `start.${extension}`);
      const start = [1, 2].map((chain) => `start_${chain}.${extension}`);
      await sample('--num-samples', '30', ...tempered.slice(0, 2), '--output', 'end.csv', '--continue', ...start);
      for (const chain of [1, 2]) {
        const later = rows(`end_${chain}.csv`);
        assert.deepEqual(later, rows(`tempered_${chain}.csv`).slice(20));
        assert.equal(later.length, 30);
      }
      assert.match(await refusal('--output', 'other.csv', '--continue', ...start), /is from another sampler/);
    }
    await sample(
      '--num-samples',
      '10',
      ...tempered,
      '--until',
      'ess_bulk=1e6,max_iterations=50',
      '--output',
      'until.csv',
    );
    for (const chain of [1, 2]) assert.deepEqual(rows(`until_${chain}.csv`), rows(`tempered_${chain}.csv`));
    await sample('--num-samples', '5', '--chains', '2', '--output', 'nuts.csv');
    const nuts = ['nuts_1.csv', 'nuts_2.csv'];
    const message = await refusal(...tempered.slice(0, 2), '--output', 'other.csv', '--continue', ...nuts);
    assert.match(message, /is from another sampler/);
  });

  it('produces the same draws as a longer run, bit by bit, from every format', async () => {
    await sample('--num-samples', '60', '--chains', '2', '--output', 'whole.csv');
    for (const extension of ['csv', 'arrow', 'ndjson']) {
      await sample('--num-samples', '40', '--chains', '2', '--output', `first.${extension}`);
      const first = [1, 2].map((chain) => `first_${chain}.${extension}`);
      await sample('--num-samples', '15', '--output', 'second.csv', '--seed', '9', '--continue', ...first);
      await sample('--num-samples', '5', '--output', 'third.csv', '--continue', 'second_1.csv', 'second_2.csv');
      for (const chain of [1, 2]) {
        const parts = ['second', 'third'].flatMap((name) => rows(`${name}_${chain}.csv`));
        assert.deepEqual(parts, rows(`whole_${chain}.csv`).slice(40), `chain ${chain} from ${extension}`);
      }
    }
    const { code, errors } = await place.run('summary', 'first_1.csv', 'second_1.csv');
    assert.equal(code, 0, errors);
  });

  it('continues an interrupted run with bit-identical draws', async () => {
    const { child, ended } = place.start(...usual, '--num-samples', '100000000', '--output', 'cut.csv');
    const size = () => statSync(place.path('cut.csv'), { throwIfNoEntry: false })?.size ?? 0;
    while (child.exitCode === null && size() < 50_000) await pause(20);
    child.kill('SIGINT');
    assert.equal((await ended).code, 130);
    const cut = rows('cut.csv');
    assert.ok(cut.length > 10);
    await sample('--num-samples', '30', '--output', 'rest.csv', '--continue', 'cut.csv');
    await sample('--num-samples', `${cut.length + 30}`, '--output', 'uncut.csv');
    assert.deepEqual([...cut, ...rows('rest.csv')], rows('uncut.csv'));
  });

  it('requires the state of the same run', async () => {
    await sample('--num-samples', '5', '--output', 'kept.csv');
    const state = readFileSync(place.path('kept.state.json'), 'utf8');
    await rm(place.path('kept.state.json'));
    const missing =
      'error: kept.csv cannot be continued: kept.state.json, the final state of its sampler, is missing, damaged or from another run. Use --warm-start instead of --continue\n';
    const again = ['--output', 'again.csv', '--continue', 'kept.csv'];
    assert.equal(await refusal(...again), missing);
    const damaged = [
      state.slice(0, -20),
      '[]',
      'null',
      state.replace(/"run_id":"..../, '"run_id":"none'),
      state.replace('"random":[', '"random":[1,'),
    ];
    for (const text of damaged) {
      await writeFile(place.path('kept.state.json'), text);
      assert.equal(await refusal(...again), missing, text);
      assert.equal((await place.run('summary', 'kept.csv')).code, 0);
    }
    await writeFile(place.path('kept.state.json'), state);
    assert.match(await refusal(...again, '--data', 'other.json'), /log density at its last position differs/);
    assert.match(await refusal(...again, '--max-depth', '9'), /has max_depth 10/);
    assert.match(await refusal('--output', 'kept.csv', '--continue', 'kept.csv'), /would be overwritten/);
    assert.ok(!existsSync(place.path('again.csv')) || rows('again.csv').length === 0);
  });

  it('replaces and removes the state with the draws, and writes none for other methods', async () => {
    await sample('--num-samples', '5', '--output', 'new.csv');
    const first = readFileSync(place.path('new.state.json'), 'utf8');
    await sample('--num-samples', '6', '--output', 'new.csv');
    assert.notEqual(readFileSync(place.path('new.state.json'), 'utf8'), first);
    await sample('--num-samples', '6', '--algorithm', 'static', '--output', 'new.csv');
    assert.ok(!existsSync(place.path('new.state.json')));
    await place.run('optimize', 'model.stan', '--data', 'data.json', '--output', 'optimum.csv');
    assert.deepEqual(
      readdirSync(place.folder).filter((name) => /^optimum/.test(name)),
      ['optimum.csv'],
    );
  });
});
