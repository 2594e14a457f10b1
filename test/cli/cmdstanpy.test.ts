/** CmdStanPy reads the output of the commands. Requires a `python3` with CmdStanPy. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { withoutModules } from '../support/packages.js';
import { CommandFolder } from './command.js';

const PROGRAM = `parameters {
  real mu;
}
model {
  mu ~ std_normal();
}
generated quantities {
  vector[2] w = [mu, normal_rng(mu, 1)]';
}
`;

/** Prints the means of `mu` and of `w`. CmdStanPy's `from_csv` has no way to read generated quantities. */
const READER = `import json, logging
from cmdstanpy import CmdStanGQ, from_csv
from cmdstanpy.cmdstan_args import CmdStanArgs, GenerateQuantitiesArgs
from cmdstanpy.stanfit import RunSet
fit = from_csv(['s_1.csv', 's_2.csv'])
args = CmdStanArgs('m', 'python3', [1, 2], GenerateQuantitiesArgs(['s_1.csv', 's_2.csv']))
runs = RunSet(args, chains=2)
runs._csv_files = ['g_1.csv', 'g_2.csv']
for chain in range(2): runs._set_retcode(chain, 0)
generated = CmdStanGQ(runs, fit)
print(json.dumps([fit.draws().shape[:2], fit.stan_variable('mu').tolist(), generated.stan_variable('w').tolist()]))
`;

describe('CmdStanPy', { skip: withoutModules(['cmdstanpy']) }, () => {
  let place: CommandFolder;
  before(async () => {
    place = await CommandFolder.create({ 'm.stan': PROGRAM, 'read.py': READER });
  });
  after(() => place.remove());

  const rowsOf = (name: string): number[][] => {
    const lines = readFileSync(place.path(name), 'utf8').split('\n');
    const [, ...rows] = lines.filter((line) => line !== '' && !line.startsWith('#'));
    return rows.map((row) => row.split(',').map(Number));
  };

  it('reads the chains of sample, and the quantities that generate adds to them', async () => {
    const flags = ['--seed', '1', '--num-warmup', '100', '--num-samples', '50', '--chains', '2'];
    const sampled = await place.run('sample', 'm.stan', ...flags, '--output', 's.csv');
    assert.equal(sampled.code, 0, sampled.errors);
    const fitted = ['--fitted-params', 's_1.csv', 's_2.csv'];
    const generated = await place.run('generate', 'm.stan', ...fitted, '--seed', '2', '--output', 'g.csv');
    assert.equal(generated.code, 0, generated.errors);
    const { status, stdout, stderr } = spawnSync('python3', ['read.py'], { cwd: place.folder, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    const [shape, mu, w] = JSON.parse(stdout);
    assert.deepEqual(shape, [50, 2]);
    const rows = ['g_1.csv', 'g_2.csv'].flatMap(rowsOf);
    assert.deepEqual(w, rows);
    const [first] = w;
    assert.equal(mu[0], first[0]);
  });
});
