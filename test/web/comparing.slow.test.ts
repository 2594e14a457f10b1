/** Comparing runs in the page with each other and with their prior. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { benchForAll } from './workbench.js';

const PROGRAM = `data { int N; vector[N] y; }
parameters { real mu; }
model {
  mu ~ normal(0, 10);
  y ~ normal(mu, 1);
}
generated quantities {
  vector[N] log_lik;
  for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | mu, 1);
}
`;
const Y = [1.1, 0.4, 1.9, 0.2, 1.4];
const DATA = JSON.stringify({ N: Y.length, y: Y });

/** The log density of normal y with a normal mean of expectation 0: that of a multivariate normal distribution. */
function logEvidence(y: readonly number[], variance: number, priorVariance: number): number {
  const total = variance + y.length * priorVariance;
  const sum = y.reduce((all, value) => all + value, 0);
  const squares = y.reduce((all, value) => all + value ** 2, 0);
  const logDeterminant = (y.length - 1) * Math.log(variance) + Math.log(total);
  const form = (squares - (priorVariance * sum ** 2) / total) / variance;
  return -0.5 * (y.length * Math.log(2 * Math.PI) + logDeterminant + form);
}

describe('the comparison of runs', { skip: withoutChromium }, () => {
  const bench = benchForAll(async (bench) => {
    await bench.write(PROGRAM);
    await bench.tab('data.json');
    await bench.write(DATA);
    await bench.page.getByText('Ready to run').waitFor();
    await bench.page.getByLabel('seed').fill('1');
    await bench.run();
    await bench.page.getByRole('button', { name: /^Run 1 reliable/ }).waitFor();
  });

  const section = (name: string) => bench().page.getByRole('region', { name });

  it('explains what to do if there is only one run', async () => {
    await bench().tab('Compare');
    await bench().page.getByText("This is the project's only run").waitFor();
  });

  it('shows what was changed and its effect', async () => {
    await bench().tab('model.stan');
    await bench().write(PROGRAM.replace('y ~ normal(mu, 1)', 'y ~ normal(mu, 2)').replaceAll('| mu, 1)', '| mu, 2)'));
    await bench().page.getByText('No errors, no warnings').waitFor();
    await bench().run();
    await bench()
      .page.getByRole('button', { name: /^Run 2 reliable/ })
      .waitFor();
    const changed = section('Changes of model.stan');
    await changed.waitFor();
    assert.deepEqual(await changed.locator('.removed code').allTextContents(), [
      '  y ~ normal(mu, 1);',
      '  for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | mu, 1);',
    ]);
    assert.deepEqual(await changed.locator('.added code').allTextContents(), [
      '  y ~ normal(mu, 2);',
      '  for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | mu, 2);',
    ]);
    const mu = section('Summaries side by side').getByRole('row', { name: /^mu/ });
    const ratio = Number(await mu.getByRole('cell').last().textContent());
    assert.ok(ratio > 1.8 && ratio < 2.2, `the standard deviation doubles with that of the data, not ${ratio}`);
    const loo = section('Comparison of predictions');
    await loo.getByRole('row', { name: /^Run 1/ }).waitFor();
    assert.equal(await loo.getByRole('row').nth(1).getByRole('cell').first().textContent(), '0.00');
    await loo.getByText('There are 5 observations').waitFor();
  });

  it('computes Bayes factors on request, which agree with closed forms', async () => {
    await bench().page.getByRole('button', { name: 'Compute Bayes factors' }).click();
    const table = section('Bayes factors');
    await table.getByRole('row', { name: /^Run 2/ }).waitFor();
    const [best, worse] = [1, 2].map((variance) => logEvidence(Y, variance ** 2, 100));
    for (const [row, name, expected] of [
      [1, 'Run 1', [best, 0]],
      [2, 'Run 2', [worse, worse - best]],
    ] as const) {
      const cells = table.getByRole('row').nth(row);
      assert.match((await cells.getByRole('rowheader').textContent()) ?? '', new RegExp(`^${name}`));
      const texts = await cells.getByRole('cell').allTextContents();
      const [evidence, , factor] = texts.map((text) => Number(text.replace('−', '-')));
      assert.ok(Math.abs(evidence - expected[0]) < 0.05, `${texts} instead of ${expected}`);
      assert.ok(Math.abs(factor - expected[1]) < 0.05, `${texts} instead of ${expected}`);
    }
    assert.deepEqual(await axeFindings(bench().page), []);
  });

  it('draws from the prior', async () => {
    await bench().page.getByRole('button', { name: 'Draw from the prior' }).click();
    await bench()
      .page.getByRole('button', { name: /^Run 3, prior sampled/ })
      .waitFor();
    await bench().tab('Verdict');
    await bench().page.getByRole('heading', { name: 'These draws represent the prior' }).waitFor();
    await bench().page.getByText('This run did not use the likelihood.').waitFor();
    await bench().tab('Predictive');
    await bench().page.getByText('These simulations come from the prior').waitFor();
    await bench()
      .page.getByRole('img', { name: /simulations/ })
      .first()
      .waitFor();
    await bench().tab('Compare');
    const changed = section('Changes of model.stan');
    assert.deepEqual(await changed.locator('.added code').allTextContents(), ['  ; /* y ~ normal(mu, 2); */']);
    const row = section('Summaries side by side').getByRole('row', { name: /^mu/ });
    const sd = Number(await row.getByRole('cell').nth(5).textContent());
    assert.ok(sd > 9 && sd < 11, `the prior's standard deviation is 10, not ${sd}`);
    await bench()
      .page.getByRole('img', { name: /Density of mu in Run 2 and Run 3, prior/ })
      .waitFor();
  });

  it('shows a run that is the reference in densities and intervals of others', async () => {
    const { page } = bench();
    await page.getByRole('button', { name: 'All runs…' }).click();
    const list = page.getByRole('dialog', { name: 'Runs' });
    const pin = list
      .getByRole('listitem')
      .filter({ has: page.getByLabel('Name of Run 1') })
      .getByRole('button', { name: 'Reference in plots' });
    await pin.click();
    assert.equal(await pin.getAttribute('aria-pressed'), 'true');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Run 2/ }).click();
    await bench().tab('Plots');
    await page.getByRole('list', { name: 'Colors' }).getByText('Run 1').waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole('button', { name: 'All runs…' }).click();
    await pin.click();
    await page.keyboard.press('Escape');
    await page.getByRole('list', { name: 'Colors' }).getByText('Run 1').waitFor({ state: 'detached' });
    await bench().tab('Compare');
  });

  it('is accessible', async () => {
    assert.deepEqual(await axeFindings(bench().page), []);
  });

  it('names runs, with notes that the page keeps', async () => {
    const { page } = bench();
    await page.getByRole('button', { name: /^Run 2/ }).dblclick();
    const list = page.getByRole('dialog', { name: 'Runs' });
    await list.locator('[aria-label="Name of Run 2"]:focus').waitFor();
    await page.keyboard.type('wider');
    await list.getByRole('textbox', { name: 'Note on Run 2' }).fill('twice the scale');
    await list.getByText('Changed since Run 1: model.stan').waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await page.keyboard.press('Escape');
    await bench().tab('Compare');
    await page.getByLabel('Run 2: wider, compared with').waitFor();
    await section('Comparison of predictions')
      .getByRole('row', { name: /^Run 2: wider/ })
      .waitFor();
    await bench().tab('Verdict');
    await page.getByText('twice the scale').waitFor();

    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('menuitem', { name: /^Save as a zip/ }).click();
    const file = await (await saved).path();
    await page.reload();
    await page.getByRole('button', { name: /^Run 2: wider reliable/ }).waitFor();
    await page.getByRole('button', { name: 'Projects' }).click();
    await page.getByRole('menuitem', { name: 'New project' }).click();
    const chosen = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Projects' }).click();
    await page.getByRole('menuitem', { name: /^Open files/ }).click();
    await (await chosen).setFiles({ name: 'named.zip', mimeType: 'application/zip', buffer: readFileSync(file) });
    await page.getByRole('button', { name: /^Run 2: wider/ }).click();
    await page.getByText('twice the scale').waitFor();
  });

  it('returns to the program and the data of a run', async () => {
    const { page } = bench();
    await page.getByRole('button', { name: 'All runs' }).click();
    const list = page.getByRole('dialog', { name: 'Runs' });
    await list.getByRole('button', { name: 'Take program and data back' }).last().click();
    const notice = page.getByText('The program, the data and the settings are those of Run 1 again.');
    await notice.waitFor();
    const editor = page.locator('.write [contenteditable]:visible');
    await editor.getByText('y ~ normal(mu, 1);').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await editor.getByText('y ~ normal(mu, 2);').waitFor();

    // The program of a run of the prior is derived: the original one returns.
    await page.getByRole('button', { name: 'All runs' }).click();
    await list.getByRole('button', { name: 'Take program and data back' }).first().click();
    await page.getByText('those of Run 3, prior again').waitFor();
    assert.equal(await editor.getByText('; /*').count(), 0);
    await page.getByText('No errors, no warnings').waitFor();
    await bench().run();
    await page.getByRole('button', { name: /^Run 4 reliable same as Run 2: wider/ }).waitFor();
    await page.getByRole('button', { name: 'Delete run 4' }).click();
    await bench().tab('Compare');
  });

  it('explains why the prior cannot be separated', async () => {
    await bench().write('data { real y; } parameters { real mu; } model { target += -square(y - mu); }');
    await bench()
      .page.getByRole('button', { name: /^\d problems? in the data$/ })
      .waitFor();
    await bench().page.getByRole('button', { name: 'Draw from the prior' }).click();
    await bench()
      .page.getByText('Line 1: it adds an expression of data to the target that is not a density.')
      .waitFor();
  });

  it('lists every draw, and makes one of them the next data', async () => {
    await bench().write(
      'data { int N; array[N] real y; } parameters { real mu; } model { mu ~ std_normal(); }\n' +
        'generated quantities { array[N] real y_rep = normal_rng(rep_vector(mu, N), 1); }',
    );
    await bench()
      .page.getByText(/No errors|^\d+ warnings?$/)
      .waitFor();
    await bench().run();
    await bench()
      .page.getByRole('button', { name: /^Run 4 reliable/ })
      .waitFor();
    await bench().tab('Draws');
    await bench().page.getByLabel('Quantities to list').fill('y_rep');
    const cells = section('Draws').getByRole('row').nth(7).getByRole('cell');
    const shown = (await cells.allTextContents()).map((text) => Number(text.replace('−', '-')));
    await bench().page.getByLabel('draw', { exact: true }).fill('7');
    await bench().page.getByRole('button', { name: 'Use as data' }).click();
    const text = (await bench().page.locator('.write .cm-content').allTextContents()).join('');
    const data: { readonly y: readonly number[] } = JSON.parse(text);
    assert.equal(data.y.length, 5);
    assert.deepEqual(
      data.y.map((value) => Number(value.toPrecision(3))),
      shown,
    );
  });

  it('shows why a run without draws cannot be compared', async () => {
    await bench().tab('model.stan');
    await bench().write('parameters { real mu; } model { reject("no value is possible"); }');
    await bench()
      .page.getByText(/^No errors|^\d+ warnings?$/)
      .waitFor();
    await bench().run();
    await bench()
      .page.getByRole('button', { name: /^Run 5 failed/ })
      .waitFor();
    await bench().tab('Compare');
    await bench().page.getByText('Run 5 failed, so only its program, data and settings can be compared:').waitFor();
    await bench()
      .page.locator('.compare .message', { hasText: /Initialization .*failed/i })
      .waitFor();
    // The runs that can be compared are offered.
    await section('Comparison of predictions').getByRole('checkbox', { name: 'Run 1' }).waitFor();
    assert.deepEqual(await axeFindings(bench().page), []);
  });
});
