/** Included files of a program, each in its own tab. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { benchForAll } from './workbench.js';

const PROGRAM = `functions {
#include prior.stan
}
parameters { real mu; }
model { mu ~ prior(2); }`;

describe('included texts', { skip: withoutChromium }, () => {
  const bench = benchForAll(async (bench) => {
    await bench.write(PROGRAM);
    await bench.page.getByRole('heading', { name: 'The program has an error' }).waitFor();
  });

  it('are added under the name that the program includes', async () => {
    await bench().page.getByRole('button', { name: 'Add an include' }).click();
    await bench().page.getByRole('tab', { name: 'prior.stan', selected: true }).waitFor();
    await bench().write('real prior_lpdf(real x, real s) { return normal_lpdf(x | 0, sigma); }');
    await bench().page.getByRole('button', { name: 'Go to prior.stan, line 1' }).waitFor();
    assert.deepEqual(await axeFindings(bench().page), []);
  });

  it('show their errors in place, and run once they are correct', async () => {
    await bench().page.getByRole('tab', { name: 'model.stan' }).click();
    await bench().page.getByRole('button', { name: 'Go to prior.stan, line 1' }).click();
    await bench().page.getByRole('tab', { name: 'prior.stan', selected: true }).waitFor();
    await bench().write('real prior_lpdf(real x, real s) { return normal_lpdf(x | 0, s); }');
    await bench().page.getByText('Ready to run').waitFor();
    await bench().run();
    await bench().page.getByRole('heading', { name: 'These draws can be relied on' }).waitFor();
  });

  it('lead from a use to the declaration in another text', async () => {
    await bench().page.getByRole('tab', { name: 'model.stan' }).click();
    await bench()
      .page.locator('.write .cm-line', { hasText: 'mu ~ prior' })
      .getByText('prior', { exact: true })
      .click();
    await bench().page.keyboard.press('F12');
    await bench().page.getByRole('tab', { name: 'prior.stan', selected: true }).waitFor();
  });

  it('are renamed and removed', async () => {
    await bench().page.getByLabel('#include').fill('other.stan');
    await bench().page.keyboard.press('Enter');
    await bench().page.getByRole('tab', { name: 'other.stan', selected: true }).waitFor();
    await bench().page.getByRole('button', { name: 'Remove' }).click();
    await bench().page.getByRole('tab', { name: 'model.stan', selected: true }).waitFor();
    assert.equal(await bench().page.getByRole('tab', { name: 'other.stan' }).count(), 0);
  });
});
