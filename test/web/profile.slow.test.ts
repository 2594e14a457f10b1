/** The profile of a program in the page. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { TestServer } from '../service/harness.js';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { browserForAll, Workbench } from './workbench.js';

const PROGRAM = `data {
  int N;
  vector[N] x;
  array[N] int y;
}
parameters {
  real a;
  real b;
}
model {
  a ~ normal(0, 1);
  b ~ normal(0, 1);
  y ~ bernoulli_logit(a + b * x);
}
`;

const N = 100;
const DATA = JSON.stringify({
  N,
  x: Array.from({ length: N }, (_, k) => k / N),
  y: Array.from({ length: N }, (_, k) => (k % 3 === 0 ? 1 : 0)),
});

describe('the profile in the page', { skip: withoutChromium }, () => {
  const opened = browserForAll();
  let bench: Workbench;
  before(async () => {
    bench = await Workbench.open(opened.browser, opened.server.address);
    await bench.write(PROGRAM);
    await bench.tab('data.json');
    await bench.write(DATA);
    await bench.page.getByText('Ready to run').waitFor();
    await bench.tab('model.stan');
  });

  const dialog = () => bench.page.getByRole('dialog', { name: 'Profile' });
  const table = () => dialog().getByRole('table', { name: 'Result of the measurement' });
  /** Opens it with only the keyboard. */
  const open = async () => {
    await bench.page.keyboard.press('ControlOrMeta+K');
    await bench.page.getByRole('option', { name: 'Profile the program' }).waitFor();
    await bench.page.keyboard.type('profile the program');
    await bench.page.keyboard.press('Enter');
    await dialog().waitFor();
  };
  const beside = () => bench.page.locator('.stan-times .stan-share');
  /** The shares in the table, as text. */
  const shares = () => table().locator('tbody tr td:nth-of-type(1)').allTextContents();

  it('shows share, time, executions and cost of each statement, the slowest first', async () => {
    await open();
    await table().waitFor();
    const rows = await table().locator('tbody tr').allTextContents();
    for (const statement of ['a ~ normal(0, 1);', 'b ~ normal(0, 1);', 'y ~ bernoulli_logit(a + b * x);']) {
      assert.equal(rows.filter((row) => row.includes(statement)).length, 1, statement);
    }
    const row = table().getByRole('row').filter({ hasText: 'bernoulli_logit' });
    await row.getByText('per distinct row of x and y').waitFor();
    await row.getByText('no sums: ').waitFor();
    await row.getByRole('cell', { name: `${N}`, exact: true }).waitFor();
    const numbers = (await shares()).map(Number.parseFloat);
    assert.deepEqual(
      numbers,
      numbers.toSorted((one, two) => two - one),
    );
    await dialog().getByText('per gradient: the smallest mean of a batch').waitFor();
    assert.deepEqual(await axeFindings(bench.page), []);
  });

  it('shows the same shares beside the lines, and goes to a statement', async () => {
    const expected = (await shares()).filter((share) => share !== '0.0 %').toSorted();
    assert.notEqual(expected.length, 0);
    const button = dialog().getByRole('button', { name: 'Line 13' });
    await button.focus();
    await bench.page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'hidden' });
    assert.deepEqual((await beside().allTextContents()).toSorted(), expected);
    await bench.page.locator('.write .cm-activeLine', { hasText: 'bernoulli_logit' }).waitFor();
    await bench.page.locator('.write .cm-focused').waitFor();
    assert.deepEqual(await axeFindings(bench.page), []);
  });

  it('is cleared when the program changes, and is measured again', async () => {
    await bench.page.keyboard.insertText(' ');
    await beside().first().waitFor({ state: 'detached' });
    await open();
    await table().waitFor();
    await dialog().getByRole('button', { name: 'Close' }).click();
    await beside().first().waitFor();
    await bench.tab('data.json');
    await bench.write(DATA.replace('0.01', '0.015'));
    await bench.tab('model.stan');
    await beside().first().waitFor({ state: 'detached' });
  });

  it('is measured on the server, in German', async () => {
    await bench.page.getByLabel('Language').selectOption('de');
    await bench.page.getByRole('button', { name: 'Server', exact: true }).click();
    await bench.page.keyboard.press('ControlOrMeta+K');
    await bench.page.getByRole('option', { name: 'Laufzeitprofil des Programms' }).click();
    const result = bench.page.getByRole('table', { name: 'Ergebnis der Messung' });
    await result.getByRole('button', { name: 'Zeile 13' }).waitFor();
    await result.getByText('je verschiedener Zeile von x und y').waitFor();
    await bench.page.getByRole('button', { name: 'Schließen' }).click();
    await beside().first().waitFor();
    await bench.page.getByLabel('Sprache').selectOption('en');
  });

  it('shows why a program cannot be measured', async () => {
    await bench.tab('data.json');
    await bench.write('{"N": 2, "y": [1, 0]}');
    await bench.tab('model.stan');
    await open();
    await dialog().getByRole('alert').getByText('x').waitFor();
    assert.deepEqual(await axeFindings(bench.page), []);
    await dialog().getByRole('button', { name: 'Close' }).click();
  });

  it('ends on the server when it is cancelled', async () => {
    // A time limit that the measurement does not reach.
    const server = await TestServer.start({ web: true, requestTimeout: 3_600_000 });
    try {
      const other = await Workbench.open(opened.browser, server.address);
      const endless = 'parameters { real a; } model { while (1) print(a); }';
      // Compiled before, so that the measurement is the only work for a request.
      await server.model(endless);
      await other.write(endless);
      await other.page.getByText('Ready to run').waitFor();
      await other.page.getByRole('button', { name: 'Server', exact: true }).click();
      await other.page.keyboard.press('ControlOrMeta+K');
      await other.page.getByRole('option', { name: 'Profile the program' }).click();
      await untilBusy(server, 1);
      const window = other.page.getByRole('dialog', { name: 'Profile' });
      await window.getByRole('button', { name: 'Cancel' }).click();
      await untilBusy(server, 0);
      await window.getByRole('button', { name: 'Measure' }).waitFor();
      assert.equal(await window.getByRole('alert').count(), 0);
      await other.close();
    } finally {
      await server.remove();
    }
  });
});

/** Waits until a number of the server's request threads measure a gradient, which is their only work here. */
async function untilBusy(server: TestServer, count: number): Promise<void> {
  const line = `leapfrog_workers{pool="requests",state="busy"} ${count}\n`;
  while (!(await server.get('/metrics')).text.includes(line)) await setTimeout(20);
}
