import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CommandFolder } from './command.js';

const PROGRAM = (prior: string) => `data { int n; int y; } parameters { real<lower=0, upper=1> p; }
model { p ~ ${prior}; y ~ binomial(n, p); }`;
/** With a uniform prior, all counts from 0 to n have the same probability. */
const TRUTH = -Math.log(13);

describe('the command evidence', () => {
  let place: CommandFolder;
  const evidence = (name: string, ...more: readonly string[]) => {
    const files = [1, 2, 3, 4].map((chain) => `${name}-sample_${chain}.csv`);
    return place.run('evidence', ...files, '--program', `${name}.stan`, '--data', 'data.json', ...more);
  };

  const write = (name: string, text: string) => writeFileSync(join(place.folder, name), text);

  before(async () => {
    place = await CommandFolder.create({
      'uniform.stan': PROGRAM('beta(1, 1)'),
      'narrow.stan': PROGRAM('beta(2, 20)'),
      'data.json': '{"n": 12, "y": 9}',
    });
    for (const name of ['uniform', 'narrow']) {
      await place.run('sample', `${name}.stan`, '--data', 'data.json', '--chains', '4', '--seed', '1');
      write(`${name}.json`, (await evidence(name, '--format', 'json')).output);
    }
  });
  after(() => place.remove());

  it('prints the log evidence as text, CSV and JSON', async () => {
    const { code, errors, output } = await evidence('uniform');
    assert.equal(code, 0, errors);
    assert.match(output, /^ +Estimate +SE\nlog_evidence +-2\.56\d+ +0\.0\d+\n\n4000 draws\. The chains agree/);
    const [, row] = (await evidence('uniform', '--format', 'csv')).output.split('\n');
    const [estimate, error] = row.split(',').map(Number);
    assert.ok(Math.abs(estimate - TRUTH) < 5 * error);
    const { logEvidence, observed, ok } = JSON.parse((await evidence('uniform', '--format', 'json')).output);
    assert.equal(logEvidence, estimate);
    assert.deepEqual(observed, [{ name: 'y', isOutcome: true, values: [9] }]);
    assert.ok(ok);
  });

  it('compare computes probabilities of models', async () => {
    const rows = (await place.run('compare', 'narrow.json', 'uniform.json', '--format', 'json')).output;
    const [best, other] = JSON.parse(rows);
    assert.equal(best.name, 'uniform');
    assert.ok(other.logBayesFactor < -3 && Math.abs(best.posterior + other.posterior - 1) < 1e-12);
    const weighed = await place.run('compare', 'narrow.json', 'uniform.json', '--prior', '3,1');
    assert.match(weighed.output, /^ +log_evidence +se +log_bayes_factor +se_diff +prior +posterior\nuniform .* 0\.25 /);
  });

  it('compare rejects wrong priors and mixtures of files', async () => {
    const few = await place.run('compare', 'narrow.json', 'uniform.json', '--prior', '1');
    assert.match(few.errors, /--prior must be 2 positive numbers/);
    const mixed = await place.run('compare', 'narrow.json', 'uniform-sample_1.csv');
    assert.match(mixed.errors, /uniform-sample_1\.csv is not a result of leapfrog evidence/);
  });

  it('rejects other data', async () => {
    write('data.json', '{"n": 12, "y": 2}');
    const { code, errors } = await evidence('uniform');
    assert.equal(code, 1);
    assert.match(errors, /^error: .*differs from lp__ of the draws/);
  });
});
