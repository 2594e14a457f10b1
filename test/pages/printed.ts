/** What the shell sessions of pages must print, beyond success. */
import assert from 'node:assert/strict';
import { blocksOf } from '../support/documents.js';

export const PRINTED: Readonly<Record<string, (output: string) => void>> = {
  'docs/data.md': (output) => assert.match(output, /Written: /),
  'docs/odes.md': (output) => assert.match(output, /Written: /),
  'docs/predictions.md': (output) => {
    assert.match(output, /^line-loo +0 +0 .*\nflat-loo +-/m);
    assert.match(output, /The ranks of all 3 quantities are compatible with a uniform distribution/);
  },
  'docs/tutorial.md': (output) => {
    assert.match(output, /Written: first-sample_1[^\n]*\n[^\n]*transitions \([\d.]+ %\) diverged/);
    assert.match(output, /Written: schools-sample_1[^\n]*\nNo problems found/);
    assert.match(output, /pooled-sample +0 +0 +-30\.\d .*\nschools-sample +-0\.3/);
    assert.match(output, /Written: schools\.html/);
    const summary = blocksOf('docs/tutorial.md').find(({ text }) => text.includes('R_hat'))?.text ?? assert.fail();
    const [header, ...rows] = summary.trimEnd().split('\n');
    assert.ok(output.includes(`${header}\n`), header);
    for (const row of rows) assert.match(output, new RegExp(`^${row.split(' ')[0]} +-?\\d`, 'm'));
  },
};
