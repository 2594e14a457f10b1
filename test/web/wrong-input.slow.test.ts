/** Messages of the page for wrong programs, data and settings, and for runs that cannot start. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { benchForAll } from './workbench.js';

const PROGRAM = 'data { int<lower=0> N; vector<upper=9>[N] y; }\nparameters { real mu; }\nmodel { y ~ normal(mu, 1); }';
const DATA = '{"N": 2, "y": [1, 2]}';

const PROGRAMS: readonly (readonly [kind: string, text: string, says: RegExp])[] = [
  ['a semicolon is missing', 'parameters { real x }', /Expected ";" after variable declaration/],
  ['a brace is missing', 'parameters { real x;', /Only top-level variable declarations are allowed/],
  ['a name is not declared', 'parameters { real x; } model { x ~ normal(m, 1); }', /"m" not in scope/],
  [
    'a type does not fit',
    'parameters { real x; } model { x ~ normal("a", 1); }',
    /Expected a comma separated list of expressions/,
  ],
  ['an argument has the wrong type', 'parameters { matrix[2, 2] x; } model { x ~ normal(0, 1); }', /Ill-typed|normal/],
  [
    'a distribution is unknown',
    'parameters { real x; } model { x ~ norml(0, 1); }',
    /No function "norml_lpdf" was found/,
  ],
  [
    'a text that is included is missing',
    'functions {\n#include missing.stan\n}',
    /Could not find include file 'missing\.stan'/,
  ],
  ['a block is in the wrong place', 'model { }\nparameters { real x; }', /Expected "generated quantities/],
  ['a name is declared twice', 'parameters { real x; real x; }', /already in use/],
];

const DATA_TEXTS: readonly (readonly [kind: string, text: string, says: RegExp])[] = [
  ['are not JSON', '{"N": 2, "y": [1, 2}', /line 1, column 20: expected ',' or '\]'/],
  ['lack a variable', '{"N": 2}', /y is missing: the program declares it as a list of numbers/],
  ['have too few elements', '{"N": 3, "y": [1, 2]}', /^y has 2 elements, but the program declares 3 \(N\)\.$/],
  ['are out of bounds', '{"N": 2, "y": [1, 12]}', /^y\[2\] is 12, but must be at most 9\.$/],
  ['are below a bound', '{"N": -1, "y": []}', /^N is -1, but must be at least 0\.$/],
  ['have a real for an integer', '{"N": 2.5, "y": [1, 2]}', /N is not an integer, but the program declares it as int/],
  [
    'have a text for a number',
    '{"N": 2, "y": ["a", 2]}',
    /^y\[1\] is the text "a", but the program declares a number\.$/,
  ],
  ['have no value', '{"N": 2, "y": [null, 2]}', /^y\[1\] is null, but the program declares a number\.$/],
  ['are a list', '[1, 2]', /expected an object with one member for each variable/],
];

const SETTINGS: readonly (readonly [argument: string, value: string, says: RegExp])[] = [
  ['chains', '0', /num_chains must be/],
  ['samples', '-5', /num_samples must be/],
  ['warmup', 'many', /num_warmup must be/],
  ['seed', '1.5', /random_seed must be/],
];

describe('wrong input', { skip: withoutChromium }, () => {
  const bench = benchForAll();

  const said = () => bench().page.locator('.look .state .prose').first();

  for (const [kind, text, says] of PROGRAMS) {
    it(`is reported where ${kind}`, async () => {
      await bench().tab('model.stan');
      await bench().write(text);
      await bench().page.getByRole('heading', { name: 'The program has an error' }).waitFor();
      await said().filter({ hasText: says }).waitFor();
      await bench()
        .page.getByRole('button', { name: /^Go to .*line \d+/ })
        .waitFor();
      await bench()
        .page.locator('.status')
        .getByText(/\d errors?/)
        .waitFor();
    });
  }

  for (const [kind, text, says] of DATA_TEXTS) {
    it(`is reported where data ${kind}`, async () => {
      await bench().tab('model.stan');
      await bench().write(PROGRAM);
      await bench().tab('data.json');
      await bench().write(DATA);
      await bench().page.getByText('Ready to run').waitFor();
      await bench().write(text);
      await bench().page.getByRole('heading', { name: 'The data do not fit the program' }).waitFor();
      await said().filter({ hasText: says }).waitFor();
    });
  }

  it('is reported for all variables of the data at once, before anything runs', async () => {
    const { page } = bench();
    await bench().tab('model.stan');
    await bench().write(
      'data { int<lower=0> N; vector[N] x; array[N] int g; real<lower=0> S; }\nparameters { real mu; }\nmodel { x ~ normal(mu, 1); }',
    );
    await bench().tab('data.json');
    await bench().write('{"N": 3, "x": [1, 2], "g": [1, 2.5, 1], "S": -1}');
    const problems = page.locator('.look .state li');
    await problems.nth(2).waitFor();
    assert.deepEqual(await problems.allTextContents(), [
      'x has 2 elements, but the program declares 3 (N).',
      'g[2] is not an integer, but the program declares it as int.',
      'S is -1, but must be at least 0.',
    ]);
    await bench().tab('model.stan');
    await bench().run();
    await page
      .getByText(
        'Nothing was run. x has 2 elements, but the program declares 3 (N). There are 2 more problems in the data.',
      )
      .waitFor();
    assert.equal(await page.getByRole('button', { name: /^Run \d/ }).count(), 0);
    await page.locator('.write [contenteditable]:visible').filter({ hasText: '"S"' }).waitFor();
    await bench().run();
    await page.getByRole('heading', { name: 'The run failed' }).waitFor();
    await bench().tab('Plots');
    await page.locator('.tab:visible').getByText('There are no draws to show.').waitFor();
    await bench().tab('Verdict');
    await page.getByRole('button', { name: 'Delete run 1' }).click();
    await bench().write('{"N": 2, "x": [1, 2], "g": [1, 2], "S": 1}');
    await page.getByText('Ready to run').waitFor();
  });

  for (const [argument, value, says] of SETTINGS) {
    it(`is reported where ${argument} is ${value}`, async () => {
      const field = bench().page.getByLabel(argument, { exact: true });
      await field.fill(value);
      assert.equal(await field.getAttribute('aria-invalid'), 'true');
      const help = await field.getAttribute('aria-describedby');
      assert.match((await bench().page.locator(`[id="${help}"]`).textContent()) ?? '', says);
      await field.fill('');
    });
  }

  it('is reported if no initial value has a finite density', async () => {
    await bench().tab('model.stan');
    await bench().write('parameters { real x; } model { target += negative_infinity(); }');
    await bench().tab('data.json');
    await bench().write('{}');
    await bench().page.getByText('Ready to run').waitFor();
    await bench().run();
    await bench().page.getByRole('heading', { name: 'The run failed' }).waitFor();
    await bench().page.getByText('100 initial values were rejected for this reason:').waitFor();
    await bench().page.locator('.message', { hasText: 'Log probability evaluates to log(0)' }).waitFor();
    await bench().page.getByRole('button', { name: 'Change init_radius' }).click();
    await bench().page.locator('[data-argument="init_radius"]:focus').waitFor();
  });

  it('is located if an argument does not depend on the parameters', async () => {
    const { page } = bench();
    await bench().tab('model.stan');
    await bench().write('parameters { real x; }\nmodel {\n  x ~ normal(0, -1);\n}\n');
    await page.getByText('Ready to run').waitFor({ state: 'detached' });
    await page.getByText(/^\d+ warnings?$/).waitFor();
    await bench().run();
    await page.getByText('other initial values cannot help').waitFor();
    assert.equal(await page.locator('.message', { hasText: 'Scale parameter is -1' }).count(), 1);
    assert.equal(await page.getByRole('button', { name: 'Set initial values' }).count(), 0);
    await page.getByRole('button', { name: 'Go to line 3' }).click();
    await page.locator('.write .cm-activeLine', { hasText: 'x ~ normal(0, -1)' }).waitFor();
    await page.getByRole('button', { name: 'Delete run 2' }).click();
  });

  it('is not reported for initial values that a chain rejected before it found one', async () => {
    const { page } = bench();
    await bench().tab('model.stan');
    await bench().write('parameters { real x; } model { if (x < 1.5) reject("small"); target += -x; }');
    await page.getByText(/^No errors|^\d+ warnings?$/).waitFor();
    await bench().run();
    await page.getByRole('button', { name: /^Run 2/ }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' });
    await bench().tab('Log');
    const lines = page.locator('.log li');
    await lines.filter({ hasText: 'Gradient evaluation took' }).first().waitFor();
    await lines.filter({ hasText: 'Rejecting initial value' }).first().waitFor();
    const texts = await lines.locator('span:last-child').allTextContents();
    assert.ok(texts.every((text) => text.trim() !== ''));
    assert.equal(await page.locator('.log .warn', { hasText: 'initial value' }).count(), 0);
  });

  it('is reported if the program rejects', async () => {
    await bench().tab('model.stan');
    await bench().write('parameters { real x; } model { reject("x is ", x); }');
    await bench()
      .page.getByText(/^No errors|^\d+ warnings?$/)
      .waitFor();
    await bench().run();
    await bench()
      .page.getByRole('button', { name: /^Run 3 failed/ })
      .waitFor();
    await bench().tab('Log');
    await bench()
      .page.getByText(/x is -?\d/)
      .first()
      .waitFor();
  });
});
