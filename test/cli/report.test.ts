/** The report at the end of a run, and messages for files that do not belong together. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { CommandFolder } from './command.js';
import { DATA, NORMAL } from './normal-model.js';

/** Neal's funnel with a step size that is too long for its neck. */
const FUNNEL = `parameters {
  real y;
  vector[9] x;
}
model {
  y ~ normal(0, 3);
  x ~ normal(0, exp(y / 2));
}
`;

describe('the end of a run', () => {
  let place: CommandFolder;
  before(async () => {
    place = await CommandFolder.create({ 'model.stan': NORMAL, 'data.json': DATA, 'funnel.stan': FUNNEL });
  });
  after(() => place.remove());

  const last = (output: string, count: number) => output.trimEnd().split('\n').slice(-count);

  it('names the files, which are named after program and method, and reports that no problem was found', async () => {
    const { output } = await place.run('sample', 'model.stan', '--data', 'data.json', '--seed', '1', '--chains', '2');
    assert.deepEqual(last(output, 2), [
      'Written: model-sample_1.csv, model-sample_2.csv',
      'No problems found in divergences, tree depth, E-BFMI, R-hat and effective sample sizes.',
    ]);
    const ids = [1, 2].map((chain) => {
      const text = readFileSync(place.path(`model-sample_${chain}.csv`), 'utf8');
      return /^# run_id = (\S+)$/m.exec(text)?.[1];
    });
    assert.ok(ids[0] !== undefined && ids[0] === ids[1], `${ids}`);
    const optimum = await place.run('optimize', 'model.stan', '--data', 'data.json', '--seed', '1');
    assert.deepEqual(last(optimum.output, 1), ['Written: model-optimize.csv']);
  });

  it('reports each problem in one line, with a remedy', async () => {
    const fixed = '--adapt-engaged 0 --stepsize 0.7 --max-depth 3'.split(' ');
    const { output } = await place.run('sample', 'funnel.stan', '--seed', '1', ...fixed);
    const lines = last(output, 6).filter((line) => line.startsWith('warning: '));
    for (const pattern of [
      /diverged: .*Increase delta/,
      /reached the maximum tree depth of 3: .*Increase max_depth/,
      /R-hat is above 1\.01 .*Run them longer/,
    ])
      assert.equal(lines.filter((line) => pattern.test(line)).length, 1, `${pattern} in\n${lines.join('\n')}`);
    assert.match(lines.join(), /x\[\d\] \(/);
  });

  it('reports that there are too few draws to judge', async () => {
    const { output } = await place.run('sample', 'model.stan', '--data', 'data.json', '--num-samples', '3');
    assert.match(last(output, 1)[0], /^warning: There are 3 draws per chain, too few to check/);
  });

  it('is recorded in the files, so that a summary of different runs reports it', async () => {
    const run = (program: string, output: string) =>
      place.run('sample', program, '--data', 'data.json', '--num-samples', '20', '--output', output);
    await run('model.stan', 'a.csv');
    await run('model.stan', 'b.csv');
    await run('model.stan', 'c.arrow');
    for (const [files, pattern] of [
      [['a.csv', 'b.csv'], /^warning: a\.csv and b\.csv are not chains of one fit: they come from different runs\.\n$/],
      [['a.csv', 'c.arrow'], /^warning: a\.csv and c\.arrow are not .*different runs/],
      [['a.csv', 'a.csv'], /^warning: a\.csv and a\.csv contain the same chain/],
      [['a.csv'], /^$/],
    ] as const) {
      const { code, errors } = await place.run('summary', ...files);
      assert.equal(code, 0);
      assert.match(errors, pattern);
    }
  });
});
