/** K-fold cross-validation in the page. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { close, compile, type Refits } from '../../src/node/library/index.js';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { same } from './shown-numbers.js';
import { benchForAll } from './workbench.js';

const PROGRAM = `data {
  int<lower=0> N;
  vector[N] y;
  array[N] int<lower=1> team;
}
parameters {
  real mu;
}
model {
  mu ~ normal(0, 10);
  y ~ normal(mu, 1);
}
`;
const DATA = { N: 8, y: [0.3, -0.8, 1.1, 0.4, -0.2, 0.9, 1.4, -0.6], team: [3, 3, 7, 7, 9, 9, 3, 7] };
const SEED = 1;

describe('K-fold cross-validation in the page', { skip: withoutChromium }, () => {
  const bench = benchForAll();
  after(() => close());
  const page = () => bench().page;
  const region = () => page().getByRole('region', { name: 'K-fold cross-validation' });
  const button = (name: string) => region().getByRole('button', { name });
  const start = () => button('Refit without each fold');
  const count = () => region().getByLabel('Number of folds');
  const folds = () => region().getByRole('combobox');
  const status = () => region().getByRole('status');
  const ended = () => status().getByText('The refits are complete').waitFor();
  const estimates = () => region().getByRole('table').first();
  const refits = () => region().getByRole('table', { name: 'Refits' });

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

  /** What the page is expected to show. */
  async function expected(held: { readonly folds: number } | { readonly groups: string }): Promise<Refits> {
    const model = await compile(PROGRAM);
    return model.kfold({ ...held, algorithm: 'nuts', random_seed: SEED, num_chains: 4, data: DATA });
  }

  async function assertShown(wanted: Refits, names: readonly string[]): Promise<void> {
    for (const [name, { estimate, standardError }] of [
      ['elpd_kfold', wanted.elpd],
      ['kfoldic', wanted.kfoldic],
    ] as const) {
      const cells = estimates().getByRole('row', { name }).getByRole('cell');
      const [shown, error] = await cells.allTextContents();
      same(shown, estimate, name);
      same(error, standardError, `standard error of ${name}`);
    }
    const rows = await refits().locator('tbody tr').all();
    const found = await Promise.all(rows.map((row) => row.locator('th, td').allTextContents()));
    assert.deepEqual(
      found.map(([name]) => name),
      names,
    );
    for (const [place, { divergences, fold, observations, rhat }] of wanted.refits.entries()) {
      const [, size, elpd, shownRhat, shownDivergences] = found[place] ?? [];
      const own = wanted.observations.filter((each) => each.fold === fold);
      assert.deepEqual([size, shownDivergences], [`${observations}`, `${divergences}`]);
      same(
        elpd,
        own.reduce((sum, each) => sum + each.elpd, 0),
        `elpd of fold ${fold}`,
      );
      same(shownRhat, rhat, `R-hat of fold ${fold}`);
    }
  }

  it('requires a number of folds that suits the observations', async () => {
    await runOn(1, PROGRAM, DATA);
    assert.equal(await count().inputValue(), '8');
    for (const wrong of ['1', '9', '']) {
      await count().fill(wrong);
      await start().click();
      assert.equal(await count().evaluate((input) => input.matches(':invalid:focus')), true, wrong);
      assert.equal(await status().textContent(), '');
    }
  });

  it('leaves out random folds, with the estimates of the library', async () => {
    await count().fill('4');
    // What is shown during the refits, however short they are.
    await page().evaluate(`(() => {
      const region = document.querySelector('section[aria-label="K-fold cross-validation"]');
      new MutationObserver(() => {
        const named = region.querySelector('progress')?.getAttribute('aria-label');
        if (named) region.setAttribute('data-progress', named + ', ' + region.querySelector('button').textContent);
      }).observe(region, { childList: true, subtree: true });
    })()`);
    await start().focus();
    await page().keyboard.press('Enter');
    await ended();
    assert.equal(await region().getAttribute('data-progress'), 'Refits, Cancel');
    assert.equal(await start().evaluate((element) => element.matches(':focus')), true);
    await assertShown(await expected({ folds: 4 }), ['1', '2', '3', '4']);
    await region().getByText('R-hat is at most 1.05 in all 4 refits').waitFor();
    assert.deepEqual(await axeFindings(page()), []);
  });

  it('leaves out the groups of a data variable', async () => {
    await folds().selectOption('by team');
    assert.equal(await count().count(), 0);
    await start().click();
    await refits().getByRole('columnheader', { name: 'team' }).waitFor();
    await ended();
    await assertShown(await expected({ groups: 'team' }), ['3', '7', '9']);
  });

  it('is cancelled, and stays with its run', async () => {
    // No message of a worker can arrive between the two presses.
    await start().focus();
    await page().evaluate(`(async () => {
      document.activeElement.click();
      await Promise.resolve();
      document.activeElement.click();
    })()`);
    await status().getByText('The refits were cancelled.').waitFor();
    assert.equal(await refits().count(), 0);
    await runOn(2, PROGRAM, { ...DATA, N: 2, y: [0.1, 0.2], team: [1, 2] });
    assert.equal(await status().textContent(), '');
    assert.equal(await folds().count(), 0);
    assert.equal(await count().inputValue(), '2');
    await page()
      .getByRole('button', { name: /^Run 1 / })
      .click();
    await status().getByText('The refits were cancelled.').waitFor();
    assert.equal(await folds().inputValue(), 'team');
  });

  it('keeps the choice of folds while another view is shown', async () => {
    await bench().tab('Summary');
    await region().waitFor({ state: 'detached' });
    await bench().tab('Predictive');
    assert.equal(await folds().inputValue(), 'team');
    await folds().selectOption('');
    await count().fill('3');
    await bench().tab('Summary');
    await region().waitFor({ state: 'detached' });
    await bench().tab('Predictive');
    assert.deepEqual([await folds().inputValue(), await count().inputValue()], ['', '3']);
  });

  it('runs on the server, with the same estimates, and is cancelled there', async () => {
    await page().getByRole('button', { name: 'Server', exact: true }).click();
    await count().fill('4');
    const asked = page().waitForRequest((request) => request.method() === 'POST' && request.url().includes('/kfold'));
    await start().click();
    await asked;
    await ended();
    await assertShown(await expected({ folds: 4 }), ['1', '2', '3', '4']);
    const cancelled = page().waitForRequest((request) => request.method() === 'DELETE');
    await page().route(
      /\/kfold/,
      async (route) => {
        await button('Cancel').click();
        await route.continue();
      },
      { times: 1 },
    );
    await start().click();
    assert.match((await cancelled).url(), /\/operations\//);
    await status().getByText('The refits were cancelled.').waitFor();
    await page().getByRole('button', { name: 'Browser', exact: true }).click();
  });

  it('shows why it has failed', async () => {
    const joint = PROGRAM.replace('y ~ normal(mu, 1);', 'y ~ multi_normal(rep_vector(mu, N), identity_matrix(N));');
    const terms = 'vector[N] log_lik; for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | mu, 1);';
    await runOn(3, `${joint}generated quantities { ${terms} }\n`, DATA);
    await start().click();
    await status()
      .getByText(/^The refits failed: Line 11: .*it is a joint density of all observations/)
      .waitFor();
  });
});
