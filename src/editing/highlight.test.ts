import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { highlight } from './highlight.js';

function styles(text: string): string[] {
  return highlight(text).map(({ from, to, style }) => `${text.slice(from, to)}: ${style}`);
}

describe('highlighting', () => {
  it('distinguishes blocks, types, names, distributions and functions', () => {
    assert.deepEqual(styles('model { y ~ normal(exp(2), 1.5); } // done'), [
      'model: block',
      '{: bracket',
      'y: name',
      '~: operator',
      'normal: distribution',
      '(: bracket',
      'exp: function',
      '(: bracket',
      '2: number',
      '): bracket',
      ',: bracket',
      '1.5: number',
      '): bracket',
      ';: bracket',
      '}: bracket',
      '// done: comment',
    ]);
  });

  it('continues after characters that form no token', () => {
    assert.deepEqual(styles('real § mu;'), ['real: type', '§: fault', 'mu: name', ';: bracket']);
  });

  it('extends an unclosed comment to the end', () => {
    assert.deepEqual(styles('int N; /* to\nthe end').at(-1), '/* to\nthe end: comment');
  });

  it('highlights includes', () => {
    assert.deepEqual(styles('#include a.stan\nreal x;')[0], '#include a.stan: include');
  });
});
