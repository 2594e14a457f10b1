/** Links, embedding, static hosts, files of other programs, notebooks and lessons, in Firefox. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import { withoutFirefox } from '../support/firefox.js';
import { startFileHost } from './file-host.js';
import { firefoxForAll } from './firefox-bench.js';

const PROGRAM =
  'data { int<lower=0> n; int<lower=0, upper=n> y; } parameters { real<lower=0, upper=1> p; } model { y ~ binomial(n, p); }';
const SOURCES = new Map([
  ['https://raw.githubusercontent.com/teacher/course/main/models/coin.stan', PROGRAM],
  ['https://files.example/coin.data.json', '{"n": 10, "y": 7}'],
]);
const reference = (name: string) => readFileSync(new URL(`../../../test/reference/arviz/${name}`, import.meta.url));

describe('the workbench in Firefox, at home elsewhere', { skip: withoutFirefox }, () => {
  const opened = firefoxForAll();

  it('opens the files of a link once the user agrees, by keyboard', async () => {
    const bench = await opened.openBlank();
    const { page } = bench;
    const requested: string[] = [];
    await page.route('**', (route) => {
      const url = route.request().url();
      const body = SOURCES.get(url);
      if (body === undefined) return route.continue();
      requested.push(url);
      const headers = { 'access-control-allow-origin': '*', 'content-type': 'text/plain' };
      return route.fulfill({ status: 200, headers, body });
    });
    const files =
      'stan=https://github.com/teacher/course/blob/main/models/coin.stan&data=https://files.example/coin.data.json';
    await page.goto(`${opened.server.address}/?${files}`);
    await bench.see('Open files from github.com and files.example?');
    assert.deepEqual(requested, []);
    await bench.focused('dialog .primary', 'Open');
    await bench.press('Enter');
    await bench.see('Ready to run');
    assert.deepEqual(requested.toSorted(), [...SOURCES.keys()].toSorted());
    await page.close();
  });

  it('runs from a static file host, without a server', async () => {
    const host = await startFileHost();
    const bench = await opened.open(host.address);
    await bench.run('A coin');
    assert.ok((await bench.summary()).some(([name]) => name === 'theta'));
    await bench.page.close();
    host.close();
  });

  it('shows one half of an embedded project at a time', async () => {
    const bench = await opened.open();
    await bench.openExample('A coin');
    await bench.see('Ready to run');
    await bench.choose('Share', 'Copy HTML to embed it');
    await bench.see('HTML for an iframe');
    const html = String(await bench.page.evaluate('navigator.clipboard.readText()'));
    await bench.page.close();
    const embedded = await opened.open(/src="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&'));
    assert.equal(await embedded.page.$('.menus'), null);
    await embedded.page.locator('button.run').click();
    await embedded.see('These draws can be relied on');
    assert.equal(await embedded.page.evaluate("getComputedStyle(document.querySelector('.write')).display"), 'none');
    await embedded.page.close();
  });

  it('opens draws of CmdStan, netCDF and Arrow', async () => {
    const bench = await opened.open();
    const chains = [1, 2].map((id) => [`chain_${id}.csv`, reference(`chain_${id}.txt`)] as const);
    await bench.drop(chains);
    await bench.see('6 draws in each of 2 chains, from chain_1.csv, chain_2.csv');
    const expected = (await bench.summary()).map((row) => row.join(' '));
    await bench.drop([['warm.nc', gunzipSync(reference('warm.nc.gz'))]]);
    await bench.click('Verdict', 'tab');
    await bench.see('6 draws in each of 2 chains, from warm.nc');
    // The variables are in a different order, by group.
    assert.deepEqual((await bench.summary()).map((row) => row.join(' ')).toSorted(), expected.toSorted());
    const rows = 200;
    const columns = {
      lp__: Float64Array.from({ length: rows }, (_, row) => -row),
      p: Float64Array.from({ length: rows }, (_, row) => ((row * 37) % rows) / rows),
      chain__: Int32Array.from({ length: rows }, (_, row) => 1 + (row % 2)),
    };
    await bench.drop([['two.arrow', tableToIPC(tableFromArrays(columns), 'file')]]);
    await bench.click('Verdict', 'tab');
    await bench.see('100 draws in each of 2 chains, from two.arrow');
    await bench.page.close();
  });

  it('saves notebooks', async () => {
    const bench = await opened.open();
    await bench.openExample('A coin');
    await bench.see('Ready to run');
    await bench.choose('Share', 'Code and notebooks');
    await bench.click('Jupyter, Python');
    const jupyter = await bench.nextSaved();
    assert.match(jupyter.name, /\.ipynb$/);
    const { cells }: { readonly cells: readonly object[] } = JSON.parse(jupyter.text);
    assert.ok(cells.length > 2);
    await bench.click('Quarto, R');
    const quarto = await bench.nextSaved();
    assert.match(quarto.name, /\.qmd$/);
    assert.match(quarto.text, /```\{r\}/);
    await bench.page.close();
  });

  it('checks the goals of a lesson', async () => {
    const bench = await opened.open();
    await bench.openExample('Lesson 1');
    await bench.see('Ready to run');
    await bench.page.locator('.lesson .goals li').first().waitFor();
    assert.equal(await bench.page.$('.lesson .goals .held'), null);
    await bench.page.locator('button.run').click();
    await bench.page.locator('.lesson .goals .held').first().waitFor();
    await bench.see('Next step');
    await bench.page.close();
  });
});
