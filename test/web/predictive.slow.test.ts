/** Suggestions of the page for a program without quantities for checking its predictions. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { benchForAll } from './workbench.js';

const PROGRAM = `data {
  int<lower=0> N;
  vector[N] x;
  vector[N] y;
}
parameters {
  real alpha;
  real beta;
}
model {
  alpha ~ normal(0, 5);
  beta ~ normal(0, 5);
  y ~ normal(alpha + beta * x, 1);
}
`;
const DATA = '{"N": 6, "x": [1, 2, 3, 4, 5, 6], "y": [1.1, 2.3, 2.8, 4.1, 5.2, 5.8]}';

describe('predictive checks', { skip: withoutChromium }, () => {
  const bench = benchForAll();
  const page = () => bench().page;
  const program = async () =>
    (await page().getByRole('textbox', { name: 'Stan program' }).locator('.cm-line').allTextContents()).join('\n');
  const missing = () => page().getByRole('region', { name: 'Missing quantities' });

  const checks = () => page().getByRole('region', { name: 'Predictive checks of y' });
  const loo = () => page().getByRole('region', { name: 'Leave-one-out cross-validation' });

  it('are derived from the program', async () => {
    await bench().write(PROGRAM);
    await bench().tab('data.json');
    await bench().write(DATA);
    await page().getByText('Ready to run').waitFor();
    await page().getByLabel('seed').fill('1');
    await bench().run();
    await page()
      .getByRole('heading', { name: /^These draws/ })
      .waitFor();
    await bench().tab('Predictive');
    await checks()
      .getByRole('img', { name: /^y: densities/ })
      .waitFor();
    await loo()
      .getByRole('row', { name: /^elpd_loo/ })
      .waitFor();
    await checks()
      .getByRole('img', { name: /^y against x/ })
      .waitFor();
    await checks()
      .getByRole('img', { name: /^y: LOO-PIT\. Ranks of 6 observations of y among/ })
      .waitFor();
    await page().getByText('The replicated data are derived from the likelihood').waitFor();
    assert.equal(await missing().count(), 0);
    assert.deepEqual(await axeFindings(page()), []);
  });

  it('show what they need without draws of the parameters, and the lines that would compute it', async () => {
    const choose = (name: string) => page().getByLabel('method', { exact: true }).selectOption(name);
    await choose('stan::services::optimize::lbfgs');
    await bench().run();
    await page()
      .getByRole('button', { name: /^Run 2/ })
      .waitFor();
    await choose('stan::services::sample::hmc_nuts_diag_e_adapt');
    await missing().getByText('They require a generated quantity that simulates a data variable').waitFor();
    const lines = (await missing().locator('.code').textContent()) ?? '';
    assert.match(lines, /array\[N\] real y_rep = normal_rng\(alpha \+ beta \* x, 1\);/);
    assert.match(lines, /log_lik\[n\] = normal_lpdf\(y\[n\] \| alpha \+ beta \* x\[n\], 1\);/);
    assert.deepEqual(await axeFindings(page()), []);
    // On a narrow page, the lines scroll within the pane.
    await page().setViewportSize({ width: 390, height: 800 });
    const end = async () => {
      const box = await missing().locator('.code').boundingBox();
      return box === null ? Number.POSITIVE_INFINITY : box.x + box.width;
    };
    while ((await end()) > 390) await page().waitForTimeout(10);
    await page().setViewportSize({ width: 1280, height: 800 });
  });

  it('exist after one keypress that adds the lines, and another run', async () => {
    await missing().getByRole('button', { name: 'Add to the program' }).focus();
    await page().keyboard.press('Enter');
    await page().locator('.cm-line', { hasText: 'y_rep = normal_rng' }).waitFor();
    assert.ok((await program()).startsWith(PROGRAM.trimEnd()));
    await missing().getByText('this run was started before').waitFor();
    await missing().getByRole('button', { name: 'Run it again' }).click();
    await page()
      .getByRole('button', { name: /^Run 3 (reliable|\d+ problem)/ })
      .waitFor();
    await checks()
      .getByRole('img', { name: /^y: densities/ })
      .waitFor();
    await loo()
      .getByRole('row', { name: /^elpd_loo/ })
      .waitFor();
    assert.equal(await missing().count(), 0);
  });

  it('are removed from the program by undo', async () => {
    await page().getByRole('textbox', { name: 'Stan program' }).focus();
    await page().keyboard.press('ControlOrMeta+z');
    await page().locator('.cm-line', { hasText: 'y_rep' }).waitFor({ state: 'detached' });
    assert.equal((await program()).trimEnd(), PROGRAM.trimEnd());
  });

  it('explain why they are not available', async () => {
    const joint = 'y ~ multi_normal(rep_vector(beta, N), identity_matrix(N));';
    await bench().write(PROGRAM.replace('y ~ normal(alpha + beta * x, 1);', joint));
    await page()
      .getByText(/No errors|^\d+ warnings?$/)
      .waitFor();
    await bench().run();
    await page()
      .getByRole('button', { name: /^Run 4 (reliable|\d+ problem)/ })
      .waitFor();
    await missing()
      .getByText(
        /Line 13: The log likelihood .* cannot be derived from this statement: it is a joint density of all observations/,
      )
      .waitFor();
  });

  it('show the outcome by groups, or along a covariate', async () => {
    await bench().tab('data.json');
    await bench().write(JSON.stringify({ ...JSON.parse(DATA), group: [3, 1, 3, 1, 3, 1] }));
    await bench().tab('model.stan');
    await bench().write(PROGRAM.replace('vector[N] x;', 'vector[N] x; array[N] int group;'));
    await page()
      .getByText(/No errors|^\d+ warnings?$/)
      .waitFor();
    await bench().run();
    await page()
      .getByRole('button', { name: /^Run 5 (reliable|\d+ problem)/ })
      .waitFor();
    await checks()
      .getByRole('img', { name: /^y by group\. The mean of y in each of 2 groups/ })
      .waitFor();
    await checks().getByRole('combobox', { name: 'y by' }).selectOption('x');
    await checks()
      .getByRole('img', { name: /^y against x/ })
      .waitFor();
    assert.deepEqual(await axeFindings(page()), []);
  });

  it('show the outcome in other ways on request', async () => {
    await checks().getByRole('button', { name: 'More checks' }).click();
    await checks()
      .getByRole('img', { name: /^y: leave-one-out intervals\. .* of 6 lie outside/ })
      .waitFor();
    for (const title of [/^ECDFs of y/, /^y against its mean prediction/, /^Errors of y/, /^y: two statistics/])
      await checks().getByRole('img', { name: title }).waitFor();
    assert.deepEqual(await axeFindings(page()), []);
    await checks().getByRole('button', { name: 'Fewer checks' }).click();
    await checks()
      .getByRole('img', { name: /^Errors of y/ })
      .waitFor({ state: 'detached' });
  });

  it('are unavailable without an outcome, which no line causes', async () => {
    await bench().write('data { real x; } parameters { real a; } model { a ~ normal(x, 1); }');
    await bench().tab('data.json');
    await bench().write('{ "x": 1 }');
    await page()
      .getByText(/No errors|^\d+ warnings?$/)
      .waitFor();
    await bench().run();
    await page()
      .getByRole('button', { name: /^Run 6 (reliable|\d+ problem)/ })
      .waitFor();
    await missing()
      .getByText(/^Replicated data cannot be derived from this program: no statement has data as its outcome/)
      .waitFor();
  });

  it('show the calibration of a binary outcome', async () => {
    await bench().tab('model.stan');
    await bench().write(
      PROGRAM.replace('vector[N] y', 'array[N] int y').replace(
        'normal(alpha + beta * x, 1)',
        'bernoulli_logit(alpha + beta * x)',
      ),
    );
    await bench().tab('data.json');
    await bench().write('{"N": 6, "x": [1, 2, 3, 4, 5, 6], "y": [0, 1, 0, 0, 1, 1]}');
    await page()
      .getByText('Ready to run')
      .or(page().locator('.status', { hasText: 'parameters alpha, beta' }))
      .first()
      .waitFor();
    await bench().run();
    await bench().tab('Predictive');
    await checks()
      .getByRole('img', { name: /^Calibration of y\. .* of 6 observations/ })
      .waitFor();
    await checks().getByRole('button', { name: 'More checks' }).click();
    await checks()
      .getByRole('img', { name: /^Errors of y\. .* in each of 1 bins of predicted probability/ })
      .waitFor();
    assert.equal(
      await checks()
        .getByRole('img', { name: /^ECDFs of y/ })
        .count(),
      0,
    );
    assert.deepEqual(await axeFindings(page()), []);
  });
});

describe('predictive checks of many observations', { skip: withoutChromium }, () => {
  const bench = benchForAll();
  const status = (text: string | RegExp) => bench().page.getByRole('status').filter({ hasText: text });
  const button = (name: string) => bench().page.getByRole('button', { name, exact: true });

  it('show their progress, and can be cancelled or use fewer draws', async () => {
    const { page } = bench();
    await bench().write(PROGRAM);
    await bench().tab('data.json');
    const x = Array.from({ length: 1000 }, (_, n) => (n % 100) / 50);
    await bench().write(JSON.stringify({ N: x.length, x, y: x.map((value, n) => 1 + value + Math.sin(n)) }));
    await page.getByText('Ready to run').waitFor();
    await page.getByLabel('seed').fill('1');
    await bench().run();
    await bench().reliable();
    await bench().tab('Predictive');
    await page.getByText(/^[\d,]+ of 1,000 observations$/).waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await button('Cancel').click();
    await status('were cancelled').waitFor();
    assert.equal(await page.getByRole('progressbar').count(), 0);
    await button('Use all 4,000 draws').click();
    await button('Use 500 draws').click();
    await status('use 500 of 4,000 draws').waitFor();
    await page.getByRole('img', { name: /^y: densities/ }).waitFor();
    await page.getByRole('row', { name: /^elpd_loo/ }).waitFor();
    await page.getByRole('img', { name: /^y: LOO-PIT/ }).waitFor();
    assert.equal(await page.getByRole('progressbar').count(), 0);
    assert.deepEqual(await axeFindings(page), []);
  });
});
