/** Completes lessons as a student would: each step has goals that can be reached. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { ROOT } from '../project/tree.js';
import { axeFindings } from './axe.js';
import { type Opened, Workbench } from './workbench.js';

export const FOLDER = join(ROOT, 'web', 'src', 'lessons');

/** A student's actions in a step: changing texts, running, opening tabs. */
interface Work {
  readonly program?: (before: string) => string;
  readonly data?: (before: string) => string;
  readonly runs?: boolean;
  readonly delta?: string;
  readonly tab?: string;
}

const following =
  (line: string, added: string) =>
  (text: string): string => {
    assert.ok(text.includes(line), `${line} is in the program`);
    return text.replace(line, line + added);
  };
const instead =
  (...pairs: readonly (readonly [string, string])[]) =>
  (text: string): string =>
    pairs.reduce((changed, [from, to]) => {
      assert.ok(changed.includes(from), `${from} is in the text`);
      return changed.replace(from, () => to);
    }, text);

const SCHOOLS = instead(
  ['vector[J] theta; // effect in each school', 'vector[J] eta;'],
  ['}\nmodel {', '}\ntransformed parameters {\n  vector[J] theta = mu + tau * eta;\n}\nmodel {'],
  ['theta ~ normal(mu, tau);', 'eta ~ std_normal();'],
);

const LESSONS: readonly { readonly folder: string; readonly title: RegExp; readonly steps: readonly Work[] }[] = [
  {
    folder: 'coin',
    title: /^Lesson 1/,
    steps: [
      { runs: true },
      { tab: 'Plots' },
      { program: instead(['beta(1, 1)', 'beta(8, 8)']), runs: true },
      {
        data: () => JSON.stringify({ N: 20, y: Array.from({ length: 20 }, (_, k) => (k % 5 === 0 ? 1 : 0)) }),
        runs: true,
      },
    ],
  },
  {
    folder: 'regression',
    title: /^Lesson 2/,
    steps: [
      { runs: true, tab: 'Predictive' },
      {
        program: instead(
          ['real alpha; // score without study', 'real alpha;\n  real beta;'],
          ['score ~ normal(alpha, sigma)', 'beta ~ normal(0, 1);\n  score ~ normal(alpha + beta * hours, sigma)'],
        ),
      },
      { runs: true },
      { tab: 'Compare' },
    ],
  },
  {
    folder: 'hierarchy',
    title: /^Lesson 3/,
    steps: [
      { runs: true },
      { tab: 'Plots' },
      {
        program: instead(
          ['vector[J] theta;', 'real mu;\n  real<lower=0> tau;\n  vector[J] theta;'],
          ['theta ~ normal(6, 9);', 'mu ~ normal(6, 2);\n  tau ~ exponential(2);\n  theta ~ normal(mu, tau);'],
        ),
      },
      { delta: '0.99', runs: true, tab: 'Compare' },
    ],
  },
  {
    folder: 'funnel',
    title: /^Lesson 4/,
    steps: [{ runs: true }, { tab: 'Plots' }, { program: SCHOOLS }, { delta: '0.95', runs: true, tab: 'Compare' }],
  },
  {
    folder: 'comparison',
    title: /^Lesson 5/,
    steps: [
      { runs: true, tab: 'Predictive' },
      {
        program: instead(
          ['real beta;', 'real beta;\n  real gamma;'],
          ['y ~', 'gamma ~ normal(0, 5);\n  y ~'],
          ['alpha + beta * x', 'alpha + beta * x + gamma * square(x)'],
        ),
      },
      { runs: true, tab: 'Compare' },
      {
        program: (text) =>
          following(
            'real gamma;',
            '\n  real delta;',
          )(
            instead(
              ['y ~', 'delta ~ normal(0, 5);\n  y ~'],
              ['gamma * square(x)', 'gamma * square(x) + delta * x .* square(x)'],
            )(text),
          ),
        runs: true,
      },
    ],
  },
];

export const lesson = (bench: Workbench) => bench.page.getByRole('region', { name: 'Lesson', exact: true });
export const step = (bench: Workbench, at: number, count: number) =>
  bench.page.getByRole('region', { name: `Step ${at} of ${count}` });
export const openLesson = async (bench: Workbench, title: RegExp) => {
  await bench.page.getByRole('button', { name: 'Examples', exact: true }).click();
  await bench.page.getByRole('dialog').getByRole('button', { name: title }).click();
  await lesson(bench).waitFor();
};

/** Tests the lessons of these folders. */
export function testLessons(opened: Opened, folders: readonly string[]): void {
  for (const { folder, steps, title } of LESSONS.filter((each) => folders.includes(each.folder))) {
    it(`${folder}: each step can be done as its text describes`, async () => {
      const bench = await Workbench.open(opened.browser, opened.server.address);
      const { page } = bench;
      await openLesson(bench, title);
      let program = readFileSync(join(FOLDER, folder, 'model.stan'), 'utf8');
      let data = readFileSync(join(FOLDER, folder, 'data.json'), 'utf8');
      await page.getByText('Ready to run').waitFor();
      // A number for which the centered schools diverge and the other models do not.
      await page.getByLabel('seed').fill('1');
      let runs = 0;
      for (const [at, work] of steps.entries()) {
        const shown = step(bench, at + 1, steps.length);
        await shown.waitFor();
        assert.ok((await shown.getByRole('listitem').filter({ hasText: 'To do: ' }).count()) > 0, 'not all holds yet');
        if (work.program !== undefined) {
          program = work.program(program);
          await bench.tab('model.stan');
          await bench.write(program);
        }
        if (work.data !== undefined) {
          data = work.data(data);
          await bench.tab('data.json');
          await bench.write(data);
        }
        if (work.delta !== undefined) {
          await page.getByRole('button', { name: /^more/ }).click();
          await page.getByLabel('delta').fill(work.delta);
          await page.getByRole('button', { name: /^less/ }).click();
        }
        if (work.runs === true) {
          await page.getByText(/^No errors/).waitFor();
          await bench.run();
          runs += 1;
          await page.getByRole('button', { name: new RegExp(`^Run ${runs} (reliable|\\d+ problem)`) }).waitFor();
        }
        if (work.tab !== undefined) await bench.tab(work.tab);
        await shown.getByRole('listitem').filter({ hasText: 'To do: ' }).first().waitFor({ state: 'detached' });
        if (at === 0) assert.deepEqual(await axeFindings(page), []);
        if (at < steps.length - 1) await lesson(bench).getByRole('button', { name: 'Next step' }).click();
      }
      assert.deepEqual(bench.complaints, []);
      await bench.close();
    });
  }
}
