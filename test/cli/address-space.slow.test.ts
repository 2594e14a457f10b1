/** Processes whose address space is limited, as on shared machines (`ulimit -v`). */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pythonDoor } from '../doors/python.js';
import { ROOT } from '../project/tree.js';

const MAIN = join(ROOT, 'dist', 'src', 'cli', 'main.js');
const PYTHON = process.env.LEAPFROG_TEST_PYTHON ?? 'python3';

describe('under a limit of the address space', { skip: process.platform !== 'linux' && 'requires Linux' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'leapfrog-address-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'm.stan'), 'parameters { vector[3] x; } model { x ~ std_normal(); }');

  function under(gigabytes: number | 'unlimited', command: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const limit = gigabytes === 'unlimited' ? gigabytes : String(1e6 * gigabytes);
    const { status, stderr, stdout } = spawnSync('sh', ['-c', `ulimit -v ${limit}; exec "$@"`, 'sh', ...command], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, ...env },
    });
    return { status, stderr, stdout };
  }

  function drawsUnder(gigabytes: number | 'unlimited'): string {
    const arguments_ = ['sample', 'm.stan', '--chains', '4', '--seed', '1', '--output', 'draws.csv'];
    const { status, stderr } = under(gigabytes, [process.execPath, MAIN, ...arguments_]);
    assert.equal(status, 0, stderr);
    const rows = readFileSync(join(folder, 'draws_4.csv'), 'utf8').split('\n');
    return rows.filter((row) => /^-?\d/.test(row)).join('\n');
  }

  it('the command line samples the same draws', () => {
    const draws = drawsUnder('unlimited');
    assert.ok(draws.length > 10_000);
    for (const gigabytes of [2, 4, 16]) assert.equal(drawsUnder(gigabytes), draws);
  });

  it('the command line states that a limit is too low', () => {
    const { status, stderr } = under(1, [process.execPath, MAIN, 'sample', 'm.stan']);
    assert.equal(status, 1);
    assert.equal(
      stderr,
      'error: the address space of processes is limited to 1.0 GB (ulimit -v), but Leapfrog requires at least 2.0 GB. Raise the limit.\n',
    );
  });

  it('the Python package samples and evaluates, or states that a limit is too low', { skip: pythonDoor.skip }, () => {
    const program = `
import leapfrog
model = leapfrog.compile("m.stan")
fit = model.sample(seed=1)
print(len(fit.summary().names), fit.draws("x").shape, model.on().log_prob([0, 0, 0]))`;
    const env = { PYTHONPATH: join(ROOT, 'python', 'src'), PYTHONDONTWRITEBYTECODE: '1', OPENBLAS_NUM_THREADS: '1' };
    for (const gigabytes of [3, 8]) {
      const { status, stderr, stdout } = under(gigabytes, [PYTHON, '-c', program], env);
      assert.equal(status, 0, stderr);
      assert.match(stdout, /^4 \(4, 1000, 3\) -2\.756/);
    }
    const { stderr } = under(1, [PYTHON, '-c', program], env);
    assert.match(
      stderr,
      /EngineError: The address space of processes is limited to 1\.0 GB \(ulimit -v\), but the engine/,
    );
  });
});
