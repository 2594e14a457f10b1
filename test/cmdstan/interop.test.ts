/** The programs in interop/ run on a CmdStan home, where `python3` has what they import. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { layOutHome } from '../../src/cmdstan/home.js';
import { ROOT } from '../project/tree.js';

const isThere = (modules: string) =>
  spawnSync('python3', ['-c', `import ${modules}`], { stdio: 'ignore' }).status === 0;

describe('CmdStanPy and ArviZ on a CmdStan home', {
  skip: isThere('cmdstanpy, arviz') ? false : 'python3 has no CmdStanPy or no ArviZ',
}, () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'leapfrog-interop-'));
    layOutHome(join(folder, 'home'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('compile, sample, hand on to other methods, and summarise', () => {
    const { status, stderr } = spawnSync('python3', [join(ROOT, 'interop', 'cmdstanpy_home.py')], {
      cwd: folder,
      env: { ...process.env, CMDSTAN: join(folder, 'home') },
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
  });
});
