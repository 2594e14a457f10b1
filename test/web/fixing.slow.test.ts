/** Quick fixes in the page. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { benchForAll } from './workbench.js';

const PROGRAM = `data {
  int<lower=0> N;
  array[N] int x;
  vector[N] y;
}
parameters {
  real a;
  real b;
}
model {
  y ~ normal(a + b * x, 1);
}
`;

describe('a common error', { skip: withoutChromium }, () => {
  const bench = benchForAll();
  const page = () => bench().page;
  const line = (text: string) => page().locator('.write .cm-line', { hasText: text });

  it('is reported without a list of signatures, with its fix', async () => {
    await bench().write(PROGRAM);
    await page().getByRole('heading', { name: 'The program has an error' }).waitFor();
    const said = page().locator('.look .state .prose').first();
    await said.getByText('Instead supplied arguments of incompatible type: real, array[] int.').waitFor();
    assert.doesNotMatch((await said.textContent()) ?? '', /complex/);
    await page().getByText('The whole message').click();
    await page().getByText('(complex_matrix, complex_vector) => complex_vector').waitFor();
    assert.deepEqual(await axeFindings(page()), []);
  });

  it('is fixed by one click beside its message, and one key undoes the fix', async () => {
    await page().getByRole('button', { name: 'Declare x as vector[N]' }).click();
    await line('vector[N] x;').waitFor();
    await page().locator('.status').getByRole('button', { name: '3 problems in the data' }).waitFor();
    await page().keyboard.press('ControlOrMeta+z');
    await line('array[N] int x;').waitFor();
  });

  it('is fixed by a key', async () => {
    await page().getByRole('button', { name: 'Declare x as vector[N]' }).waitFor();
    await page().keyboard.press('ControlOrMeta+.');
    await line('vector[N] x;').waitFor();
    await page().getByRole('button', { name: /error/ }).waitFor({ state: 'detached' });
  });

  it('is fixed in its tooltip', async () => {
    await bench().write('parameters {\n  real mu\n}\nmodel {\n  mu ~ normal(0, 1);\n}');
    await page().locator('.cm-lintRange-error').first().hover();
    const tip = page().locator('.cm-tooltip-lint');
    await tip.getByRole('button', { name: 'Add ;' }).click();
    await line('real mu;').waitFor();
    await page().getByText('No errors, no warnings').waitFor();
  });

  it('is fixed from the status bar while a run is shown', async () => {
    await bench().run();
    await page()
      .getByRole('heading', { name: /^These draws/ })
      .waitFor();
    await bench().write('parameters {\n  real mu;\n}\nmodel {\n  mu <- normal(0, 1);\n}');
    await page().locator('.status').getByRole('button', { name: 'Assign with =' }).click();
    await line('mu = normal(0, 1);').waitFor();
    await page().locator('.status').getByRole('button', { name: 'Write ~ for a distribution' }).click();
    await line('mu ~ normal(0, 1);').waitFor();
    await page().getByText('No errors, no warnings').waitFor();
  });
});
