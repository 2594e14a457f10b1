/** Draws of runs elsewhere come into the page. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { CommandFolder } from '../cli/command.js';
import { withoutChromium } from '../support/chromium.js';
import { openBrowser, Workbench } from './workbench.js';

const COIN =
  'data { int N; int y; } parameters { real<lower=0, upper=1> p; } model { y ~ binomial(N, p); } generated quantities { real odds = p / (1 - p); }';
const DATA = '{"N": 10, "y": 7}';

describe('draws in CSV files become a run', { skip: withoutChromium }, () => {
  let opened: Awaited<ReturnType<typeof openBrowser>>;
  let place: CommandFolder;
  before(async () => {
    opened = await openBrowser();
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
    await opened.close();
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
  /** The table of `leapfrog summary`, name and mean. */
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
    await bench.page.getByText('1000 draws').waitFor();
    await bench.page.context().close();
  });

  it('with the numbers of leapfrog summary, and what they were made with', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    await drop(bench, { 'coin.stan': COIN, 'coin.json': DATA, ...chains() });
    await bench.reliable();
    await page
      .getByText('1000 draws in each of 3 chains, from coin-sample_1.csv, coin-sample_2.csv, coin-sample_3.csv')
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
    await bench.page.reload();
    await bench.reliable();
    await bench.close();
  });

  it('unless their columns differ', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const other = chains()['coin-sample_2.csv'].replaceAll('odds', 'ratio');
    await drop(bench, { 'a.csv': chains()['coin-sample_1.csv'], 'b.csv': other });
    await bench.page
      .getByText('a.csv, b.csv cannot be opened: the columns of b.csv differ from those of a.csv.')
      .waitFor();
    await bench.close();
  });
});
