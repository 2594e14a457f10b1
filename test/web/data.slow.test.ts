/** Ways to enter data into the page other than by typing. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { browserForAll, Workbench } from './workbench.js';

const PROGRAM = `data {
  int<lower=0> N;
  int<lower=1> n_region;
  array[N] int<lower=1, upper=n_region> region;
  vector[N] weight;
}
parameters { vector[n_region] mu; }
model { weight ~ normal(mu[region], 1); }`;

const CSV = 'Region,weight\nnorth,1.5\nsouth,2\nnorth,2.5\nwest,\n';

describe('data enter the page', { skip: withoutChromium }, () => {
  const opened = browserForAll();
  let bench: Workbench;
  before(async () => {
    bench = await Workbench.open(opened.browser, opened.server.address, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await bench.write(PROGRAM);
    await bench.page.getByText('The data do not fit the program').waitFor();
    await bench.tab('data.json');
  });
  after(async () => {
    await bench.close();
  });

  const openFile = async (name: string, text: string) => {
    const chosen = bench.page.waitForEvent('filechooser');
    await bench.page.getByRole('button', { name: 'Open files' }).click();
    await (await chosen).setFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  };
  /** Takes the data from the table's window, which closes when they are in the editor. */
  const addToData = async ({ page } = bench) => {
    await page.getByRole('button', { name: 'Add to the data' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  const dataNow = async (): Promise<unknown> =>
    JSON.parse((await bench.page.locator('.write .cm-content').allTextContents()).join(''));

  it('as example values of the right shape', async () => {
    await bench.page.getByRole('button', { name: 'Fill in placeholders' }).click();
    await bench.page.getByText('Ready to run').waitFor();
    assert.deepEqual(await dataNow(), { N: 3, n_region: 3, region: [1, 2, 3], weight: [1, 2, 3] });
  });

  it('from a table whose columns are assigned to variables', async () => {
    await openFile('measured.csv', CSV);
    await bench.page.getByRole('heading', { name: 'Data from measured.csv' }).waitFor();
    await bench.page
      .getByText('Region contains text, which is converted to numbers: 1 north, 2 south, 3 west.')
      .waitFor();
    assert.deepEqual(await axeFindings(bench.page), []);
    await bench.page.getByLabel('Leave out the row with a missing value').uncheck();
    await bench.page.getByText('Missing values become NaN').waitFor();
    await addToData();
    assert.deepEqual(await dataNow(), { N: 4, n_region: 3, region: [1, 2, 1, 3], weight: [1.5, 2, 2.5, 'NaN'] });
  });

  it('from a table copied in a spreadsheet', async () => {
    await bench.page.evaluate(`navigator.clipboard.writeText('region\\tweight\\n2\\t0.5\\n1\\t0.25\\n')`);
    await bench.page.getByRole('button', { name: 'Paste a table' }).click();
    await bench.page.getByLabel('n_region').selectOption({ label: 'number of different region' });
    await addToData();
    assert.deepEqual(await dataNow(), { N: 2, n_region: 2, region: [2, 1], weight: [0.5, 0.25] });
    await bench.page.getByText('Ready to run').waitFor();
  });

  it('from an R dump', async () => {
    await openFile('data.R', 'N <- 2\nn_region <- 1\nregion <- c(1, 1)\nweight <- c(0.5, 1e-3)\n');
    await bench.page.getByText('The data now come from data.R.').waitFor();
    assert.deepEqual(await dataNow(), { N: 2, n_region: 1, region: [1, 1], weight: [0.5, 0.001] });
  });

  it('from a table without the rows with missing values', async () => {
    await openFile('measured.csv', CSV);
    await bench.page.getByLabel('Leave out the row with a missing value').waitFor();
    await addToData();
    assert.deepEqual(await dataNow(), { N: 3, n_region: 2, region: [1, 2, 1], weight: [1.5, 2, 2.5] });
  });

  it('from a file dropped anywhere on the page, with long integers unchanged', async () => {
    await bench.page.evaluate(`(() => {
      const dropped = new DataTransfer();
      dropped.items.add(new File(['region,weight\\n9007199254740993,0.5\\n+2,1.50\\n'], 'dropped.csv'));
      document.querySelector('.look').dispatchEvent(new DragEvent('drop', { dataTransfer: dropped, bubbles: true, cancelable: true }));
    })()`);
    await bench.page.getByRole('heading', { name: 'Data from dropped.csv' }).waitFor();
    await addToData();
    const text = (await bench.page.locator('.write .cm-content').allTextContents()).join('');
    assert.match(text, /"region": \[9007199254740993, 2\]/);
    assert.match(text, /"weight": \[0\.5, 1\.5\]/);
  });

  it('with errors marked in the text', async () => {
    await bench.write('{"N": 1, "n_region": 1, "region": [1], "weight": [1, 2], "more": 3}');
    const marked = (kind: string) => bench.page.locator(`.write .cm-lintRange-${kind}`);
    await marked('error').getByText('"weight"').waitFor();
    assert.deepEqual(await marked('error').allTextContents(), ['"weight"']);
    assert.deepEqual(await marked('warning').allTextContents(), ['"more"']);
    await bench.write('{"N": 1, "n_region": 1, "region": [2], "weight": [1]}');
    await marked('error').getByText('"region"').waitFor();
    await bench.write('{"N": 1, "n_region": 1, "region": [1], weight: [1]}');
    await marked('error').filter({ hasText: /^w$/ }).waitFor();
  });

  it('simulated by the program itself, whose run without parameters becomes data', async () => {
    const simulating = await Workbench.open(opened.browser, opened.server.address);
    const { page } = simulating;
    await simulating.write(
      'data { int N; real mu; array[N] real y; }\n' +
        'generated quantities { array[N] real y_sim; for (n in 1:N) y_sim[n] = normal_rng(mu, 1); }',
    );
    await simulating.tab('data.json');
    await simulating.write('{"N": 3, "mu": 100, "y": [0, 0, 0]}');
    await page.getByText('Ready to run').waitFor();
    await page.getByLabel('method').selectOption({ label: 'Fixed parameters (fixed_param)' });
    await simulating.run();
    await page.getByRole('button', { name: /^Run 1/ }).waitFor();
    await simulating.tab('Draws');
    await page.getByRole('button', { name: 'Use as data' }).click();
    const text = (await page.locator('.write .cm-content').allTextContents()).join('');
    const { N, mu, y }: { N: number; mu: number; y: readonly number[] } = JSON.parse(text);
    assert.deepEqual([N, mu, y.length], [3, 100, 3]);
    assert.ok(y.every((value) => value > 90 && value < 110));
    await simulating.close();
  });

  it('before a program exists, which then declares them', async () => {
    const empty = await Workbench.open(opened.browser, opened.server.address);
    const { page } = empty;
    const program = async () => (await page.locator('.write .cm-line').allTextContents()).join('\n');
    const open = async (button: string, name: string, text: string) => {
      const chosen = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: button }).click();
      await (await chosen).setFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    };
    await open('Open data', 'measured.csv', 'Region,body weight,for,id\nnorth,1.5,1,a\nsouth,2,0,b\nwest,,1,c\n');
    await page.getByRole('heading', { name: 'Data from measured.csv' }).waitFor();
    await page.getByLabel('id', { exact: true }).uncheck();
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole('button', { name: 'Start a program' }).click();
    await page.getByText('The program declares its data').waitFor();
    assert.equal(
      await program(),
      `data {
  int<lower=0> N;
  int<lower=0> N_Region;
  array[N] int<lower=1, upper=N_Region> Region;  // 1 = north, 2 = south
  vector[N] body_weight;
  array[N] int for_value;
}
parameters {
  
}
model {
  
}
`,
    );
    await empty.tab('data.json');
    assert.deepEqual(JSON.parse((await page.locator('.write .cm-content').allTextContents()).join('')), {
      N: 2,
      N_Region: 2,
      Region: [1, 2],
      body_weight: [1.5, 2],
      for_value: [1, 0],
    });
    await empty.tab('model.stan');
    await empty.write(' ');
    await page.getByText('Or start with your data').waitFor();
    await open('Open data', 'data.json', '{"n": 2, "y": [0.5, 1]}');
    await page.getByText('The program declares its data').waitFor();
    assert.match(await program(), /^data \{\n {2}int<lower=0> n;\n {2}vector\[n\] y;\n\}/);
    await empty.close();
  });

  it('from a column of text as indicator columns', async () => {
    const empty = await Workbench.open(opened.browser, opened.server.address);
    const { page } = empty;
    const chosen = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Open data' }).click();
    const text = 'sex,y\nmale,1.5\nfemale,2\nnot stated,3\n';
    await (await chosen).setFiles({ name: 'people.csv', mimeType: 'text/plain', buffer: Buffer.from(text) });
    await page.getByText('sex contains text, which is converted to numbers: 1 female, 2 male, 3 not stated.').waitFor();
    const use = page.getByRole('combobox', { name: 'sex is text. Use it as' });
    assert.equal(await use.locator('option').first().textContent(), 'an index: one effect per group, gamma[sex]');
    await use.selectOption({ label: 'indicator columns, compared with female' });
    await page.getByText('sex contains text, which is converted to numbers').waitFor({ state: 'detached' });
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole('button', { name: 'Start a program' }).click();
    await page.getByText('The program declares its data').waitFor();
    const program = (await page.locator('.write .cm-line').allTextContents()).join('\n');
    assert.match(
      program,
      /vector\[N\] sex_male; {2}\/\/ 1 if sex is male; the reference is female\n {2}vector\[N\] sex_not_stated; .*\n {2}vector\[N\] y;/,
    );
    await empty.tab('data.json');
    assert.deepEqual(JSON.parse((await page.locator('.write .cm-content').allTextContents()).join('')), {
      N: 3,
      sex_male: [1, 0, 0],
      sex_not_stated: [0, 0, 1],
      y: [1.5, 2, 3],
    });
    await empty.close();
  });

  it('from a column of text for a program with an index or a covariate, but not as codes of a covariate', async () => {
    const own = await Workbench.open(opened.browser, opened.server.address);
    const { page } = own;
    await own.write(
      'data { int N; int K; array[N] int<lower=1, upper=K> sex; vector[N] male; vector[N] y; }\n' +
        'parameters { vector[K] gamma; real beta; }\nmodel { y ~ normal(gamma[sex] + beta * male, 1); }',
    );
    await own.tab('data.json');
    await page.getByRole('button', { name: 'Open files' }).waitFor();
    const chosen = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Open files' }).click();
    const text = 'sex,y\nmale,1.5\nfemale,2\nmale,3\n';
    await (await chosen).setFiles({ name: 'people.csv', mimeType: 'text/plain', buffer: Buffer.from(text) });
    await page.getByRole('heading', { name: 'Data from people.csv' }).waitFor();
    const source = (name: string) =>
      page.locator('.assignment label', { has: page.locator('code', { hasText: new RegExp(`^${name}$`) }) });
    const offered = async (name: string) => {
      await source(name).waitFor();
      return source(name).locator('option').allTextContents();
    };
    assert.deepEqual(await offered('sex'), ['–', 'sex, as an index of groups', 'indicator, 1 where sex is male', 'y']);
    assert.deepEqual(await offered('male'), ['–', 'indicator, 1 where sex is male', 'y']);
    await source('K').locator('select').selectOption({ label: 'number of different sex' });
    await addToData(own);
    assert.deepEqual(JSON.parse((await page.locator('.write .cm-content:visible').allTextContents()).join('')), {
      N: 3,
      K: 2,
      sex: [2, 1, 2],
      male: [1, 0, 1],
      y: [1.5, 2, 3],
    });
    await page.getByText('Ready to run').waitFor();
    await own.close();
  });

  it('not from unreadable files, which are reported', async () => {
    for (const [name, text, reason] of [
      ['notes.csv', 'alone\n', 'it has no rows below a header line'],
      ['ragged.csv', 'a,b\n1,2\n1\n', 'row 3 differs from the others'],
      ['data.R', 'N <- \n', 'data.R cannot be opened'],
      ['picture.bin', 'x', 'it is not JSON, an R dump or a table'],
    ] as const) {
      await openFile(name, text);
      await bench.page.getByText(reason).waitFor();
    }
  });
});
