/** Runs the programs in interop/ on a CmdStan home or a server, if the packages that they import are installed. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { layOutHome } from '../../src/cmdstan/home.js';
import { ROOT } from '../project/tree.js';
import { withoutModules, withoutPackages } from '../support/packages.js';
import { type Serving, serve } from '../support/serving.js';

/** An interface: why it cannot run here, the program that uses it, and the home or server that the program runs on. */
const INTERFACES = [
  {
    name: 'CmdStanPy and ArviZ',
    command: 'python3',
    skip: withoutModules(['cmdstanpy', 'arviz']),
    program: 'cmdstanpy_home.py',
    ground: 'home',
  },
  {
    name: 'cmdstanr and posterior',
    command: 'Rscript',
    skip: withoutPackages(['cmdstanr', 'posterior']),
    program: 'cmdstanr_home.R',
    ground: 'home',
  },
  {
    name: 'posterior and loo',
    command: 'Rscript',
    skip: withoutPackages(['posterior', 'loo', 'jsonlite']),
    program: 'posterior_home.R',
    ground: 'home',
  },
  {
    name: 'PyStan and ArviZ',
    command: 'python3',
    skip: withoutModules(['stan', 'arviz', 'requests']),
    program: 'pystan_server.py',
    ground: 'server',
  },
] as const;

const run = promisify(execFile);

for (const { command, ground, name, program, skip } of INTERFACES) {
  describe(`${name} on a ${ground}`, { skip }, () => {
    let folder: string;
    let server: Serving | undefined;
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'leapfrog-interop-'));
      if (ground === 'home') layOutHome(join(folder, 'home'));
      else server = await serve();
    });
    after(async () => {
      await server?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    it('compile, sample, and read the results', async () => {
      const env = { ...process.env, CMDSTAN: join(folder, 'home'), LEAPFROG: `${server?.address}/v1` };
      // A program that fails exits with a code, which rejects with its output.
      const { stderr } = await run(command, [join(ROOT, 'interop', program)], { cwd: folder, env });
      assert.doesNotMatch(stderr, /Traceback|Execution halted/);
    });
  });
}
