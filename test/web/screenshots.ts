/** Takes the screenshots of docs/workbench.md: `npm run screenshots -- [FOLDER] [NAME…]`. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import { TestServer } from '../service/harness.js';
import { launchChromium } from '../support/chromium.js';
import { Workbench } from './workbench.js';

interface View {
  readonly name: string;
  readonly options?: BrowserContextOptions;
  readonly show: (bench: Workbench) => Promise<void>;
}

const COVARIATE = `data {
  int<lower=0> N;
  array[N] int age;
  vector[N] y;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 5);
  beta ~ normal(0, 1);
  sigma ~ exponential(1);
`;

/** Simulated scores of pupils in six schools: their hours of homework differ in effect. */
function pupils(): string {
  const schools = [
    ['Aue', 45, 1.9],
    ['Bern', 49, 3.1],
    ['Chur', 46, 4.2],
    ['Davos', 52, 2.6],
    ['Elm', 45, 3.4],
    ['Flims', 49, 1.6],
  ] as const;
  const rows = Array.from({ length: 96 }, (_, k) => {
    const [school, level, slope] = schools[k % schools.length];
    const hours = ((k * 29) % 13) / 2;
    const error = 5 * Math.sin(12.9898 * (k + 1) * (k + 2));
    const sex = (k * 7) % 5 < 2 ? 'm' : 'f';
    return [school, sex, hours, (level + slope * hours - (sex === 'm' ? 2 : 0) + error).toFixed(1)].join();
  });
  return `school,sex,hours,score\n${rows.join('\n')}\n`;
}

/** Drops the pupils' table on the page. */
async function drop({ page }: Workbench): Promise<void> {
  await page.evaluate(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([${JSON.stringify(pupils())}], 'pupils.csv', { type: 'text/csv' }));
    document.querySelector('.look').dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
  })()`);
  await page.getByRole('heading', { name: 'A model from these columns' }).waitFor();
}

async function choose({ page }: Workbench): Promise<void> {
  await page.getByLabel('Outcome').selectOption('score');
  await page.getByLabel('Role of hours').selectOption('predictor');
  await page.getByLabel('Role of school').selectOption('groups: intercepts');
}

/** From the table to the effect of homework: the steps that the documentation shows. */
async function answer(bench: Workbench): Promise<void> {
  const { page } = bench;
  await drop(bench);
  await choose(bench);
  await page.getByRole('button', { name: 'Write the model' }).click();
  await page.getByText('Ready to run').waitFor();
  await page.getByLabel('seed').fill('1');
  await bench.run();
  await page.getByRole('heading', { name: /These draws (can|should)/ }).waitFor();
  await page.getByRole('region', { name: 'Results of the model' }).waitFor();
  await page.locator('.notice button').click();
  await page.waitForTimeout(600);
}

async function ranExample(bench: Workbench, title: RegExp, seed = '1'): Promise<void> {
  await bench.openExample(title);
  await bench.page.getByText('Ready to run').waitFor();
  await bench.page.getByLabel('seed').fill(seed);
  await bench.run();
  await bench.page.getByRole('heading', { name: /These draws (can|should)/ }).waitFor({ timeout: 120_000 });
}

async function tabOf(bench: Workbench, title: RegExp, tab: string): Promise<void> {
  await ranExample(bench, title);
  await bench.tab(tab);
  await bench.page.getByText('Summarizing…').waitFor({ state: 'hidden' });
  await bench.page.waitForTimeout(600);
}

const DARK: BrowserContextOptions = { colorScheme: 'dark' };
const SMALL: BrowserContextOptions = { viewport: { width: 1000, height: 640 } };
const NARROW: BrowserContextOptions = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 };

const views: readonly View[] = [
  { name: 'start', show: async () => undefined },
  { name: 'verdict', show: (bench) => ranExample(bench, /^Eight schools Partial/) },
  { name: 'verdict-problems', show: (bench) => ranExample(bench, /^Eight schools, centered/i) },
  { name: 'summary', show: (bench) => tabOf(bench, /^Item response/, 'Summary') },
  { name: 'plots', show: (bench) => tabOf(bench, /^Eight schools Partial/, 'Plots') },
  { name: 'plots-dark', options: DARK, show: (bench) => tabOf(bench, /^Eight schools Partial/, 'Plots') },
  {
    name: 'mending',
    show: async (bench) => {
      const { page } = bench;
      await bench.write(`${COVARIATE}  y ~ normal(alpha + beta * age, sigma);\n}\n`);
      await page.getByRole('heading', { name: 'The program has an error' }).waitFor();
      await page.getByRole('button', { name: 'Declare age as vector[N]' }).waitFor();
    },
  },
  {
    name: 'missing',
    show: async (bench) => {
      await bench.write(
        `${COVARIATE.replace('array[N] int age', 'vector[N] age')}  y ~ normal(alpha + beta * age, sigma);\n}\n`,
      );
      await bench.tab('data.json');
      await bench.write('{"N": 8, "age": [-3, -2, -1, 0, 1, 2, 3, 4], "y": [0.4, 1.9, 1.2, 3.1, 2.6, 4.4, 4.1, 5.6]}');
      await bench.tab('model.stan');
      await bench.page.getByText('Ready to run').waitFor();
      await bench.page.getByLabel('method', { exact: true }).selectOption('stan::services::optimize::lbfgs');
      await bench.run();
      await bench.page.getByRole('button', { name: /^Run 1/ }).waitFor({ timeout: 120_000 });
      await bench.tab('Predictive');
      await bench.page.getByRole('button', { name: 'Add to the program' }).waitFor();
    },
  },
  { name: 'predictive', show: (bench) => tabOf(bench, /^A line/, 'Predictive') },
  {
    name: 'compare',
    show: async (bench) => {
      await ranExample(bench, /^A line/);
      await bench.page.locator('.write [contenteditable]:visible').getByText('y ~ normal(').click();
      await bench.page.keyboard.press('End');
      await bench.page.keyboard.press('Shift+Home');
      await bench.page.keyboard.insertText('y ~ student_t(4, alpha + beta * x, sigma);');
      await bench.page.waitForTimeout(800);
      await bench.run();
      await bench.page.getByRole('button', { name: /^Run 2.*reliable/ }).waitFor({ timeout: 60_000 });
      await bench.tab('Compare');
      await bench.page.waitForTimeout(1200);
    },
  },
  {
    name: 'prior',
    show: async (bench) => {
      await ranExample(bench, /^A line/);
      await bench.tab('Compare');
      await bench.page.getByRole('button', { name: 'Draw from the prior' }).click();
      await bench.page.getByRole('button', { name: /^Run 2, prior.*sampled/ }).waitFor({ timeout: 60_000 });
      await bench.page.waitForTimeout(1200);
    },
  },
  {
    name: 'palette',
    show: async (bench) => {
      const { page } = bench;
      await ranExample(bench, /^Eight schools Partial/);
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByPlaceholder('Search for an action').fill('dr');
      await page.waitForTimeout(300);
    },
  },
  {
    name: 'keys',
    show: async ({ page }) => {
      await page.keyboard.press('F1');
      await page.getByRole('heading', { name: 'Keys' }).waitFor();
    },
  },
  {
    name: 'code',
    show: async (bench) => {
      await bench.openExample(/^Eight schools Partial/);
      await bench.page.getByRole('button', { name: 'Share' }).click();
      await bench.page.getByRole('menuitem', { name: /^Code/ }).click();
      await bench.page.getByRole('heading', { name: 'Run this elsewhere' }).waitFor();
    },
  },
  {
    name: 'table',
    show: async (bench) => {
      const { page } = bench;
      await bench.openExample(/^Varying slopes/i);
      await page.getByRole('tab', { name: 'data.json' }).click();
      const chosen = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Open files' }).click();
      const rows = Array.from(
        { length: 12 },
        (_, k) => `${k},${(0.7 * k).toFixed(2)},${['north', 'south', 'west'][k % 3]}`,
      );
      const buffer = Buffer.from(`x,y,group\n${rows.join('\n')}\n`);
      await (await chosen).setFiles({ name: 'measured.csv', mimeType: 'text/csv', buffer });
      await page.getByRole('heading', { name: 'Data from measured.csv' }).waitFor();
    },
  },
  {
    name: 'choosing',
    options: SMALL,
    show: async (bench) => {
      await drop(bench);
      await choose(bench);
    },
  },
  { name: 'answer', options: { viewport: { width: 1280, height: 1000 } }, show: answer },
  { name: 'answer-dark', options: DARK, show: answer },
  { name: 'answer-narrow', options: NARROW, show: answer },
  { name: 'draws', show: (bench) => tabOf(bench, /^Eight schools Partial/, 'Draws') },
  {
    name: 'narrow',
    options: NARROW,
    show: async (bench) => {
      await bench.openExample(/^Eight schools Partial/);
      await bench.page.getByLabel('seed').fill('1');
      await bench.run();
      await bench.page.getByRole('heading', { name: /These draws (can|should)/ }).waitFor({ timeout: 120_000 });
    },
  },
];

const [folder = 'docs/images', ...names] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const [server, browser] = await Promise.all([TestServer.start({ web: true }), launchChromium()]);
for (const { name, options, show } of views) {
  if (names.length > 0 && !names.includes(name)) continue;
  const bench = await Workbench.open(browser, server.address, options);
  try {
    await show(bench);
  } catch (error) {
    console.error(`${name}: ${error instanceof Error ? error.message : error}`);
  }
  await bench.page.mouse.move(0, 0);
  await bench.page.getByText('Summarizing…').waitFor({ state: 'hidden' });
  await bench.page.screenshot({ path: join(folder, `${name}.png`) });
  for (const complaint of bench.complaints) console.error(`${name}: ${complaint}`);
  await bench.close();
}
await browser.close();
await server.remove();
