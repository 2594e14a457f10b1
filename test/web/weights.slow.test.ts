/** Comparing the predictions of more than two runs: differences, weights, and observations with a high Pareto k. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { benchForAll } from './workbench.js';

const program = (scale: string) => `data { int N; vector[N] y; }
parameters { real mu; real<lower=0> sigma; }
model {
  mu ~ normal(0, 10);
  sigma ~ exponential(0.1);
  y ~ normal(mu, ${scale});
}
`;
const data = (last: number) => `{"N": 8, "y": [1.1, 0.4, 1.9, 0.2, 1.4, 0.9, 0.7, ${last}]}`;

describe('the comparison of predictions', { skip: withoutChromium }, () => {
  const bench = benchForAll();
  const region = () => bench().page.getByRole('region', { name: 'Comparison of predictions' });

  async function runWith(scale: string, last: number, number: number): Promise<void> {
    await bench().tab('model.stan');
    await bench().write(program(scale));
    // The state after the first program: "No errors, no warnings" is shown only until the data are found to be missing.
    if (number === 1) await bench().page.getByText('The data do not fit the program').waitFor();
    await bench().tab('data.json');
    await bench().write(data(last));
    if (number === 1) {
      await bench().page.getByText('Ready to run').waitFor();
      await bench().page.getByLabel('seed').fill('1');
    }
    await bench().run();
    await bench()
      .page.getByRole('button', { name: new RegExp(`^Run ${number} reliable`) })
      .waitFor();
  }

  it('is of all runs with the same data', async () => {
    const { page } = bench();
    await runWith('1', 12, 1);
    await runWith('3', 12, 2);
    await bench().tab('Compare');
    await region()
      .getByRole('row', { name: /^Run 2/ })
      .first()
      .waitFor();
    assert.equal(await region().getByRole('group').count(), 0, 'there is nothing to choose');
    await runWith('sigma', 12, 3);
    await region().getByRole('group', { name: 'Runs to compare' }).waitFor();
    assert.ok(await region().getByRole('checkbox', { name: 'Run 1' }).isChecked());
    const table = region().getByRole('table').first();
    await table.getByRole('row', { name: /^Run 1/ }).waitFor();
    const rows = await table
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader') })
      .all();
    assert.equal(rows.length, 3);
    const cells = await Promise.all(rows.map((row) => row.getByRole('cell').allTextContents()));
    for (const column of [4, 5]) {
      const weights = cells.map((row) => Number(row[column]));
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      assert.ok(Math.abs(total - 1) < 0.01 && weights.every((weight) => weight >= 0), `weights ${weights}`);
    }
    const differences = cells.map((row) => Number((row[0] ?? '').replace('−', '-')));
    assert.equal(differences[0], 0);
    assert.ok(differences.every((value, k) => k === 0 || value < (differences[k - 1] ?? 0)));
  });

  it('lists and plots the observations whose Pareto k is high', async () => {
    const high = region().getByRole('table', { name: 'High Pareto k' });
    const outlier = high.getByRole('row', { name: /^y\[8\]/ });
    await outlier.waitFor();
    assert.ok((await outlier.locator('.wrong').count()) >= 1);
    await region()
      .getByRole('img', { name: /^Differences of elpd_loo by observation.* Crosses mark the [1-9]/ })
      .waitFor();
    await region()
      .getByRole('img', { name: /^Differences of elpd_loo from the best/ })
      .waitFor();
    assert.deepEqual(await axeFindings(bench().page), []);
  });

  it('is refused if observations differ', async () => {
    await runWith('sigma', 2, 4);
    await region()
      .getByText(/^Number 8 of y is 12 in Run 3, and 2 in Run 4/)
      .waitFor();
    await region().getByRole('checkbox', { name: 'Run 3' }).uncheck();
    await region().getByText('Choose at least two runs.').waitFor();
    await region().getByRole('checkbox', { name: 'Run 1' }).check();
    await region()
      .getByText(/^Number 8 of y is 12 in Run 1, and 2 in Run 4/)
      .waitFor();
  });
});
