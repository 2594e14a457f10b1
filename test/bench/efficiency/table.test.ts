import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { updatePage } from './docs.js';
import type { Run } from './measure.js';
import type { NamedSampler } from './samplers.js';
import { sections } from './table.js';

const samplers = ['ours', 'theirs'].map(
  (name): NamedSampler => ({ name, title: name, run: () => ({ failure: 'never run' }) }),
);

function run(posterior: string, sampler: string, gradients: number, rhat = 1): Run {
  return {
    posterior,
    sampler,
    seed: 1,
    gradients: { warmup: gradients / 2, sampling: gradients },
    seconds: { warmup: 0, sampling: gradients / 1000 },
    divergences: 2,
    effectiveDraws: 800,
    rhat,
  };
}

const runs: Run[] = [
  run('a', 'ours', 1000),
  run('a', 'theirs', 4000),
  run('b', 'ours', 2000),
  run('b', 'theirs', 1000, 1.2),
  run('c', 'ours', 3000),
  { posterior: 'c', sampler: 'theirs', seed: 1, failure: 'no initial values' },
  run('d', 'ours', 4000),
  { posterior: 'd', sampler: 'theirs', seed: 1, failure: 'more than 5 processor seconds', limit: 5 },
];

describe('the tables of bench efficiency', () => {
  const found = sections(runs, samplers);
  const lines = (name: string) => found.find((section) => section.name === name)?.lines;

  it('show gradients, an asterisk for chains that disagree, and a dash or the limit for a failure', () => {
    assert.deepEqual(lines('gradients'), [
      '| posterior           | ours | theirs |',
      '| ------------------- | ---: | -----: |',
      '| a                   |  1.0 |    4.0 |',
      '| b                   |  2.0 |   1.0* |',
      '| c                   |  3.0 |      – |',
      '| d                   |  4.0 |  > 5 s |',
      '| geometric mean of 2 |  1.4 |    2.0 |',
    ]);
  });

  it('have no means without a posterior of all samplers', () => {
    const only = sections(
      runs.filter(({ posterior }) => posterior === 'c'),
      samplers,
    );
    assert.equal(only[0].lines.at(-1), '| c         |  3.0 |      – |');
  });

  it('compare with the first sampler where both were measured', () => {
    assert.match(lines('multiples')?.at(-1) ?? '', /^\| theirs +\| +1\.41 \(2\) \| +1\.41 \(2\) \|$/);
    assert.match(lines('agreeing')?.at(-1) ?? '', /^\| theirs +\| +4\.00 \(1\) \| +4\.00 \(1\) \|$/);
    assert.deepEqual(lines('fewer'), [
      '- theirs: fewer gradients in 1 (b); fewer seconds in none; without compilation in 1 (b)',
    ]);
    assert.deepEqual(lines('more'), ['- theirs: gradients in 1 (a 4.0); seconds without compilation in 1 (a 4.0)']);
    assert.deepEqual(lines('failures'), [
      '- theirs, c: no initial values',
      '- theirs, d: more than 5 processor seconds',
    ]);
  });

  it('count posteriors and runs whose chains disagree, and divergent transitions', () => {
    assert.deepEqual(lines('reliability'), [
      '| sampler | posteriors | with R-hat above 1.05 |   runs | divergent transitions |',
      '| ------- | ---------: | --------------------: | -----: | --------------------: |',
      '| ours    |          4 |                     0 | 0 of 4 |                     8 |',
      '| theirs  |          2 |                     1 | 1 of 2 |                     4 |',
    ]);
  });

  it('omit posteriors without measurements', () => {
    const left: Run = { posterior: 'e', sampler: 'ours', seed: 1, failure: 'too long', limit: 3 };
    assert.deepEqual(sections([...runs, left], samplers)[0].lines, lines('gradients'));
  });

  it('replace the marked sections of a page', () => {
    const folder = mkdtempSync(join(tmpdir(), 'leapfrog-test-'));
    try {
      const page = join(folder, 'page.md');
      const around = (text: string) =>
        `Text\n\n<!-- all failures -->\n${text}\n<!-- end -->\n\n<!-- other failures -->\n<!-- end -->\n`;
      writeFileSync(page, around('\nold\n'));
      updatePage(page, 'all', found);
      assert.equal(
        readFileSync(page, 'utf8'),
        around('\n- theirs, c: no initial values\n- theirs, d: more than 5 processor seconds\n'),
      );
      assert.throws(() => updatePage(page, 'none', found), /marks no section with none/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
