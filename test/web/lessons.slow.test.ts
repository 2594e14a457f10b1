/** Completes the five lessons as a student would: each step has goals that can be reached. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { unzipSync, zipSync } from 'fflate';
import { ROOT } from '../project/tree.js';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { browserForAll, Workbench } from './workbench.js';

const FOLDER = join(ROOT, 'web', 'src', 'lessons');

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

describe('lessons', { skip: withoutChromium }, () => {
  const opened = browserForAll();

  const lesson = (bench: Workbench) => bench.page.getByRole('region', { name: 'Lesson', exact: true });
  const step = (bench: Workbench, at: number, count: number) =>
    bench.page.getByRole('region', { name: `Step ${at} of ${count}` });
  const open = async (bench: Workbench, title: RegExp) => {
    await bench.page.getByRole('button', { name: 'Examples', exact: true }).click();
    await bench.page.getByRole('dialog').getByRole('button', { name: title }).click();
    await lesson(bench).waitFor();
  };

  for (const { folder, steps, title } of LESSONS) {
    it(`${folder}: each step can be done as its text describes`, async () => {
      const bench = await Workbench.open(opened.browser, opened.server.address);
      const { page } = bench;
      await open(bench, title);
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

  it('are kept with their progress, and are part of links and zip files, starting at the first step', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = bench;
    await open(bench, /^Lesson 1/);
    await page.getByText('Ready to run').waitFor();
    await lesson(bench).getByRole('button', { name: 'Skip this step' }).click();
    await step(bench, 2, 4).waitFor();
    await page.getByText('saved', { exact: true }).waitFor();
    await page.reload();
    await step(bench, 2, 4).waitFor();
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('menuitem', { name: /^Copy a link/ }).click();
    await page.getByText('The link is in the clipboard').waitFor();
    const link = await page.evaluate<string>('navigator.clipboard.readText()');
    const other = await Workbench.open(opened.browser, link);
    await step(other, 1, 4).waitFor();
    await other.close();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('menuitem', { name: /^Save as a zip/ }).click();
    const files = unzipSync(readFileSync(await (await saved).path()));
    assert.equal(new TextDecoder().decode(files['lesson.md']), readFileSync(join(FOLDER, 'coin', 'lesson.md'), 'utf8'));
    // A teacher edits the lesson in the zip file.
    const changed = '# Mine\n\nDo **this**, _not_ <b>that</b>, a_b_c.\n\n```goals\ndata y 3\n```\n';
    const zip = zipSync({ ...files, 'lesson.md': new TextEncoder().encode(changed) });
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Projects', exact: true }).click();
    await page.getByRole('menuitem', { name: /^Open files/ }).click();
    await (await chooser).setFiles({ name: 'mine.zip', mimeType: 'application/zip', buffer: Buffer.from(zip) });
    await step(bench, 1, 1).getByRole('heading', { name: 'Mine' }).waitFor();
    assert.equal(await step(bench, 1, 1).getByRole('paragraph').textContent(), 'Do this, not <b>that</b>, a_b_c.');
    assert.equal(await step(bench, 1, 1).getByRole('emphasis').textContent(), 'not');
    await step(bench, 1, 1).getByText('Done: The data variable y has at least 3 elements.').waitFor();
    await bench.close();
  });

  it('report a goal that cannot be parsed', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const zip = zipSync({
      'model.stan': new TextEncoder().encode('parameters { real a; } model { a ~ std_normal(); }'),
      'lesson.md': new TextEncoder().encode('Text\n\n```goals\neval alert(1)\n```\n'),
    });
    const chooser = bench.page.waitForEvent('filechooser');
    await bench.page.getByRole('button', { name: 'Projects', exact: true }).click();
    await bench.page.getByRole('menuitem', { name: /^Open files/ }).click();
    await (await chooser).setFiles({ name: 'bad.zip', mimeType: 'application/zip', buffer: Buffer.from(zip) });
    await lesson(bench).getByText('The lesson cannot be shown: the goal "eval alert(1)" is unknown.').waitFor();
    await bench.close();
  });
});

describe('the tour', { skip: withoutChromium }, () => {
  const opened = browserForAll();

  for (const [name, width] of [
    ['wide', 1280],
    ['narrow', 390],
  ] as const) {
    it(`has four stops by keyboard alone, on a ${name} page, and is offered once`, async () => {
      const bench = await Workbench.open(opened.browser, opened.server.address, { viewport: { width, height: 800 } });
      const { page } = bench;
      if (width < 800) await page.getByRole('button', { name: 'Results', exact: true }).click();
      await page.getByRole('button', { name: 'Take the tour' }).focus();
      await page.keyboard.press('Enter');
      for (let stop = 1; stop <= 4; stop++) {
        const note = page.getByRole('region', { name: `Tour, stop ${stop} of 4` });
        await note.waitFor();
        await page.locator(`[aria-label="Tour, stop ${stop} of 4"]:focus`).waitFor();
        const box = await note.boundingBox();
        assert.ok(box !== null && box.x >= 0 && box.x + box.width <= width && box.y >= 0 && box.y + box.height <= 800);
        assert.deepEqual(await axeFindings(page), []);
        await page.keyboard.press('Tab');
        await page.keyboard.press('Enter');
      }
      assert.equal(await page.getByRole('region', { name: /^Tour/ }).count(), 0);
      await page.reload();
      await page.getByRole('button', { name: 'Examples', exact: true }).waitFor();
      assert.equal(await page.getByText('Take the tour').count(), 0);
      await bench.close();
    });
  }

  it('is left with Esc, or declined, permanently', async () => {
    for (const leave of ['Esc', 'No, thanks']) {
      const bench = await Workbench.open(opened.browser, opened.server.address);
      const { page } = bench;
      if (leave === 'Esc') {
        await page.getByRole('button', { name: 'Take the tour' }).click();
        await page.getByRole('region', { name: 'Tour, stop 1 of 4' }).waitFor();
        await page.keyboard.press('Escape');
      } else await page.getByRole('button', { name: leave }).click();
      await page.getByText('Take the tour').waitFor({ state: 'detached' });
      await page.reload();
      await page.getByRole('heading', { name: /^Write a model/ }).waitFor();
      assert.equal(await page.getByText('Take the tour').count(), 0);
      await bench.close();
    }
  });
});
