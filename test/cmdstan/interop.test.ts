/** The programs in interop/ run on a CmdStan home, where what they import is installed. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { layOutHome } from '../../src/cmdstan/home.js';
import { ROOT } from '../project/tree.js';

/** An interface: how it is found, and the program that uses it. */
const INTERFACES = [
  {
    name: 'CmdStanPy and ArviZ',
    command: 'python3',
    probe: ['-c', 'import cmdstanpy, arviz'],
    program: 'cmdstanpy_home.py',
  },
  {
    name: 'cmdstanr and posterior',
    command: 'Rscript',
    probe: ['-e', 'library(cmdstanr); library(posterior)'],
    program: 'cmdstanr_home.R',
  },
];

for (const { command, name, probe, program } of INTERFACES) {
  const isThere = spawnSync(command, probe, { stdio: 'ignore' }).status === 0;
  describe(`${name} on a CmdStan home`, { skip: isThere ? false : `${command} has no ${name}` }, () => {
    let folder: string;
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'leapfrog-interop-'));
      layOutHome(join(folder, 'home'));
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    it('compile, sample, hand on to other methods, and summarise', () => {
      const { status, stderr } = spawnSync(command, [join(ROOT, 'interop', program)], {
        cwd: folder,
        env: { ...process.env, CMDSTAN: join(folder, 'home') },
        encoding: 'utf8',
      });
      assert.equal(status, 0, stderr);
    });
  });
}
