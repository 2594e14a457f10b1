/** Refits without the observations whose Pareto k is high, in the page. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { close, compile, type LeaveOneOut } from '../../src/node/library/index.js';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { same } from './shown-numbers.js';
import { benchForAll } from './workbench.js';

const PROGRAM = `data {
  int<lower=0> N;
  vector[N] y;
}
parameters {
  real mu;
}
model {
  mu ~ normal(0, 10);
  y ~ normal(mu, 1);
}
`;
const USUAL = [0.3, -0.8, 1.1, 0.4, -0.2, 0.9];
const DATA = { N: 7, y: [...USUAL, 9] };
const SEED = 1;

/** What the page is expected to show for the draws of a sampler. */
async function exactly(
  algorithm: 'nuts' | 'recommended',
): Promise<{ readonly weighted: LeaveOneOut; readonly exact: LeaveOneOut }> {
  const model = await compile(PROGRAM);
  const sampler = { algorithm, random_seed: SEED, num_chains: 4 };
  const fit = await model.sample({ ...sampler, data: DATA }).result();
  const weighted = await model.loo(fit, DATA);
  return { weighted, exact: await model.loo(fit, DATA, { exact: sampler }) };
}

describe('refits in the page', { skip: withoutChromium }, () => {
  const bench = benchForAll();
  after(() => close());
  const page = () => bench().page;
  const loo = () => page().getByRole('region', { name: 'Leave-one-out cross-validation' });
  const button = (name: RegExp) => loo().getByRole('button', { name });
  const offer = () => button(/^Refit without this observation$/);
  const status = () => loo().getByRole('status');
  const ended = () => status().getByText('The refits are complete').waitFor();
  const cells = (row: RegExp) => loo().getByRole('row', { name: row }).getByRole('cell').allTextContents();
  const isFocused = (name: RegExp) => button(name).evaluate((element) => element.matches(':focus'));

  async function runOn(number: number, program: string, data: object): Promise<void> {
    await bench().tab('data.json');
    await bench().write(JSON.stringify(data));
    await bench().tab('model.stan');
    await bench().write(program);
    await page()
      .getByText(/^No errors|^\d+ warnings?$/)
      .waitFor();
    await page().getByLabel('seed').fill(`${SEED}`);
    await bench().run();
    await page()
      .getByRole('button', { name: new RegExp(`^Run ${number} (reliable|\\d+ problem)`) })
      .waitFor();
    await bench().tab('Predictive');
  }

  it('are not offered if all estimates are reliable', async () => {
    await runOn(1, PROGRAM, { N: USUAL.length, y: USUAL });
    await loo().getByText('All Pareto k are at most').waitFor();
    assert.equal(await button(/^Refit/).count(), 0);
    assert.equal(await loo().getByRole('table').count(), 1);
  });

  it('are cancelled, and started again by keyboard', async () => {
    await runOn(2, PROGRAM, DATA);
    await offer().waitFor();
    assert.match((await cells(/^y\[7\]/))[2] ?? '', /^\d/);
    await offer().focus();
    // No message of a worker can arrive between the two presses.
    await page().evaluate(`(async () => {
      document.activeElement.click();
      await Promise.resolve();
      document.activeElement.click();
    })()`);
    await status().getByText('The refits were cancelled.').waitFor();
    assert.equal(await isFocused(/^Refit without this observation$/), true);
    assert.match((await cells(/^y\[7\]/))[2] ?? '', /^\d/);
  });

  it('replace the estimates by those of the library', async () => {
    const { exact, weighted } = await exactly('nuts');
    const before = await cells(/^elpd_loo/);
    same(before[0], weighted.elpd.estimate, 'elpd_loo without refits');
    // What is shown during the refits, however short they are.
    await page().evaluate(`(() => {
      const region = document.querySelector('.loo');
      new MutationObserver(() => {
        const named = region.querySelector('progress')?.getAttribute('aria-label');
        if (named) region.setAttribute('data-progress', named + ', ' + region.querySelector('button:not(.term)').textContent);
      }).observe(region, { childList: true, subtree: true });
    })()`);
    await page().keyboard.press('Enter');
    await ended();
    assert.equal(await loo().getAttribute('data-progress'), 'Refits, Cancel');
    assert.equal(await isFocused(/^Discard the refits$/), true);
    const [estimate, error] = await cells(/^elpd_loo/);
    same(estimate, exact.elpd.estimate, 'elpd_loo');
    same(error, exact.elpd.standardError, 'its standard error');
    same((await cells(/^p_loo/))[0], exact.effectiveParameters.estimate, 'p_loo');
    const [elpd, mcse, mark] = await cells(/^y\[7\]/);
    const refitted = exact.observations[6];
    same(elpd, refitted?.elpd ?? Number.NaN, 'elpd of y[7]');
    same(mcse, refitted?.mcse ?? Number.NaN, 'mcse of y[7]');
    assert.equal(mark, 'exact');
    assert.notEqual(estimate, before[0]);
    await status().getByText(`elpd_loo is ${estimate} instead of ${before[0]}.`).waitFor();
    await loo().getByText('1 of 7 observations was left out by refits: y[7].').waitFor();
    assert.deepEqual(await axeFindings(page()), []);
  });

  it('stay with their run, and can be discarded', async () => {
    await page()
      .getByRole('button', { name: /^Run 1 / })
      .click();
    await loo().getByText('All Pareto k are at most').waitFor();
    assert.equal(await button(/refits/).count(), 0);
    await page()
      .getByRole('button', { name: /^Run 2 / })
      .click();
    await button(/^Discard the refits$/).click();
    await offer().waitFor();
    assert.match((await cells(/^y\[7\]/))[2] ?? '', /^\d/);
  });

  it('start from the draws of a run on the server', async () => {
    await page().getByRole('button', { name: 'Server', exact: true }).click();
    await runOn(3, PROGRAM, DATA);
    await offer().click();
    await ended();
    assert.equal((await cells(/^y\[7\]/))[2], 'exact');
    await page().getByRole('button', { name: 'Browser', exact: true }).click();
  });

  it('take the sampler of the run', async () => {
    await page().getByLabel('method', { exact: true }).selectOption('leapfrog::services::sample::recommended');
    await runOn(4, PROGRAM, DATA);
    await offer().click();
    await ended();
    const { exact } = await exactly('recommended');
    const [elpd, mcse] = await cells(/^y\[7\]/);
    const refitted = exact.observations[6];
    same(elpd, refitted?.elpd ?? Number.NaN, 'elpd of y[7]');
    same(mcse, refitted?.mcse ?? Number.NaN, 'mcse of y[7]');
  });

  it('are marked in comparisons of runs', async () => {
    await bench().tab('Compare');
    const region = page().getByRole('region', { name: 'Comparison of predictions' });
    for (const [run, isCompared] of [
      [1, false],
      [2, true],
      [3, false],
      [4, true],
    ] as const)
      await region.getByRole('checkbox', { name: `Run ${run}` }).setChecked(isCompared);
    const high = region.getByRole('table', { name: 'High Pareto k' });
    const outlier = high.getByRole('row', { name: /^y\[7\]/ }).getByRole('cell');
    await outlier.filter({ hasText: 'exact' }).waitFor();
    const names = await high.getByRole('columnheader').allTextContents();
    const shown = await outlier.allTextContents();
    assert.equal(shown[names.indexOf('Run 4') - 1], 'exact');
    assert.match(shown[names.indexOf('Run 2') - 1] ?? '', /^\d/);
  });

  it('show why they have failed', async () => {
    const joint = PROGRAM.replace('y ~ normal(mu, 1);', 'y ~ multi_normal(rep_vector(mu, N), identity_matrix(N));');
    const terms = 'vector[N] log_lik; for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | mu, 1);';
    await runOn(5, `${joint}generated quantities { ${terms} }\n`, DATA);
    await offer().click();
    await status()
      .getByText(/^The refits failed: Line 10: .*it is a joint density of all observations/)
      .waitFor();
    await offer().waitFor();
  });
});
