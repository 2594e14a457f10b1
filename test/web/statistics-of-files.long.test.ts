/** The page shows the statistics of the library for files of other programs, of cancelled runs, and with chains of unequal length. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { close, compile, type Fit } from 'leapfrog';
import { CommandFolder } from '../cli/command.js';
import { CASES, DATA, type FitCase, fitInFiles, requestOf } from '../doors/statistics.js';
import { withoutChromium } from '../support/chromium.js';
import { StatisticsPage } from './statistics-page.js';
import { benchForAll } from './workbench.js';

const CMDSTAN = new URL('../../../test/reference/cmdstan/', import.meta.url);

describe('the page shows the statistics of the library', { skip: withoutChromium }, () => {
  const bench = benchForAll(undefined, { viewport: { width: 1280, height: 12_000 } });
  let place: CommandFolder;
  const statistics = new StatisticsPage(bench, () => place);
  before(async () => {
    place = await CommandFolder.create({});
  });
  after(async () => {
    close();
    await place.remove();
  });

  function caseOf(name: string): FitCase {
    const found = CASES.find((each) => each.name === name);
    assert.ok(found !== undefined, name);
    return found;
  }

  /** Opens CSV files in the page, and compares its statistics with those of the library. */
  async function assertFiles(name: string, texts: readonly string[]): Promise<Fit> {
    const paths = texts.map((text, index) => {
      const path = place.path(`${name}_${index + 1}.csv`);
      writeFileSync(path, text);
      return path;
    });
    await statistics.openFiles(paths);
    await bench().page.locator('.verdict').getByText(`from ${name}_1.csv`).waitFor();
    const fit = fitInFiles(paths);
    await statistics.assertShown(fit);
    return fit;
  }

  it('of CmdStan', async () => {
    await assertFiles(
      'cmdstan',
      ['chain_1', 'chain_2'].map((name) => readFileSync(new URL(`${name}.txt`, CMDSTAN), 'utf8')),
    );
  });

  it('of chains of unequal length, without blocks and maximum depth', async () => {
    const { method, program, ...each } = caseOf('generated');
    const model = await compile(program);
    const request = { ...requestOf({ ...each, method, program }), data: JSON.stringify(DATA) };
    const fit = await (await model.runMethod(method, request)).result();
    const cut = fit.chains.map(({ id }, index) => {
      const lines = fit.csv(id).split('\n');
      const kept = lines.filter((line) => !/^# (blocks|.*max_depth) = /.test(line));
      const header = kept.findIndex((line) => line.startsWith('lp__'));
      return `${kept.slice(0, header + 1 + 200 + 10 * index).join('\n')}\n`;
    });
    const { chains } = await assertFiles('cut', cut);
    assert.equal(new Set(chains.map(({ draws }) => draws)).size, 4);
  });

  it('of a run that was cancelled', async () => {
    const { program } = caseOf('until');
    const model = await compile(program);
    const controller = new AbortController();
    const run = await model.sample(
      { num_samples: 1000, num_chains: 2, random_seed: 40, until: { ess_bulk: 1e9, max_iterations: 1e6 }, data: DATA },
      { signal: controller.signal },
    );
    const cancel = async () => {
      for await (const _ of run) if ((run.soFar()?.draws ?? 0) > 2000) controller.abort();
    };
    await assert.rejects(cancel, { name: 'AbortError' });
    const fit = run.soFar();
    assert.ok(fit !== undefined);
    await assertFiles(
      'cancelled',
      fit.chains.map(({ id }) => fit.csv(id)),
    );
  });
});
