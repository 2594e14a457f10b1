/** Assessment of predictions on the command line. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type LooCase, readLooReference } from '../reference/cross-validation.js';
import { CommandFolder } from './command.js';

const { cases, comparison } = readLooReference();

/** The chains of a recorded case as files. */
function filesOf({ logLikelihood }: LooCase, name: string): [string, string][] {
  return logLikelihood.map((columns, chain) => {
    const head = ['lp__', ...columns.map((_, n) => `log_lik.${n + 1}`)].join();
    const rows = columns[0].map((_, draw) => [0, ...columns.map((values) => values[draw])].join());
    return [`${name}_${chain + 1}.csv`, `${[head, ...rows].join('\n')}\n`];
  });
}

describe('predictive performance', () => {
  const named = { schools: cases[0], milk: cases[1], 'milk-mean': cases[2], islands: cases[3] };
  const chains = (name: string) => [1, 2, 3, 4].map((chain) => `${name}_${chain}.csv`);
  let place: CommandFolder;
  before(async () => {
    place = await CommandFolder.create(
      Object.fromEntries(Object.entries(named).flatMap(([name, each]) => filesOf(each, name))),
    );
  });
  after(() => place.remove());

  for (const [name, { expected }] of Object.entries(named)) {
    it(`loo returns the numbers of the R package loo for ${name}`, async () => {
      const { output } = await place.run('loo', ...chains(name), '--format', 'json');
      const found = JSON.parse(output);
      const { elpd_loo, looic, p_loo } = expected.estimates;
      const pairs = [
        [found.elpd.estimate, elpd_loo[0]],
        [found.elpd.standardError, elpd_loo[1]],
        [found.effectiveParameters.estimate, p_loo[0]],
        [found.looic.standardError, looic[1]],
        ...found.observations.map(({ paretoK }: { paretoK: number }, n: number) => [paretoK, expected.paretoK[n]]),
      ];
      for (const [actual, value] of pairs) assert.ok(Math.abs(actual - value) < 1e-9 * Math.max(1, Math.abs(value)));
    });
  }

  it('loo prints a table and reports unreliable estimates', async () => {
    const good = await place.run('loo', ...chains('schools'));
    assert.match(good.output, /^ +Estimate +SE\nelpd_loo +-30\.7 +1\.26\np_loo /);
    assert.match(
      good.output,
      /\n8 observations\. Monte Carlo standard error of elpd_loo: 0\.0489\.\nAll Pareto k are at most 0\.667/,
    );
    const bad = await place.run('loo', ...chains('islands'));
    assert.match(
      bad.output,
      /10 observations\. warning: Pareto k is above 0\.667 for 6 of 10 observations, log_lik\[7\]/,
    );
  });

  it('loo writes one row per observation as CSV', async () => {
    const { output } = await place.run('loo', ...chains('schools'), '--format', 'csv');
    const [head, ...rows] = output.trimEnd().split('\n');
    assert.equal(head, 'name,elpd_loo,mcse_elpd_loo,p_loo,pareto_k');
    assert.equal(rows.length, 8);
    assert.match(rows[0], /^log_lik\[1\],-4\./);
  });

  it('compare ranks models and reports the standard error of the differences', async () => {
    const { errors, output } = await place.run(
      'compare',
      ...chains('milk-mean'),
      ...chains('milk'),
      '--format',
      'json',
    );
    const [best, other] = JSON.parse(output);
    assert.deepEqual([best.name, best.difference, other.name], ['milk', 0, 'milk-mean']);
    assert.ok(Math.abs(other.difference - comparison.difference[1]) < 1e-9);
    assert.ok(Math.abs(other.standardError - comparison.standardError[1]) < 1e-9);
    const pseudoBma = best.pseudoBmaPlus + other.pseudoBmaPlus;
    assert.ok(Math.abs(pseudoBma - 1) < 1e-12 && best.pseudoBmaPlus > 0.8, `${pseudoBma} ${best.pseudoBmaPlus}`);
    assert.match(errors, /^note: There are 17 observations: below 100/);
    const { output: table } = await place.run('compare', ...chains('milk-mean'), ...chains('milk'));
    assert.match(
      table,
      /^ +elpd_diff +se_diff +p_worse +elpd_loo +stacking +pseudo_bma_plus\nmilk +0 +0 +7\.84 +1 +0\.\d+\nmilk-mean +-3\.55/,
    );
  });

  it('loo and compare reject unsuitable input with a message', async () => {
    for (const [args, pattern] of [
      [
        ['loo', ...chains('milk'), '--variable', 'll'],
        /the draws have no variable ll\. Pass --program and --data .*--variable/,
      ],
      [
        ['compare', ...chains('milk'), ...chains('schools'), '--variable', 'll'],
        /the draws of milk have no variable ll\. Compare results of `leapfrog loo --program --data --format json`/,
      ],
      [['compare', ...chains('milk'), 'none.json'], /none\.json cannot be read/],
      [['compare', ...chains('milk')], /all files belong to one fit, milk; pass files of at least one other fit/],
      [
        ['compare', ...chains('milk'), ...chains('schools')],
        /milk has 17 observations, and schools has 8\. A comparison requires the same observations/,
      ],
    ] as const) {
      const { code, errors } = await place.run(...args);
      assert.equal(code, 1);
      assert.match(errors, pattern);
    }
  });
});
