/** Importing draws from other programs into the page. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import type { FitContents } from '../../src/library/fit.js';
import { saveFit } from '../../src/pipe/fit-file.js';
import { CommandFolder } from '../cli/command.js';
import { withoutChromium } from '../support/chromium.js';
import { browserForAll, Workbench } from './workbench.js';

const COIN =
  'data { int N; int y; } parameters { real<lower=0, upper=1> p; } model { y ~ binomial(N, p); } generated quantities { real odds = p / (1 - p); }';
const DATA = '{"N": 10, "y": 7}';

describe('draws in CSV files become a run', { skip: withoutChromium }, () => {
  const opened = browserForAll();
  let place: CommandFolder;
  before(async () => {
    place = await CommandFolder.create({ 'coin.stan': COIN, 'coin.json': DATA });
    const sampled = await place.run(
      ...[
        'sample',
        'coin.stan',
        '--data',
        'coin.json',
        '--chains',
        '3',
        '--seed',
        '5',
        '--delta',
        '0.9',
        '--save-warmup',
        'true',
      ],
    );
    assert.equal(sampled.code, 0, sampled.errors);
  });
  after(async () => {
    await place.remove();
  });

  const chains = () =>
    Object.fromEntries(
      [3, 1, 2].map((id) => [`coin-sample_${id}.csv`, readFileSync(place.path(`coin-sample_${id}.csv`), 'utf8')]),
    );
  const drop = (bench: Workbench, files: Readonly<Record<string, string>>) =>
    bench.page.evaluate(`(() => { const transfer = new DataTransfer();
      for (const [name, text] of ${JSON.stringify(Object.entries(files))}) transfer.items.add(new File([text], name));
      document.querySelector('.look').dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
    })()`);
  /** Names and means in the table of `leapfrog summary`. */
  const means = async () => {
    const { output } = await place.run('summary', ...Object.keys(chains()).toSorted(), '--format', 'csv');
    return new Map(
      output
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => [line.split(',')[0], Number(line.split(',')[1])]),
    );
  };

  it('without the mean of a variational approximation', async () => {
    const made = await place.run('variational', 'coin.stan', '--data', 'coin.json', '--seed', '1', '--output', 'v.csv');
    assert.equal(made.code, 0, made.errors);
    const bench = await Workbench.open(opened.browser, opened.server.address);
    await drop(bench, { 'v.csv': readFileSync(place.path('v.csv'), 'utf8') });
    await bench.page.getByText('1,000 draws').waitFor();
    await bench.page.context().close();
  });

  it('with the numbers of leapfrog summary, and their settings', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    await drop(bench, { 'coin.stan': COIN, 'coin.json': DATA, ...chains() });
    await bench.reliable();
    await page
      .getByText('1,000 draws in each of 3 chains, from coin-sample_1.csv, coin-sample_2.csv, coin-sample_3.csv')
      .waitFor();
    const text = await bench.summary();
    const expected = await means();
    for (const name of ['p', 'odds'])
      assert.ok(text?.includes(`${name}${Number(expected.get(name)?.toPrecision(3))}`), `${name} in ${text}`);

    // The run stays with the project, and the next run can be compared with it.
    await page.getByText('saved', { exact: true }).waitFor();
    await page.reload();
    await bench.reliable();
    await bench.run();
    await page.getByRole('button', { name: /^Run 2/ }).waitFor();
    await bench.reliable();
    await bench.tab('Compare');
    await page.locator('.look').getByText(/delta/).first().waitFor();
    assert.deepEqual(bench.complaints, []);
    await bench.close();
  });

  it('without their program', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    await drop(bench, chains());
    await bench.reliable();
    assert.equal(await bench.page.getByLabel('Name of the project').inputValue(), 'coin');
    // Nothing is offered that requires a program.
    await bench.tab('Predictive');
    await bench.page.getByText('Predictive checks compare data').waitFor();
    assert.equal(await bench.page.locator('.look').getByText('derived').count(), 0);
    await bench.tab('Compare');
    await bench.page.getByText("This is the project's only run").waitFor();
    assert.equal(await bench.page.getByRole('button', { name: 'Draw from the prior' }).count(), 0);
    await bench.tab('Verdict');
    await bench.page.reload();
    await bench.reliable();
    await bench.close();
  });

  it('unless their columns differ', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const other = chains()['coin-sample_2.csv'].replaceAll('odds', 'ratio');
    await drop(bench, { 'a.csv': chains()['coin-sample_1.csv'], 'b.csv': other });
    await bench.page
      .getByText(
        'a.csv, b.csv cannot be opened: the columns of b.csv differ from those of a.csv. Open the chains of one run at a time.',
      )
      .waitFor();
    await bench.close();
  });

  it('also from Arrow files, with the same numbers', async () => {
    const seeds = ['--chains', '3', '--seed', '5', '--delta', '0.9', '--save-warmup', 'true'];
    const made = await place.run('sample', 'coin.stan', '--data', 'coin.json', ...seeds, '--output', 'draws.arrow');
    assert.equal(made.code, 0, made.errors);
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    const open = async (...files: readonly (readonly [name: string, buffer: Buffer])[]) => {
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Projects', exact: true }).click();
      await page.getByRole('menuitem', { name: /^Open files/ }).click();
      await (await chooser).setFiles(
        files.map(([name, buffer]) => ({ name, mimeType: 'application/octet-stream', buffer })),
      );
    };
    const names = [1, 2, 3].map((chain) => `draws_${chain}.arrow`);
    await open(...names.map((name) => [name, readFileSync(place.path(name))] as const));
    await bench.reliable();
    await page.getByText('1,000 draws in each of 3 chains, from draws_1.arrow, draws_2.arrow, draws_3.arrow').waitFor();
    assert.equal(await page.getByLabel('Name of the project').inputValue(), 'coin');
    const text = await bench.summary();
    const expected = await means();
    for (const name of ['p', 'odds'])
      assert.ok(text?.includes(`${name}${Number(expected.get(name)?.toPrecision(3))}`), `${name} in ${text}`);
    await open(['broken.arrow', Buffer.from('ARROW1 and no more')]);
    await page.getByText(/^broken\.arrow cannot be opened: /).waitFor();
    assert.deepEqual(bench.complaints, []);
    await bench.close();
  });

  it('from netCDF files of ArviZ, with the numbers of the CSV files that ArviZ read', async () => {
    const reference = (name: string) => readFileSync(new URL(`../../../test/reference/arviz/${name}`, import.meta.url));
    const drawn = { 'chain_1.csv': `${reference('chain_1.txt')}`, 'chain_2.csv': `${reference('chain_2.txt')}` };
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    await drop(bench, drawn);
    await page.getByText('6 draws in each of 2 chains, from chain_1.csv, chain_2.csv').waitFor();
    const rows = async () => {
      await bench.summary();
      return page.locator('.numbers tbody tr').allTextContents();
    };
    const expected = await rows();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Projects', exact: true }).click();
    await page.getByRole('menuitem', { name: /^Open files/ }).click();
    const open = await chooser;
    await open.setFiles({
      name: 'warm.nc',
      mimeType: 'application/netcdf',
      buffer: gunzipSync(reference('warm.nc.gz')),
    });
    await bench.tab('Verdict');
    await page.getByText('6 draws in each of 2 chains, from warm.nc').waitFor();
    assert.ok(expected.some((row) => row.startsWith('A[2,3]')));
    // The variables are in a different order, by group.
    assert.deepEqual((await rows()).toSorted(), expected.toSorted());
    assert.deepEqual(bench.complaints, []);
    await bench.close();
  });

  it('from an Arrow table of several chains that other programs wrote', async () => {
    const rows = 400;
    const chain__ = Int32Array.from({ length: rows }, (_, row) => 1 + (row % 2));
    const p = Float64Array.from({ length: rows }, (_, row) => (row % 2 === 0 ? 0.25 : 0.75));
    const lp__ = Float64Array.from({ length: rows }, (_, row) => -row);
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Projects', exact: true }).click();
    await page.getByRole('menuitem', { name: /^Open files/ }).click();
    const buffer = Buffer.from(tableToIPC(tableFromArrays({ lp__, p, chain__ }), 'file'));
    await (await chooser).setFiles({ name: 'two.arrow', mimeType: 'application/octet-stream', buffer });
    await page.getByText('200 draws in each of 2 chains').waitFor();
    await bench.tab('Draws');
    for (const [chain, value] of [
      ['1', '0.25'],
      ['2', '0.75'],
    ] as const) {
      await page.locator('.look').getByRole('combobox', { name: 'chain' }).selectOption({ label: chain });
      await page.getByRole('row', { name: new RegExp(`^1 .*${value}`) }).waitFor();
    }
    await bench.close();
  });

  it('from a fit that was saved in Python or R, with its program and data', async () => {
    const path = place.path('coins.arrow');
    const contents: FitContents = {
      program: 'string',
      asked: {
        function: 'stan::services::sample::hmc_nuts_diag_e_adapt',
        arguments: {},
        random_seed: 7,
        created: '2025-01-02T03:04:05.000Z',
      },
      outputs: [{ name: 'p', block: 'parameters' }],
      stopped: undefined,
      columns: ['lp__', 'p'],
      diagnosticColumns: [],
      chains: [1, 2].map((id) => ({
        id,
        warmup: 0,
        draws: 150,
        values: Float64Array.from({ length: 300 }, (_, k) => (k % 2 === 0 ? -k : (id + (k % 7)) / 10)),
        diagnostics: new Float64Array(0),
        initial: undefined,
        adapted: undefined,
        state: undefined,
        comments: [],
      })),
    };
    saveFit(path, contents, { source: { program: COIN, includes: {} }, data: DATA, isWhole: true });
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Projects', exact: true }).click();
    await page.getByRole('menuitem', { name: /^Open files/ }).click();
    await (await chooser).setFiles(path);
    await page.getByText('150 draws in each of 2 chains, from coins.arrow').waitFor();
    assert.equal(await page.getByLabel('Name of the project').inputValue(), 'coins');
    await bench.tab('model.stan');
    assert.equal((await page.locator('.write .cm-line').allTextContents()).join('\n'), COIN);
    await bench.tab('data.json');
    await page.getByText('"y": 7').waitFor();
    await bench.close();
  });

  /** Files of CmdStan, described in test/reference/cmdstan/model.stan. */
  const cmdstan = (name: string) =>
    readFileSync(new URL(`../../../test/reference/cmdstan/${name}.txt`, import.meta.url), 'utf8');

  it('from files of CmdStan without a column lp__', async () => {
    for (const [name, draws, quantity] of [
      ['laplace', 4, 'alpha'],
      ['generated', 3, 'Omega[2,1]'],
    ] as const) {
      const bench = await Workbench.open(opened.browser, opened.server.address);
      await drop(bench, { [`${name}.csv`]: cmdstan(name) });
      await bench.page.getByText(`${draws} draws in one chain, from ${name}.csv.`).waitFor();
      await bench.tab('Summary');
      await bench.page.getByRole('row', { name: new RegExp(`^${quantity.replace(/[[\]]/g, '\\$&')}`) }).waitFor();
      assert.deepEqual(bench.complaints, []);
      await bench.close();
    }
  });

  it('without cross-validation for a single draw', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    await drop(bench, { 'one.csv': cmdstan('generated').split('\n').slice(0, -3).join('\n') });
    await bench.page.getByText('One point. Its values are in the summary.').waitFor();
    await bench.tab('Predictive');
    await bench.page.getByRole('region', { name: 'Predictive checks', exact: true }).waitFor();
    assert.equal(await bench.page.getByText('Leave-one-out').count(), 0);
    assert.deepEqual(bench.complaints, []);
    await bench.close();
  });

  it('from files of CmdStan in a folder with other files', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const [first, second] = [cmdstan('chain_1'), cmdstan('chain_2')];
    await drop(bench, {
      'm_1.csv': first,
      'm_2.csv': second,
      'm_1-stdout.txt': 'Iteration',
      'm_config.json': '{}',
      'm-diagnostic_1.csv': cmdstan('diagnostic_1'),
    });
    await bench.page.getByText('3 draws in each of 2 chains, from m_1.csv, m_2.csv').waitFor();
    await bench.page
      .getByText('Not opened, because they contain no draws: m_1-stdout.txt, m_config.json, m-diagnostic_1.csv.', {
        exact: true,
      })
      .waitFor();
    assert.deepEqual(bench.complaints, []);
    await bench.close();
  });

  it('with a notice of draws that are missing or the same', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const lines = cmdstan('chain_2').split('\n');
    const cut = lines
      .slice(
        0,
        lines.findLastIndex((line) => /^-?\d/.test(line)),
      )
      .join('\n');
    await drop(bench, { 'a.csv': cmdstan('chain_1'), 'b.csv': `${cut}\n`, 'c.csv': cmdstan('chain_1') });
    await bench.page
      .getByText(
        'a.csv and c.csv contain the same chain: its draws count twice. The chains differ in length: b.csv has 2 draws after warmup, c.csv has 3. Only the first 2 of each chain are used. b.csv: only 2 of 3 draws, because its run was stopped',
      )
      .waitFor();
    await bench.close();
  });

  it('unless they are diagnostics, truncated, or without draws', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const chain = cmdstan('chain_1');
    const place = chain.lastIndexOf(',');
    const header = chain.slice(0, chain.indexOf('\n', chain.indexOf('\nlp__') + 1) + 1);
    const diagnostics = 'the columns are those of a diagnostic file (diagnostic_file), which has no draws';
    for (const [files, reason] of [
      [{ 'd.csv': cmdstan('diagnostic_1') }, `d.csv cannot be opened: ${diagnostics}`],
      [{ 'elbo.csv': cmdstan('elbo') }, `elbo.csv cannot be opened: ${diagnostics}`],
      [
        { 'a.csv': cmdstan('chain_2'), 'b.csv': chain.slice(0, place) },
        /^a\.csv, b\.csv cannot be opened: in b\.csv, line \d+ has \d+ values for 71 columns, and the file ends there: it is truncated, or its run has not ended\./,
      ],
      [{ 'h.csv': header }, 'h.csv cannot be opened: it has no draws below the header line.'],
    ] as const) {
      await drop(bench, files);
      await bench.page.getByText(reason).waitFor();
    }
    await bench.close();
  });
});
