/** Runs the sessions in docs/cmdstan.md unchanged, in sequence, in one home. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ROOT } from '../project/tree.js';
import { blocksOf } from '../support/documents.js';
import { withoutModules, withoutPackages } from '../support/packages.js';

const run = promisify(execFile);
const MAIN = join(ROOT, 'dist/src/cli/main.js');
const blocks = blocksOf('docs/cmdstan.md');

function missing(command: string, ...words: readonly string[]): string | false {
  return spawnSync(command, words, { stdio: 'ignore' }).status === 0 ? false : `${[command, ...words].join(' ')} fails`;
}

describe('the sessions of docs/cmdstan.md', { skip: missing('bash', '-c', 'make --version') }, () => {
  let folder: string;
  const home = () => join(folder, '.cmdstan', 'cmdstan-2.40.0');
  const options = (...subfolders: readonly string[]) => ({
    cwd: join(home(), ...subfolders),
    env: { ...process.env, HOME: folder },
  });
  const textIn = (language: string, index = 0) => {
    const text = blocks.filter((block) => block.language === language).at(index)?.text;
    assert.ok(text !== undefined, `no block ${index} in ${language}`);
    return text.replaceAll('/path/to/folder', home());
  };
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'leapfrog-cmdstan-'));
    const leapfrog = `leapfrog() { '${process.execPath}' '${MAIN}' "$@"; }`;
    await run('bash', ['-c', `set -e\n${leapfrog}\n${textIn('sh')}`], { ...options(), cwd: folder });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('in a shell make, run and summarize the example', async () => {
    const { stdout } = await run('bash', ['-c', `set -e\n${textIn('sh', 1)}`], { ...options(), cwd: folder });
    assert.match(stdout, /^theta +0\.2/m);
    assert.match(stdout, /no problems detected/);
  });

  it('in Python sample', { skip: withoutModules(['cmdstanpy']) }, async () => {
    const printed = `${textIn('python')}print(fit.draws().shape, fit.stan_variable('theta').mean())\n`;
    const { stdout } = await run('python3', ['-c', printed], options('examples', 'bernoulli'));
    // The mean of beta(3 + 1, 1 + 1) is 0.667, with a standard error of about 0.005.
    assert.match(stdout, /^\(1000, 4, \d+\) 0\.6[4-9]/m);
  });

  it('in R set the path', { skip: withoutPackages(['cmdstanr']) }, async () => {
    const { stdout } = await run('Rscript', ['-e', `${textIn('r')}cat(cmdstanr::cmdstan_path())`], options());
    assert.equal(stdout, home());
  });
});
