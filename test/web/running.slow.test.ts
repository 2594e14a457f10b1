/** Runs in the page: their settings, the display during the run, and how they end. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { algorithms } from '../../src/inference/algorithms/registry.js';
import { argumentsOf } from '../../src/requests/functions.js';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { browserForAll, Workbench } from './workbench.js';

const PROGRAM = 'parameters { vector[5] x; } model { x ~ std_normal(); }';
const SLOW =
  'parameters { real x; } model { x ~ std_normal(); for (n in 1:20000) target += -1e-9 * square(sin(x * n)); }';

/** Records the notifications of the page. A browser without windows denies them, whatever its context permits. */
const recordNotices = (permission: 'granted' | 'denied') => `
  window.notices = [];
  window.Notification = class extends Notification {
    static get permission() {
      return '${permission}';
    }
    constructor(title, options) {
      super(title, options);
      window.notices.push(title + ' | ' + options.body);
    }
  };`;
const HIDE = "Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })";

describe('runs in the page', { skip: withoutChromium }, () => {
  const opened = browserForAll();

  const ready = async (program: string) => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    await bench.write(program);
    await bench.page.getByText('Ready to run').waitFor();
    return bench;
  };
  const reliable = (bench: Workbench) =>
    bench.page.getByRole('heading', { name: 'These draws can be relied on' }).waitFor();

  it('have a form for each function that the server offers, with its arguments and their descriptions', async () => {
    const bench = await ready(PROGRAM);
    const { page } = bench;
    const choice = page.getByLabel('method', { exact: true });
    const offered = await choice
      .locator('option')
      .evaluateAll((options) => options.map((option) => option.getAttribute('value')));
    assert.equal(new Set(offered).size, algorithms.length);
    const seen = await page
      .getByRole('form', { name: 'Settings of runs' })
      .locator('.field:visible label')
      .allTextContents();
    assert.deepEqual(seen, ['method', 'chains', 'warmup', 'samples', 'seed'], 'common arguments come first');
    for (const name of offered) {
      const algorithm = algorithms.find(({ functionName }) => functionName === name);
      assert.ok(algorithm !== undefined && name !== null, `${name} is a function`);
      await choice.selectOption(name);
      const more = page.getByRole('button', { name: 'more…' });
      if ((await more.count()) > 0) await more.click();
      const form = page.getByRole('form', { name: 'Settings of runs' });
      const shown = (await form.locator('.field').allTextContents()).join('\n');
      // The page shows progress continuously rather than every `refresh` iterations.
      const wanted = argumentsOf(algorithm).filter((argument) => argument.name !== 'refresh');
      for (const { description } of wanted) {
        // Names in backticks are shown as code.
        assert.ok(shown.includes(description.replaceAll('`', '')), `${name}: ${description}`);
      }
    }
    await bench.close();
  });

  it('have arguments in groups: main settings, adaptation, output', async () => {
    const bench = await ready(PROGRAM);
    const { page } = bench;
    await page.getByRole('button', { name: 'more…' }).click();
    const group = (name: string) => page.getByRole('group', { name, exact: true });
    const labels = (name: string) => group(name).locator('label').allTextContents();
    assert.deepEqual(await labels('Run'), ['delta', 'max_depth', 'init_radius', 'threads_per_chain', 'init']);
    assert.ok((await labels('Adaptation')).includes('inv_metric'));
    assert.deepEqual(await labels('Output'), ['save_warmup', 'num_thin', 'chain']);
    await page.getByLabel('method', { exact: true }).selectOption('stan::services::optimize::lbfgs');
    assert.ok((await labels('Convergence')).includes('tol_rel_grad'));
    assert.equal(await group('Adaptation').count(), 0);
    await bench.close();
  });

  it('have a seed that a project keeps, and that can be drawn again', async () => {
    const bench = await ready(PROGRAM);
    const { page } = bench;
    const seed = page.getByLabel('seed');
    const first = await seed.inputValue();
    await page.getByText('saved', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('Ready to run').waitFor();
    assert.equal(await seed.inputValue(), first, 'it is kept');
    await page.getByRole('button', { name: 'Randomize' }).click();
    assert.match(await seed.inputValue(), /^\d+$/);
    assert.notEqual(await seed.inputValue(), first);
    await seed.fill('');
    await page.keyboard.press('Tab');
    assert.match(await seed.inputValue(), /^\d+$/, 'a project always has one');
    await bench.close();
  });

  for (const place of ['Browser', 'Server']) {
    it(`start from values as JSON, also after a failed start, in the ${place.toLowerCase()}`, async () => {
      const bench = await ready(
        'parameters { real x; real y; } model { target += normal_lpdf(log(x - 50) | 0, 1); y ~ std_normal(); }',
      );
      const { page } = bench;
      await page.getByRole('button', { name: place, exact: true }).click();
      await bench.run();
      await page.getByRole('button', { name: 'Set initial values' }).click();
      const values = page.getByLabel('Initial values');
      await page.locator('textarea:focus').waitFor();
      assert.equal(await values.inputValue(), '{}');
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type('{"x": 51');
      await page.getByText(/^Initial values must be JSON/).waitFor();
      await page.keyboard.type('}');
      await page.getByText('One member per parameter (x, y), on its own scale.').waitFor();
      assert.deepEqual(await axeFindings(page), []);
      await bench.run();
      await page.getByRole('table', { name: 'Key quantities' }).getByRole('rowheader', { name: 'x' }).waitFor();
      await bench.close();
    });
  }

  it("name the usual methods without Stan's names, before all others", async () => {
    const bench = await ready(PROGRAM);
    const usual = bench.page.getByLabel('method', { exact: true }).locator('> option');
    assert.deepEqual(await usual.allTextContents(), [
      'NUTS (default)',
      'NUTS for difficult posteriors',
      'Parallel tempering, for several modes',
      'Pathfinder, a fast approximation',
      'Optimum (L-BFGS)',
    ]);
    await bench.close();
  });

  it("name each other function by its common name, with Stan's name beside it", async () => {
    const bench = await ready(PROGRAM);
    const options = bench.page.getByLabel('method', { exact: true }).locator('optgroup option');
    const names = await options.allTextContents();
    const values = await options.evaluateAll((all) => all.map((option) => option.getAttribute('value') ?? ''));
    values.forEach((value, index) => {
      const [, familiar, short] = /^([A-Z].*) \((\w+)\)$/.exec(names[index] ?? '') ?? [];
      assert.ok(familiar !== undefined, `${value} has a familiar name: ${names[index]}`);
      assert.equal(short, value.split('::').at(-1));
    });
    for (const name of [
      'NUTS, dense metric (hmc_nuts_dense_e_adapt)',
      'NUTS, no adaptation (hmc_nuts_diag_e)',
      'Static HMC, unit metric (hmc_static_unit_e_adapt)',
      'BFGS (bfgs)',
      'Pathfinder, single path (pathfinder_lbfgs_single)',
    ]) {
      assert.ok(names.includes(name), name);
    }
    await bench.close();
  });

  it('mark settings that differ from their defaults, and reset them', async () => {
    const bench = await ready(PROGRAM);
    const { page } = bench;
    await page.getByRole('button', { name: 'more…' }).click();
    const delta = page.getByLabel('delta', { exact: true });
    assert.equal(await delta.inputValue(), '');
    assert.equal(await delta.getAttribute('placeholder'), '0.8');
    await delta.fill('0.9');
    await page.locator('.field.changed', { has: delta }).waitFor();
    await page.getByRole('button', { name: 'Reset delta' }).click();
    assert.equal(await delta.inputValue(), '');
    assert.equal(await page.locator('.field.changed').count(), 0);
    await bench.close();
  });

  for (const place of ['Browser', 'Server']) {
    it(`stop when precise enough, in the ${place.toLowerCase()}, and the verdict states why`, async () => {
      const bench = await ready(
        'parameters { real mu; real<lower=0> tau; } model { mu ~ std_normal(); tau ~ exponential(1); }',
      );
      const { page } = bench;
      await page.getByRole('button', { name: place, exact: true }).click();
      await page.getByLabel('samples', { exact: true }).fill('100');
      await page.getByRole('button', { name: 'more…' }).click();
      const rule = page.getByRole('group', { name: 'Stop when precise enough' });
      await rule.getByLabel('max_iterations').fill('50');
      await rule.getByText(/^max_iterations must be an integer from 100/).waitFor();
      await rule.getByLabel('max_iterations').fill('300');
      await rule.getByText(/^until must have at least one of ess_bulk/).waitFor();
      await rule.getByLabel('ess_bulk').fill('100000');
      await rule.getByText(/^until must have/).waitFor({ state: 'hidden' });
      await rule.getByLabel('quantities').fill('mu');
      await bench.run();
      const stopped = page.getByText(/^Stopped after \d+ iterations: /);
      await stopped.waitFor();
      assert.match(
        (await stopped.textContent()) ?? '',
        /^Stopped after 300 iterations: max_iterations is reached\. ess_bulk of mu is [\d.]+; it must be at least 100000\.$/,
      );
      await page.getByText(/^300 draws in each of 4 chains/).waitFor();
      await rule.getByLabel('ess_bulk').fill('300');
      await rule.getByLabel('max_iterations').fill('');
      await bench.run();
      await page.getByRole('button', { name: /^Run 2/ }).waitFor();
      await page.getByText(/^Stopped after \d+ iterations: the draws are as precise as required\.$/).waitFor();
      // The rule is kept with the project.
      await page.getByText('saved', { exact: true }).waitFor();
      await page.reload();
      await page.getByText(/^Stopped after \d+ iterations: the draws/).waitFor();
      const more = page.getByRole('button', { name: 'more…' });
      if ((await more.count()) > 0) await more.click();
      assert.equal(await rule.getByLabel('ess_bulk').inputValue(), '300');
      assert.deepEqual(bench.complaints, []);
      await bench.close();
    });
  }

  it('continue a cancelled run where its chains stopped', async () => {
    const bench = await ready('parameters { real x; } model { x ~ std_normal(); }');
    const { page } = bench;
    await page.getByLabel('chains', { exact: true }).fill('1');
    await page.getByLabel('samples', { exact: true }).fill('100000000');
    await bench.run();
    await page.getByText(/draws of one chain$/).waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByText(/^Cancelled: [\d,]+ draws in one chain/).waitFor();
    await page.getByLabel('samples', { exact: true }).fill('250');
    await page.getByRole('button', { name: 'more…' }).click();
    await page.getByLabel('continue', { exact: true }).selectOption({ label: 'Run 1' });
    await bench.run();
    await page.getByText(/^250 draws in one chain/).waitFor();
    assert.deepEqual(bench.complaints, []);
    await bench.close();
  });

  it('show the progress of each chain, with traces that grow, also in warmup, and can be cancelled', async () => {
    const bench = await ready(SLOW);
    const { page } = bench;
    await page.getByLabel('warmup', { exact: true }).fill('100000');
    await bench.run();
    const warmup = page.getByRole('img', { name: /^Trace of lp__ in warmup\. 4 chains/ });
    await warmup.waitFor();
    const start = await warmup.innerHTML();
    while ((await warmup.innerHTML()) === start) await page.waitForTimeout(50);
    await page.getByText('Estimates appear with the first draws after warmup.').waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('heading', { name: 'Cancelled before the first draw' }).waitFor();
    await page.getByLabel('warmup', { exact: true }).fill('100');
    await page.getByLabel('samples', { exact: true }).fill('100000');
    await bench.run();
    const row = page.getByRole('row', { name: /^2 / });
    // Not only the hundreds, of which Stan's messages report.
    await row.getByText(/^\d*[1-9]\d \/ 100100$/).waitFor();
    await row.getByText(/^\d+ (s|min)$|^[\d.]+ h$/).waitFor();
    // The step size is shown once it is adapted.
    await row.getByRole('cell').nth(6).filter({ hasText: /\d/ }).waitFor();
    const cells = await row.getByRole('cell').allTextContents();
    assert.match(cells[3], /^\d+$/, 'divergences');
    assert.match(cells[4], /^\d+$/, 'transitions at the greatest tree depth');
    assert.match(cells[6], /^[\d.]+$/, 'step size');
    await page.getByText(/^R-hat \d\.\d+ \((x|lp__)\), ESS \d+ \((x|lp__)\), \d+ divergent, about /).waitFor();
    const trace = page.getByRole('img', { name: /^Trace of x\./ });
    await trace.waitFor();
    const estimates = page.getByRole('table', { name: 'Key quantities so far' }).getByRole('row', { name: /^x/ });
    await estimates.waitFor();
    const first = await trace.innerHTML();
    const early = await estimates.textContent();
    while ((await trace.innerHTML()) === first) await page.waitForTimeout(50);
    while ((await estimates.textContent()) === early) await page.waitForTimeout(50);
    assert.deepEqual(
      (await page.locator('.chains tbody th').allTextContents()).map((text) => text.trim()),
      ['1', '2', '3', '4'],
      'all chains are listed, also those that wait for a thread',
    );
    assert.deepEqual(await axeFindings(page), []);
    // The estimates stay until those of the verdict replace them.
    await page.evaluate(`new MutationObserver(() => {
      if (document.querySelector('.forest') === null) window.hadNoEstimates = true;
    }).observe(document.body, { childList: true, subtree: true })`);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('heading', { name: /^(Cancelled|These draws)/ }).waitFor();
    await page.getByRole('button', { name: /^Run 2 cancelled, [\d,]+ draws/ }).waitFor();
    await page.getByRole('table', { name: 'Key quantities' }).getByRole('row', { name: /^x/ }).waitFor();
    assert.equal(await page.evaluate('window.hadNoEstimates'), undefined);
    await bench.close();
  });

  it('continue while another tab is open', async () => {
    const bench = await ready(PROGRAM);
    await bench.run();
    const other = await bench.page.context().newPage();
    await other.goto('about:blank');
    await other.bringToFront();
    await reliable(bench);
    await bench.close();
  });

  it('notify the user of their end only if this is allowed and the page is hidden', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    await page.addInitScript(recordNotices('granted'));
    await page.reload();
    await bench.openExample(/^A coin/);
    await page.getByText('Ready to run').waitFor();
    await bench.run();
    await page.getByRole('button', { name: /^Run 1 reliable/ }).waitFor();
    assert.deepEqual(await page.evaluate('window.notices'), [], 'the page is looked at');
    await page.evaluate(HIDE);
    await bench.run();
    await page.getByRole('button', { name: /^Run 2 reliable/ }).waitFor();
    while ((await page.evaluate('window.notices.length')) === 0) await page.waitForTimeout(20);
    assert.deepEqual(await page.evaluate('window.notices'), ['Run 2: done | A coin']);
    await bench.close();

    const denied = await Workbench.open(opened.browser, opened.server.address);
    await denied.page.addInitScript(recordNotices('denied'));
    await denied.page.reload();
    await denied.openExample(/^A coin/);
    await denied.page.getByText('Ready to run').waitFor();
    await denied.page.evaluate(HIDE);
    await denied.run();
    await denied.page.getByRole('button', { name: /^Run 1 reliable/ }).waitFor();
    assert.deepEqual(await denied.page.evaluate('window.notices'), []);
    await denied.close();
  });

  it('report that the storage is full, continue to work, and store again when there is room', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    await bench.page.addInitScript(
      `globalThis.put = IDBObjectStore.prototype.put;
       IDBObjectStore.prototype.put = () => { throw new DOMException('no room', 'QuotaExceededError'); }`,
    );
    await bench.page.reload();
    await bench.openExample(/^A coin/);
    const full = bench.page.getByText(/^The storage of this browser is full \([\d.,]+ of [\d.,]+ MB used\)/);
    await full.waitFor();
    await bench.page.getByText('Ready to run').waitFor();
    await bench.run();
    await reliable(bench);
    await bench.page.evaluate('void (IDBObjectStore.prototype.put = globalThis.put)');
    await bench.page.getByRole('button', { name: 'Try again' }).click();
    await full.waitFor({ state: 'detached' });
    await bench.page.locator('.status').getByText('saved', { exact: true }).waitFor();
    await bench.page.reload();
    await reliable(bench);
    await bench.summary();
    await bench.close();
  });

  it('have a log in which rejected proposals are not errors', async () => {
    const bench = await ready(
      'parameters { real x; } model { if (x > 2.5) reject("x is too large"); x ~ std_normal(); }',
    );
    await bench.run();
    await bench.page.getByRole('button', { name: /^Run 1/ }).waitFor();
    await bench.page.getByText(/^No statement of the program conditions on data/).waitFor();
    await bench.tab('Log');
    await bench.page.locator('.log .info', { hasText: 'x is too large' }).first().waitFor();
    assert.equal(await bench.page.locator('.log .error').count(), 0);
    const progress = bench.page.locator('.log').getByText(/^Iteration: /);
    assert.equal(await progress.count(), 0);
    await bench.page.getByLabel(/^Show \d+ lines on progress$/).check();
    await progress.first().waitFor();
    assert.deepEqual(await axeFindings(bench.page), []);
    await bench.close();
  });

  it('take place in the browser if the server is gone', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    await bench.page.route('**/v1/**', (route) => route.abort());
    await bench.page.reload();
    await bench.openExample(/^A coin/);
    await bench.page.getByText('No data leave it').waitFor();
    await bench.run();
    await reliable(bench);
    await bench.close();
  });

  it('lead to checks of the data next to simulations of them', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    await bench.openExample(/^A line/);
    await bench.page.getByText('Ready to run').waitFor();
    await bench.run();
    await reliable(bench);
    await bench.tab('Predictive');
    const checks = bench.page.getByRole('region', { name: 'Predictive checks of y' });
    for (const title of [/^y: densities/, /^y: intervals/, /^y: mean/, /^y: standard deviation/]) {
      await checks.getByRole('img', { name: title }).waitFor();
    }
    await bench.close();
  });
});
