/** Programs that do not end, and pages that do not survive opening a project. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { HEARTBEAT, moreBeats, testEndless } from './endless.js';
import { browserForAll, Workbench } from './workbench.js';

/** Programs whose parsing, checking or data block is expensive, or never ends. Each one ends with a program that the page can run. */
const HOSTILE: readonly (readonly [title: string, program: string])[] = [
  ['a loop in a model without data', 'model { real x = 0; while (1) { x += 1; } }'],
  ['a loop in generated quantities', 'generated quantities { real x = 0; while (1) { x += 1; } }'],
  [
    'a recursion',
    'functions { real f(real x); real f(real x) { return f(x + 1); } } transformed data { real x = f(1); }',
  ],
  ['a huge array', 'transformed data { array[100000, 100000] real x; }'],
  ['a huge vector', 'transformed data { vector[2147483647] x; }'],
  [
    'a large product',
    'transformed data { matrix[3000, 3000] a = rep_matrix(0.5, 3000, 3000); matrix[3000, 3000] b = a * a; }',
  ],
  [
    'large Cholesky factors',
    'transformed data { for (k in 1:1000) { matrix[900, 900] a = cholesky_decompose(identity_matrix(900)); } }',
  ],
  ['nested loops', 'transformed data { real x = 0; for (i in 1:100000) for (j in 1:100000) x += i * j; }'],
  ['prints', 'transformed data { while (1) print("x"); }'],
  ['growing text', 'transformed data { for (k in 1:1000000000) print(rep_vector(k, 1000)); }'],
  [
    'a stiff equation',
    "functions { vector f(real t, vector y) { return -1e9 * (y - cos(t)); } } transformed data { array[1] vector[1] y = ode_rk45(f, [0]', 0, {1e6}); }",
  ],
  ['deep parentheses', `transformed data { real x = ${'('.repeat(3000)}1${')'.repeat(3000)}; }`],
  ['deep blocks', `model { ${'{'.repeat(3000)}${'}'.repeat(3000)} }`],
  ['a long sum', `transformed data { real x = ${'1 + '.repeat(20_000)}1; }`],
  ['many variables', `parameters { ${Array.from({ length: 3000 }, (_, k) => `real a${k};`).join(' ')} }`],
  ['many errors', Array.from({ length: 2000 }, (_, k) => `undeclared${k} ~ nothing(1);`).join('\n')],
];

describe('programs that do not end', { skip: withoutChromium }, () => {
  const opened = browserForAll();

  testEndless(opened, [
    [
      'a loop over the data',
      'data { int k; } transformed data { real x = 0; while (k) { x += 1; } } parameters { real y; } model { y ~ normal(0, 1); }',
      '{"k": 1}',
    ],
  ]);

  it('leave the page responsive, one after the other', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address, {}, HEARTBEAT);
    const { page } = bench;
    for (const [title, program] of HOSTILE) {
      await bench.write(program);
      await page.getByLabel('Name of the project').fill(title);
      await moreBeats(page, 50);
      assert.equal(await page.getByLabel('Name of the project').inputValue(), title);
      const colored = await page.locator('.write .cm-line span').count();
      assert.ok(colored <= 3000, `${title}: the browser lays out ${colored} words, which holds up its own thread`);
    }
    await bench.write('parameters { real y; } model { y ~ normal(0, 1); }');
    await page.getByText('Ready to run').waitFor();
    assert.deepEqual(bench.complaints, []);
    await bench.close();
  });

  it('can be run and cancelled', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address, {}, HEARTBEAT);
    const { page } = bench;
    await bench.write('transformed data { real x = 0; while (1) { x += 1; } } parameters { real y; }');
    await page.getByText('data not checked: their computation takes long').waitFor();
    await bench.run();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page
      .getByRole('button', { name: /^Run 1/ })
      .filter({ hasText: 'cancelled' })
      .waitFor();
    assert.deepEqual(bench.complaints, []);
    await bench.close();
  });

  it('open without checking anything after an opening that did not end', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    await bench.write('parameters { real y; } model { y ~ normal(0, 1); }');
    await page.getByText('Ready to run').waitFor();
    await page.getByText('saved', { exact: true }).waitFor();
    // The page crashes while it waits for the analysis of its program.
    const context = page.context();
    let isHeld = true;
    await context.route(/analysis-worker/, (route) => (isHeld ? undefined : route.continue()));
    await page.reload();
    await page.getByText('Checking the program…').waitFor();
    const crashed = page.waitForEvent('crash');
    const session = await context.newCDPSession(page);
    void session.send('Page.crash').catch(() => undefined);
    await crashed;
    await page.close();
    // Removing the route may wait for the crashed page.
    isHeld = false;

    const again = await context.newPage();
    await again.goto(opened.server.address);
    const told = again.getByText('It is shown without checking or running anything');
    await told.waitFor();
    await again.getByRole('heading', { name: 'Not checked yet' }).waitFor();
    assert.deepEqual(await axeFindings(again), []);
    // It remains so until the user checks it.
    await again.reload();
    await told.waitFor();
    await again.getByRole('button', { name: 'Check it now' }).click();
    await again.getByText('Ready to run').waitFor();
    await told.waitFor({ state: 'detached' });
    await again.reload();
    await again.getByText('Ready to run').waitFor();
    assert.equal(await told.count(), 0);
    await bench.close();
  });
});
