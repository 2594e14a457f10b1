/** The editor's Stan support, as a user sees it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { benchForAll } from './workbench.js';

const PROGRAM = `transformed data {
  vector[3] y = [1, 2, 4]';
}
parameters {
  real mu; // the mean
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 1);
  sigma ~ normal(0, 1);
  y ~ normal(mu, sigma);
}
`;

/** A list of completions ignores keys for its first 75 ms, so that no completion is accepted as soon as it appears. */
const LIST_TAKES_KEYS = 150;

describe('writing a program', { skip: withoutChromium }, () => {
  const bench = benchForAll();

  const line = (text: string) => bench().page.locator('.write .cm-line', { hasText: text });
  const program = async () => (await bench().page.locator('.write .cm-line').allTextContents()).join('\n');
  const begin = async () => {
    await bench().write(PROGRAM);
    await bench().page.getByText('No errors, no warnings').waitFor();
  };

  it('colors words by their meaning', async () => {
    await begin();
    for (const [style, text] of [
      ['block', 'parameters'],
      ['type', 'vector'],
      ['comment', '// the mean'],
      ['number', '0'],
    ] as const) {
      await bench().page.locator(`.write .stan-${style}`, { hasText: text }).first().waitFor();
    }
  });

  it('folds blocks, in the margin and by keys', async () => {
    await begin();
    const { page } = bench();
    await page.locator('.write .cm-foldGutter').getByTitle('Fold', { exact: true }).nth(1).click();
    await page.locator('.write .cm-foldPlaceholder').waitFor();
    assert.equal(await line('real mu').count(), 0);
    await line('sigma ~ normal').click();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.press('ControlOrMeta+Shift+BracketLeft');
    assert.equal(await line('vector[3]').count(), 0);
    await page.keyboard.press('ControlOrMeta+Shift+BracketRight');
    await line('vector[3]').waitFor();
    await page.locator('.write .cm-foldGutter').getByTitle('Unfold').last().click();
    assert.equal(await program(), PROGRAM);
    assert.deepEqual(await axeFindings(page), []);
  });

  it('underlines warnings and errors, and shows them under the pointer', async () => {
    await bench().write(PROGRAM.replace('  mu ~ normal(0, 1);\n', ''));
    await bench()
      .page.getByRole('button', { name: /^\d warnings?$/ })
      .waitFor();
    await bench().page.locator('.cm-lintRange-warning').first().hover();
    await bench().page.locator('.cm-tooltip-lint .cm-diagnostic').first().waitFor();
  });

  it('completes names of the program and of functions, with signatures and descriptions', async () => {
    await begin();
    await line('y ~ normal').click();
    await bench().page.keyboard.press('End');
    await bench().page.keyboard.press('Enter');
    await bench().page.keyboard.type('sigma ~ expone');
    const options = bench().page.locator('.cm-tooltip-autocomplete');
    const chosen = options.getByRole('option', { name: /^exponential/ }).first();
    await chosen.waitFor();
    assert.match((await chosen.textContent()) ?? '', /\(.*\)/);
    await bench().page.locator('.cm-completionInfo').filter({ hasText: /\w{4}/ }).waitFor();
    await setTimeout(LIST_TAKES_KEYS);
    await bench().page.keyboard.press('Enter');
    await bench().page.keyboard.type('1');
    await bench().page.keyboard.press('End');
    await bench().page.keyboard.type(';');
    await line('sigma ~ exponential(1);').waitFor();
    await bench()
      .page.getByText(/^No errors|^\d+ warnings?$/)
      .waitFor();
    await bench().page.keyboard.press('Enter');
    await bench().page.keyboard.type('sig');
    await options
      .getByRole('option', { name: /^sigma/ })
      .first()
      .waitFor();
    await bench().page.keyboard.press('Escape');
  });

  it('shows the meaning of a name under the pointer', async () => {
    await begin();
    await line('y ~ normal').getByText('normal', { exact: true }).hover();
    await bench().page.locator('.stan-hover', { hasText: 'normal' }).waitFor();
    await bench().page.mouse.move(5, 5);
    await line('y ~ normal').getByText('mu', { exact: true }).hover();
    await bench().page.locator('.stan-hover', { hasText: 'the mean' }).waitFor();
    assert.deepEqual(await axeFindings(bench().page), []);
    await bench().page.mouse.move(5, 5);
  });

  it('goes from a use to its declaration, and renames all uses of a name', async () => {
    await begin();
    await line('y ~ normal').getByText('mu', { exact: true }).click();
    await bench().page.keyboard.press('F12');
    await bench().page.locator('.cm-activeLine', { hasText: 'real mu;' }).waitFor();
    await bench().page.keyboard.press('F2');
    await bench().page.locator('.cm-selectionBackground').nth(1).waitFor({ state: 'attached' });
    await bench().page.keyboard.type('middle');
    await line('real middle;').waitFor();
    await line('normal(middle, sigma)').waitFor();
    assert.doesNotMatch(await program(), /\bmu\b/);
  });

  it('formats as stanc does, can undo it, and does not change invalid programs', async () => {
    const rough = 'parameters{real mu;}model{mu~normal( 0,1 );}';
    await bench().write(rough);
    await bench().page.getByText('No errors, no warnings').waitFor();
    await bench().page.keyboard.press('ControlOrMeta+s');
    await line('mu ~ normal(0, 1);').waitFor();
    assert.equal(await program(), 'parameters {\n  real mu;\n}\nmodel {\n  mu ~ normal(0, 1);\n}\n');
    await bench().page.keyboard.press('ControlOrMeta+z');
    await line(rough).waitFor();
    await bench().write('parameters { real');
    await bench().page.getByRole('button', { name: '1 error' }).waitFor();
    await bench().page.keyboard.press('ControlOrMeta+s');
    await line('parameters { real').waitFor();
  });

  it('finds every action by its name or its key', async () => {
    await begin();
    await bench().page.keyboard.press('ControlOrMeta+k');
    await bench().page.getByPlaceholder('Search for an action').waitFor();
    await bench().page.keyboard.type('colors dark');
    assert.deepEqual(await axeFindings(bench().page), []);
    await bench().page.keyboard.press('Enter');
    await bench()
      .page.getByRole('button', { name: /^Colors: dark/ })
      .waitFor();
    await bench().page.keyboard.press('F1');
    await bench().page.getByRole('heading', { name: 'Keys' }).waitFor();
    assert.deepEqual(await axeFindings(bench().page), []);
    await bench().page.keyboard.press('Escape');
    await bench().page.getByRole('heading', { name: 'Keys' }).waitFor({ state: 'hidden' });
  });

  it('keeps the colors and the ratio of the halves', async () => {
    await bench().page.getByRole('separator').focus();
    await bench().page.keyboard.press('ArrowLeft');
    const width = async () => (await bench().page.locator('.write').boundingBox())?.width;
    const before = await width();
    await bench().page.getByText('saved', { exact: true }).waitFor();
    await bench().page.reload();
    await bench()
      .page.getByRole('button', { name: /^Colors: dark/ })
      .waitFor();
    assert.equal(await width(), before);
    assert.equal(await bench().page.evaluate('getComputedStyle(document.documentElement).colorScheme'), 'dark');
  });
});
