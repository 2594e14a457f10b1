/** Runs the code that the page generates for other environments, and compares its results with the page's. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { layOutHome } from '../../src/cmdstan/home.js';
import { ROOT } from '../project/tree.js';
import { withoutChromium } from '../support/chromium.js';
import { withoutModules, withoutPackages } from '../support/packages.js';
import { browserForAll, Workbench } from './workbench.js';

const run = promisify(execFile);

function without(command: string, ...args: readonly string[]): string | false {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
    ? false
    : `there is no ${[command, ...args].join(' ')}`;
}

describe('code that the page generates', { skip: withoutChromium }, () => {
  const opened = browserForAll();
  let folder: string;
  const codes = new Map<string, string>();
  /** Of `mu` in the page. */
  let mean: number;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'leapfrog-code-'));
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    await bench.openExample(/^Eight schools Partial/);
    await page.getByText('Ready to run').waitFor();
    await page.getByLabel('seed').fill('3');
    await page.getByLabel('samples', { exact: true }).fill('400');
    await bench.run();
    await page.getByRole('heading', { name: /^These draws/ }).waitFor();
    await bench.tab('Summary');
    const cell = page.getByRole('row', { name: /^mu / }).getByRole('cell').first();
    mean = Number(await cell.textContent());
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('menuitem', { name: /^Save as a zip/ }).click();
    const files = unzipSync(await readFile(await (await saved).path()));
    for (const name of ['model.stan', 'data.json']) await writeFile(join(folder, name), files[name]);
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('menuitem', { name: /^Code/ }).click();
    for (const language of ['CmdStanPy', 'cmdstanr', 'curl', 'TypeScript']) {
      await page.getByRole('tab', { name: language }).click();
      codes.set(language, (await page.locator('.code:visible').textContent()) ?? '');
    }
    await bench.close();
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  /** The output of a program in the folder. */
  const outputOf = async (
    language: string,
    file: string,
    command: string,
    env: Readonly<Record<string, string>> = {},
  ) => {
    await writeFile(join(folder, file), codes.get(language) ?? '');
    const { stdout } = await run(command, [file], { cwd: folder, env: { ...process.env, ...env } });
    return stdout;
  };
  const agrees = (found: string | undefined) => {
    const digits = 3;
    assert.equal(
      Number(Number(found).toPrecision(digits)),
      Number(mean.toPrecision(digits)),
      `${found} is not ${mean}`,
    );
  };

  it('in TypeScript runs in Node', async () => {
    await mkdir(join(folder, 'node_modules'));
    await symlink(ROOT, join(folder, 'node_modules', 'leapfrog'));
    const output = await outputOf('TypeScript', 'fit.mjs', process.execPath);
    agrees(/^mu (\S+)/m.exec(output)?.[1]);
  });

  it('in curl runs in a shell', { skip: without('jq', '--version') || without('curl', '--version') }, async () => {
    const output = await outputOf('curl', 'fit.sh', 'bash');
    const { variables } = JSON.parse(output);
    agrees(variables.find(({ name }: { name: string }) => name === 'mu').mean);
    assert.match(await readFile(join(folder, 'draws.csv'), 'utf8'), /^lp__,/m);
  });

  it('with CmdStanPy runs on a CmdStan home', { skip: withoutModules(['cmdstanpy']) }, async () => {
    layOutHome(join(folder, 'home'));
    const output = await outputOf('CmdStanPy', 'fit.py', 'python3', { CMDSTAN: join(folder, 'home') });
    agrees(/^mu +(\S+)/m.exec(output)?.[1]);
  });

  it('with cmdstanr runs on a CmdStan home', { skip: withoutPackages(['cmdstanr']) }, async () => {
    layOutHome(join(folder, 'home-of-r'));
    const output = await outputOf('cmdstanr', 'fit.R', 'Rscript', { CMDSTAN: join(folder, 'home-of-r') });
    agrees(/ mu +(\S+)/.exec(output)?.[1]);
  });
});
