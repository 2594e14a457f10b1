/** Runs of the page that start from an earlier run, and draws from the prior, in the browser and on the server. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { withoutChromium } from '../support/chromium.js';
import { browserForAll, Workbench } from './workbench.js';

const PROGRAM = `data { int N; vector[N] y; }
parameters { real mu; real<lower=0> tau; }
model {
  mu ~ normal(0, 10);
  tau ~ exponential(1);
  y ~ normal(mu, tau);
}
`;
/** A program with another prior and one more parameter. */
const EDITED = PROGRAM.replace('real mu;', 'real mu; real delta;').replace('0, 10);', '0, 5); delta ~ std_normal();');
const DATA = '{"N": 5, "y": [1.1, 0.4, 1.9, 0.2, 1.4]}';

async function drawFromPrior(page: Page): Promise<void> {
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByPlaceholder('Search for an action').fill('Draw from the prior');
  await page.getByRole('option', { name: 'Draw from the prior', selected: true }).waitFor();
  await page.keyboard.press('Enter');
}

describe('runs that start from another one', { skip: withoutChromium }, () => {
  const opened = browserForAll();
  /** The summaries of the last run in the browser, with which those on the server are compared. */
  const summaries = new Map<string, string>();

  async function ready(place: 'Browser' | 'Server'): Promise<Workbench> {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    await bench.page.getByRole('button', { name: place, exact: true }).click();
    await bench.write(PROGRAM);
    await bench.tab('data.json');
    await bench.write(DATA);
    await bench.page.getByText('Ready to run').waitFor();
    await bench.page.getByLabel('seed').fill('1');
    return bench;
  }

  /** Runs the project, and waits for the run with this number. */
  async function runTo(bench: Workbench, number: number): Promise<void> {
    await bench.run();
    await bench.page.getByRole('button', { name: new RegExp(`^Run ${number} reliable`) }).waitFor();
  }

  /** Compares the summary of the latest run with that of the same run in the browser, if there was one. */
  async function assertSame(bench: Workbench, label: string): Promise<void> {
    const found = await bench.summary();
    assert.ok(found !== null);
    assert.match(found, /mu/);
    assert.equal(found, summaries.get(label) ?? found);
    summaries.set(label, found);
  }

  for (const place of ['Browser', 'Server'] as const) {
    it(`start warm in the ${place.toLowerCase()}, also for an edited program, and the log lists what is new`, async () => {
      const bench = await ready(place);
      const { page } = bench;
      const source = page.getByLabel('warm_start', { exact: true });
      await page.getByRole('button', { name: 'more…' }).click();
      assert.equal(await source.count(), 0, 'without an earlier run, none is offered');
      await runTo(bench, 1);
      await source.selectOption({ label: 'Run 1' });
      await page.getByLabel('warmup', { exact: true }).fill('0');
      await page.getByLabel('seed').fill('2');
      await runTo(bench, 2);
      await assertSame(bench, 'again');
      await bench.tab('Log');
      assert.equal(await page.getByText(/it has no parameter/).count(), 0);

      await bench.tab('model.stan');
      await bench.write(EDITED);
      await page.getByText('No errors, no warnings').waitFor();
      await page.getByLabel('warmup', { exact: true }).fill('100');
      await runTo(bench, 3);
      await assertSame(bench, 'edited');
      await bench.tab('Log');
      await page
        .getByText(/it has no parameter delta/)
        .first()
        .waitFor();
      assert.deepEqual(bench.complaints, []);
      await bench.close();
    });

    it(`draw from the prior in the ${place.toLowerCase()}`, async () => {
      const bench = await ready(place);
      const { page } = bench;
      await drawFromPrior(page);
      await page.getByRole('button', { name: /^Run 1, prior sampled/ }).waitFor();
      await bench.tab('Verdict');
      await page.getByRole('heading', { name: 'These draws represent the prior' }).waitFor();
      await assertSame(bench, 'prior');
      const mu = page.locator('.numbers tbody tr', { has: page.getByRole('rowheader', { name: /^mu/ }) });
      const cells = (await mu.getByRole('cell').allTextContents()).map((text) => Number(text.replace('−', '-')));
      assert.ok(
        cells.some((value) => value > 9 && value < 11),
        `the standard deviation of the prior is 10: ${cells}`,
      );
      assert.deepEqual(bench.complaints, []);
      await bench.close();
    });
  }

  it('do not start on the server from a run of the browser, and the message names the remedy', async () => {
    const bench = await ready('Browser');
    const { page } = bench;
    await runTo(bench, 1);
    await page.getByRole('button', { name: 'more…' }).click();
    await page.getByLabel('warm_start', { exact: true }).selectOption({ label: 'Run 1' });
    await page.getByRole('button', { name: 'Server', exact: true }).click();
    await bench.run();
    await page.getByText('Run 1 ran in this browser and is not on the server: run it there first').first().waitFor();
    await bench.close();
  });

  it('do not draw from a prior that is improper', async () => {
    const bench = await ready('Browser');
    const { page } = bench;
    await bench.tab('model.stan');
    await bench.write(PROGRAM.replace('mu ~ normal(0, 10);', ''));
    await page
      .getByText(/^\d+ warnings?$|No errors/)
      .first()
      .waitFor();
    await drawFromPrior(page);
    await page
      .getByText('The prior distribution cannot be derived from this program. Line 2: mu has no prior.')
      .waitFor();
    assert.equal(await page.getByRole('button', { name: /^Run 1/ }).count(), 0);
    await bench.close();
  });
});
