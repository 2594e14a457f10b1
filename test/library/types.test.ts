import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ROOT } from '../project/tree.js';

const COMPILER = join(ROOT, 'node_modules', '.bin', 'tsc');
/** Types of packages are also checked: `skipLibCheck` is off by default. */
const STRICT = ['--strict', '--noEmit', '--target', 'es2023', '--module', 'nodenext'];

const PROGRAM = `
  import { analyze, compile, type Data, type Fit, type Model, openFit, type Posterior, type Run } from 'leapfrog';
  const data: Data = { N: 4, y: [0, 1, 1, 1] };
  const model: Model = await compile('parameters { real x; }');
  const run: Run = model.sample({ data, num_chains: 2 }, { signal: new AbortController().signal });
  const fit: Fit = openFit((await run.result()).contents());
  const draws: Float64Array = fit.column('x')[0];
  const posterior: Posterior = await model.on(data);
  const slope: number = posterior.gradient([0]).gradient[0];
  // @ts-expect-error an optimizer has no metric
  model.optimize({ metric: 'dense_e' });
  export const numbers = [draws.length, slope, (await analyze('')).errors.length];
`;

const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  'in Node': ['--lib', 'es2023', '--types', 'node'],
  'in a page': ['--lib', 'es2023,dom', '--types', ''],
  'in a page with types of Node': ['--lib', 'es2023,dom', '--types', 'node'],
  'in a worker': ['--lib', 'es2023,webworker', '--types', ''],
};

describe('the types of the library', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'leapfrog-types-'));
    await mkdir(join(folder, 'node_modules', '@types'), { recursive: true });
    await symlink(ROOT, join(folder, 'node_modules', 'leapfrog'));
    await symlink(join(ROOT, 'node_modules', '@types', 'node'), join(folder, 'node_modules', '@types', 'node'));
    await writeFile(join(folder, 'program.mts'), PROGRAM);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const [where, settings] of Object.entries(SETTINGS)) {
    it(`can be checked by their users ${where}`, async () => {
      const checked = promisify(execFile)(COMPILER, [...STRICT, ...settings, 'program.mts'], { cwd: folder });
      assert.equal(
        await checked.then(
          () => '',
          ({ stdout }) => stdout,
        ),
        '',
      );
    });
  }
});
