import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LanguageService } from './language-service.js';

const PROGRAM = `#include f.stanfunctions
data {
  int N; // 🙂 size
}
parameters {
  real mu;
}
model {
  mu ~ half(N);
  target += normal_lpdf(mu | 0, 1) + half_lupdf(mu | N);
}
`;
const INCLUDED = 'functions {\n  real half_lpdf(real y, real s) {\n    return s * y;\n  }\n}\n';

function tokens(file: string, text: string) {
  const service = new LanguageService();
  service.read({ name: 'm.stan', text: PROGRAM, includes: { 'f.stanfunctions': INCLUDED } });
  return service.tokens(file).map(({ from, to, type, isDeclaration, isReadonly, isLibrary }) => {
    const marks = [isDeclaration && 'declaration', isReadonly && 'readonly', isLibrary && 'library'];
    return [text.slice(from, to), type, ...marks.filter((mark) => mark !== false)].join(' ');
  });
}

describe('semantic tokens', () => {
  it('classify each name by its declaration', () => {
    const found = tokens('m.stan', PROGRAM);
    for (const expected of [
      '#include f.stanfunctions include',
      'data block',
      'int type',
      'N variable declaration readonly',
      '// 🙂 size comment',
      'mu variable declaration',
      'mu variable',
      'half function',
      'normal_lpdf function library',
      'half_lupdf function',
      '0 number',
    ]) {
      assert.ok(found.includes(expected), expected);
    }
  });

  it('of an included file depend on the program that includes it', () => {
    const found = tokens('f.stanfunctions', INCLUDED);
    for (const expected of [
      'half_lpdf function declaration',
      's argument declaration',
      's argument',
      'return keyword',
    ]) {
      assert.ok(found.includes(expected), expected);
    }
  });

  it('are in order and do not overlap', () => {
    const service = new LanguageService();
    service.read({ name: 'm.stan', text: `${PROGRAM} @ "open /* comment`, includes: {} });
    const found = service.tokens('m.stan');
    for (const [k, { from }] of found.entries()) assert.ok(k === 0 || found[k - 1].to <= from);
  });
});
