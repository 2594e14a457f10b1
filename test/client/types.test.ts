import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ROOT } from '../project/tree.js';
import { textsUnder } from '../support/documents.js';

const COMPILER = join(ROOT, 'node_modules', '.bin', 'tsc');
const STRICT = ['--strict', '--noEmit', '--target', 'es2023', '--module', 'nodenext'];

const FUNCTIONS = `
  import { type FitRequest, Model } from 'leapfrog/client';
  declare const model: Model;
  await model.fit({ function: 'stan::services::optimize::lbfgs', history_size: 5, data: { N: 1 } });
  await model.fit({ function: 'engine::services::sample::hmc_nuts_diag_e_adapt', inv_metric: [1, 1], save: ['theta'] });
  // @ts-expect-error an argument of samplers
  await model.fit({ function: 'stan::services::optimize::lbfgs', delta: 0.9 });
  // @ts-expect-error no function of this name
  await model.fit({ function: 'stan::services::optimize::adam' });
  // @ts-expect-error the mode is needed
  const laplace: FitRequest = { function: 'stan::services::laplace_sample' };
  // @ts-expect-error a number is needed
  await model.fit({ function: 'stan::services::sample::fixed_param', num_samples: 'many' });
`;

describe('the types of the client', () => {
  it("can be checked in Node and in a page, and depend on the server's schemas and requests only", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'leapfrog-consumer-'));
    try {
      await mkdir(join(folder, 'node_modules', '@types'), { recursive: true });
      await symlink(ROOT, join(folder, 'node_modules', 'leapfrog'));
      await symlink(join(ROOT, 'node_modules', '@types', 'node'), join(folder, 'node_modules', '@types', 'node'));
      await writeFile(join(folder, 'session.mts'), textsUnder('docs/http.md', 'TypeScript', 'ts').join('\n'));
      await writeFile(join(folder, 'page.mts'), "export { Client } from 'leapfrog/client';\n");
      await writeFile(join(folder, 'functions.mts'), FUNCTIONS);
      const check = async (...given: readonly string[]) => {
        const { stdout } = await promisify(execFile)(COMPILER, [...STRICT, '--listFiles', ...given], { cwd: folder });
        const files = stdout.split('\n').filter((file) => file.startsWith(ROOT) && !file.includes('node_modules'));
        const others = files
          .map((file) => relative(join(ROOT, 'dist', 'src'), file))
          .filter((file) => !file.startsWith('client'));
        assert.deepEqual(others.sort(), [
          'base/statement.d.ts',
          'inference/algorithms/arguments.d.ts',
          'requests/fit-requests.d.ts',
          'requests/function-description.d.ts',
          'requests/variables.d.ts',
          'service/schemas/calibrations.d.ts',
          'service/schemas/comparisons.d.ts',
          'service/schemas/evaluations.d.ts',
          'service/schemas/evidence.d.ts',
          'service/schemas/fits.d.ts',
          'service/schemas/functions.d.ts',
          'service/schemas/models.d.ts',
          'service/schemas/operations.d.ts',
          'service/schemas/predictions.d.ts',
          'service/schemas/refits.d.ts',
          'service/schemas/shared.d.ts',
        ]);
      };
      await Promise.all([
        check('--lib', 'es2023', '--types', 'node', 'session.mts', 'functions.mts'),
        check('--lib', 'es2023,dom', '--types', '', 'page.mts'),
      ]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
