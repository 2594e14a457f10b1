/** The page that `leapfrog report` writes, in a browser. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { CommandFolder } from '../cli/command.js';
import { launchChromium, withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';

const PROGRAM = `
data { int N; vector[N] x; array[N] real y; }
parameters { real alpha; real beta; real<lower=0> sigma; }
model { alpha ~ normal(0, 5); beta ~ normal(0, 5); sigma ~ exponential(1); y ~ normal(alpha + beta * x, sigma); }
generated quantities {
  vector[N] log_lik;
  array[N] real y_rep = normal_rng(alpha + beta * x, sigma);
  for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | alpha + beta * x[n], sigma);
}
`;
const DATA = { N: 6, x: [1, 2, 3, 4, 5, 6], y: [1.1, 2.3, 2.8, 4.1, 5.2, 5.8] };

describe('the report of a run', { skip: withoutChromium }, () => {
  let place: CommandFolder;
  let browser: Browser;
  before(async () => {
    place = await CommandFolder.create({ 'line.stan': PROGRAM, 'data.json': JSON.stringify(DATA) });
    await place.run('sample', 'line.stan', '--data', 'data.json', '--chains', '4', '--seed', '1', '--delta', '0.99');
    await place.run('report', ...[1, 2, 3, 4].map((chain) => `line-sample_${chain}.csv`), '--data', 'data.json');
    browser = await launchChromium();
  });
  after(async () => {
    await browser.close();
    await place.remove();
  });

  const open = async (options = {}) => {
    const page = await (await browser.newContext(options)).newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(pathToFileURL(place.path('report.html')).href);
    return { page, asked };
  };

  it('loads no other file, and has verdict, summary, cross-validation and plots', async () => {
    const { asked, page } = await open();
    assert.equal(asked.length, 1);
    const headings = await page.locator('h1, h2').allTextContents();
    assert.deepEqual(headings.slice(0, 6), [
      'line-sample',
      'These draws can be relied on',
      'Key quantities',
      'Checks',
      'Summary',
      'Leave-one-out cross-validation',
    ]);
    assert.ok(headings.includes('Predictive checks of y') && headings.includes('Traces'), headings.join());
    assert.equal(await page.locator('figure svg').count(), await page.locator('figure').count());
  });

  it('has the numbers of the summary', async () => {
    const { page } = await open();
    const { output } = await place.run('summary', ...[1, 2, 3, 4].map((chain) => `line-sample_${chain}.csv`));
    const [, mean] = /^beta +(\S+)/m.exec(output) ?? [];
    assert.equal(await page.locator('tr', { hasText: /^beta/ }).locator('td').first().textContent(), mean);
  });

  it('begins with key quantities: parameters with their numbers, without simulations of the data', async () => {
    const { page } = await open();
    const forest = page.getByRole('img', { name: /^Key quantities\./ });
    const texts = await forest.locator('text').allTextContents();
    assert.deepEqual(
      texts.filter((text) => /^[a-z_]+(\[\d+\])?$/.test(text) && text !== 'mean'),
      ['alpha', 'beta', 'sigma'],
    );
    const { output } = await place.run('summary', ...[1, 2, 3, 4].map((chain) => `line-sample_${chain}.csv`));
    const [, mean] = /^beta +(\S+)/m.exec(output) ?? [];
    assert.ok(
      texts.some((text) => Math.abs(Number(text) - Number(mean)) < 0.005),
      `${mean} among ${texts.join(', ')}`,
    );
  });

  for (const [name, options] of [
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['narrow', { viewport: { width: 320, height: 640 } }],
  ] as const) {
    it(`axe finds nothing, ${name}`, async () => {
      const { page } = await open(options);
      assert.deepEqual(await axeFindings(page), []);
      const width: number = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      assert.equal(width, 0);
    });
  }

  it('has no element that the names in a file could have created', async () => {
    const text = readFileSync(place.path('line-sample_1.csv'), 'utf8').replace(/^lp__,/m, '<img onerror=1>,');
    writeFileSync(place.path('odd.csv'), text);
    await place.run('report', 'odd.csv', '--title', '<b>odd</b>', '--output', 'odd.html');
    const html = readFileSync(place.path('odd.html'), 'utf8');
    assert.match(
      html,
      /<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline';/,
    );
    assert.ok(!html.includes('<img') && !html.includes('<b>odd') && html.includes('&lt;img onerror=1&gt;'));
  });
});
