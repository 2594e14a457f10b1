/** Derived programs on the command line: log likelihoods, replicated data, draws from the prior, simulation-based calibration, refits. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { CommandFolder } from './command.js';

describe('a program without log_lik and y_rep', () => {
  const model = 'data { int N; vector[N] y; } parameters { real mu; } model { mu ~ normal(0, 5); y ~ normal(mu, 1); }';
  const own = 'generated quantities { vector[N] log_lik; for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | mu, 1); }';
  const draws = ['draws_1.csv', 'draws_2.csv'];
  let folder: CommandFolder;
  before(async () => {
    folder = await CommandFolder.create({
      'plain.stan': model,
      'own.stan': `${model}\n${own}`,
      'unclear.stan': model.replace('y ~ normal(mu, 1)', 'target += -sum(square(y - mu))'),
      'data.json': '{"N": 3, "y": [1, -0.5, 2]}',
    });
    await folder.run(
      'sample',
      'plain.stan',
      '--data',
      'data.json',
      '--chains',
      '2',
      '--seed',
      '1',
      '--sig-figs',
      '17',
      '--output',
      'draws.csv',
    );
  });
  after(() => folder.remove());

  it('loo derives the log likelihood from the program', async () => {
    await folder.run(
      'generate',
      'own.stan',
      '--data',
      'data.json',
      '--sig-figs',
      '17',
      '--fitted-params',
      ...draws,
      '--output',
      'own.csv',
    );
    const expected = JSON.parse((await folder.run('loo', 'own_1.csv', 'own_2.csv', '--format', 'json')).output);
    const options = ['--program', 'plain.stan', '--data', 'data.json', '--format', 'json'];
    const found = JSON.parse((await folder.run('loo', ...draws, ...options)).output);
    assert.ok(Math.abs(found.elpd.estimate - expected.elpd.estimate) < 1e-10);
    assert.ok(Math.abs(found.effectiveParameters.estimate - expected.effectiveParameters.estimate) < 1e-10);
    assert.deepEqual(
      found.observations.map(({ name }: { readonly name: string }) => name),
      ['y[1]', 'y[2]', 'y[3]'],
    );
  });

  it('loo requires the program, and reports the statement whose observations are ambiguous', async () => {
    const without = await folder.run('loo', ...draws);
    assert.equal(without.code, 1);
    assert.match(without.errors, /the draws have no variable log_lik\. Pass --program and --data to derive/);
    const unclear = await folder.run('loo', ...draws, '--program', 'unclear.stan', '--data', 'data.json');
    assert.equal(unclear.code, 1);
    assert.match(
      unclear.errors,
      /'unclear\.stan', line 1, column \d+.*an expression of data to the target that is not a density/s,
    );
  });

  it('predict draws replicated data', async () => {
    const { code, errors } = await folder.run(
      'predict',
      'plain.stan',
      '--data',
      'data.json',
      '--seed',
      '1',
      '--fitted-params',
      ...draws,
      '--output',
      'replicated.csv',
    );
    assert.equal(code, 0, errors);
    const rows = readFileSync(folder.path('replicated_2.csv'), 'utf8')
      .split('\n')
      .filter((line) => !line.startsWith('#') && line !== '');
    assert.equal(rows[0], 'y_rep.1,y_rep.2,y_rep.3');
    assert.equal(rows.length, 1001);
  });

  it('prior draws from the prior distribution', async () => {
    const { code, errors } = await folder.run(
      'prior',
      'plain.stan',
      '--data',
      'data.json',
      '--seed',
      '1',
      '--output',
      'prior.csv',
    );
    assert.equal(code, 0, errors);
    const rows = readFileSync(folder.path('prior.csv'), 'utf8')
      .split('\n')
      .filter((line: string) => !line.startsWith('#') && line !== '');
    const place = rows[0].split(',').indexOf('mu');
    const values = rows.slice(1).map((row: string) => Number(row.split(',')[place]));
    assert.equal(values.length, 1000);
    assert.ok(values.some((value: number) => value > 8) && values.some((value: number) => value < -8));
  });

  it('sbc reports whether the ranks are uniform', async () => {
    const options = [
      '--data',
      'data.json',
      '--seed',
      '1',
      '--simulations',
      '20',
      '--num-warmup',
      '100',
      '--num-samples',
      '100',
    ];
    const { code, errors, output } = await folder.run('sbc', 'plain.stan', ...options);
    assert.equal(code, 0, errors);
    assert.match(output, /^ +difference +p\nmu +0\.\d+ +[01]\.?\d*\n\nThe ranks of the quantity are compatible/);
    const ranks = await folder.run('sbc', 'plain.stan', ...options, '--format', 'csv');
    assert.match(ranks.output, /^mu\n(?:\d+\n){20}$/);
    const unclear = await folder.run('sbc', 'unclear.stan', ...options);
    assert.equal(unclear.code, 1);
    assert.match(unclear.errors, /'unclear\.stan', line 1.*The prior distribution cannot be derived/s);
  });

  it('loo --exact refits the program without observations with a high Pareto k', async () => {
    // Without y[4], mu[2] has its prior distribution.
    const program = model.replace('vector[N] y;', 'vector[N] y; array[N] int g;').replace('real mu', 'vector[2] mu');
    writeFileSync(folder.path('groups.stan'), program.replace('y ~ normal(mu, 1)', 'y ~ normal(mu[g], 1)'));
    writeFileSync(folder.path('groups.json'), '{"N": 4, "y": [1, -0.5, 0.2, 3], "g": [1, 1, 1, 2]}');
    const data = ['--data', 'groups.json'];
    await folder.run('sample', 'groups.stan', ...data, '--chains', '2', '--seed', '1', '--output', 'groups.csv');
    const request = ['loo', 'groups_1.csv', 'groups_2.csv', '--program', 'groups.stan', ...data];
    assert.match((await folder.run(...request)).output, /Pareto k is above 0\.\d+ for 1 of 4 observations, y\[4\]/);
    const exact = [...request, '--exact', '--num-samples', '1000', '--seed', '2'];
    const { code, errors, output } = await folder.run(...exact);
    assert.equal(code, 0, errors);
    assert.match(
      output,
      /1 of 4 observations was left out by refits: y\[4\]\. R-hat of the refit is at most 1\.05: its chains agree\./,
    );
    const found = JSON.parse((await folder.run(...exact, '--format', 'json')).output);
    const { elpd, mcse, paretoK } = found.observations[3];
    const expected = -0.5 * Math.log(2 * Math.PI * 26) - 0.5 * (3 ** 2 / 26);
    assert.equal(paretoK, 0);
    assert.ok(mcse < 0.1 && Math.abs(elpd - expected) < 5 * mcse, `${elpd} ± ${mcse}, not ${expected}`);
    const without = await folder.run('loo', 'groups_1.csv', 'groups_2.csv', '--exact');
    assert.match(without.errors, /--exact requires --program and --data/);
  });

  it('kfold fits the program without each group of observations', async () => {
    const options = ['--data', 'data.json', '--seed', '1', '--num-warmup', '200', '--num-samples', '200'];
    const { code, errors, output } = await folder.run('kfold', 'plain.stan', ...options, '--folds', '3');
    assert.equal(code, 0, errors);
    assert.match(output, /elpd_kfold +-\d.*\nkfoldic +\d.*\n\n3 observations in 3 folds\. Monte Carlo standard error/);
    const rows = await folder.run('kfold', 'plain.stan', ...options, '--folds', '3', '--format', 'csv');
    assert.match(rows.output, /^name,fold,elpd_kfold,mcse_elpd_kfold\n(?:y\[[123]\],[123],-\d[-.\de]*,[-.\de]+\n){3}$/);
    const many = await folder.run('kfold', 'plain.stan', ...options, '--folds', '4');
    assert.equal(many.code, 1);
    assert.match(many.errors, /\/folds must be at most the number of observations, 3/);
    const unclear = await folder.run('kfold', 'unclear.stan', ...options);
    assert.equal(unclear.code, 1);
    assert.match(unclear.errors, /'unclear\.stan', line 1.*The posterior without an observation cannot be derived/s);
  });
});
