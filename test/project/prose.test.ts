import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ROOT } from './tree.js';

/** Sentences that rules report. */
const REPORTED = [
  'This holds the gradient of a program against differences.',
  'They compile loops inside one another.',
  'They compile tuples in one another.',
  'The first failure; null without one.',
  'The size of the container that it is of.',
  'The mode; undefined where it does not converge.',
  'Throws `Misfit` where no chain exists.',
  'It raises ValueError where the data are invalid.',
  'Draws are an array a chain, with a number a draw.',
  'The sums are computed once a data set.',
  'It is continued to the bit.',
  'Draws after warm-up.',
  'The arguments that the solver passes on to its callback.',
  'The checker warns of unreachable statements.',
  'Returns what is wrong with the names in a rule.',
  'The draws are arrays, all of one length.',
  'Number of data sets; 100 unless given.',
  'CSV has a row for each observation.',
  'The catalogue of errors.',
];

/** Sentences with similar phrases that are correct. */
const CORRECT = [
  'The limit of the memory; processes hold it until they exit, and compare it with others.',
  'The next one another process has started.',
  'A loop without any iterations.',
  'The derivative is infinite where the density is 0.',
  'Where a program is invalid, the compiler throws.',
  'An array and a chain; one has a line per draw.',
  'Stan prints (Warm-up) in its times.',
  'Code that passes on all platforms warns about the rest.',
  'Two arrays of length one are of the same size.',
  'A seed is random unless it is given in the request.',
  'It allocates an array for each call, and one row per observation for each chain.',
];

describe('the prose linter', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'leapfrog-prose-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Line numbers of the sentences that the linter reports. */
  async function reported(sentences: readonly string[]): Promise<number[]> {
    const page = join(folder, 'page.md');
    await writeFile(page, `${sentences.join('\n\n')}\n`);
    const lint = promisify(execFile)('node', [join(ROOT, 'scripts/prose/lint.mjs'), page]);
    const { stdout } = await lint.catch((error: { readonly stdout: string }) => error);
    const lines = [...stdout.matchAll(/page\.md:(\d+):/g)].map(([, line]) => (Number(line) + 1) / 2);
    return [...new Set(lines)];
  }

  it('reports phrases of the rules', async () => {
    assert.deepEqual(
      await reported(REPORTED),
      REPORTED.map((_, index) => index + 1),
    );
  });

  it('accepts similar phrases', async () => {
    assert.deepEqual(await reported(CORRECT), []);
  });
});
