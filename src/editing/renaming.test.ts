import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { edited } from '../derive/program-text.js';
import { LanguageService } from './language-service.js';

const FILE = 'm.stan';

/** The files after renaming the name at `§`, or the reason why it cannot be renamed. */
function renamed(marked: string, newName: string, includes: Readonly<Record<string, string>> = {}) {
  const program = { name: FILE, text: marked.replace('§', ''), includes };
  const service = new LanguageService();
  service.read(program);
  const found = service.rename(FILE, marked.indexOf('§'), newName);
  return found.kind === 'refused' ? found.reason : edited(program, found.edits);
}

function textOf(found: ReturnType<typeof renamed>): string {
  return typeof found === 'string' ? `refused: ${found}` : found.text;
}

describe('renaming', () => {
  it('changes a variable at its declaration and uses, but no other variable with that name', () => {
    const text = 'data { int N; }\nmodel { for (§n in 1:N) { print(n, "n"); } for (n in 1:N) print(n); } // n';
    assert.equal(
      textOf(renamed(text, 'k')),
      'data { int N; }\nmodel { for (k in 1:N) { print(k, "n"); } for (n in 1:N) print(n); } // n',
    );
  });

  const DENSITY =
    'functions { real f_lpdf(real y, real m) { return -(y - m)^2; } }\nparameters { real y; }\n' +
    'model { y ~ f(0); target += f_lpdf(y | 1) + f_lupdf(y | 2); }';

  it('keeps the suffixes of a density, at its definition and after a tilde', () => {
    const expected = DENSITY.replace(/\bf(?=_l|\()/g, 'g');
    assert.equal(textOf(renamed(DENSITY.replace('f_lpdf', '§f_lpdf'), 'g_lpdf')), expected);
    assert.equal(textOf(renamed(DENSITY.replace('~ f', '~ §f'), 'g')), expected);
    assert.equal(textOf(renamed(DENSITY.replace('f_lupdf', '§f_lupdf'), 'g_lupdf')), expected);
    assert.match(textOf(renamed(DENSITY.replace('f_lpdf', '§f_lpdf'), 'g')), /must end with _lpdf/);
  });

  it('distinguishes a function from a density with the same stem', () => {
    const text = DENSITY.replace('functions {', 'functions { real f(real x) { return x; }').replace('f(0)', 'f(f(0))');
    assert.equal(
      textOf(renamed(text.replace('~ f(f', '~ f(§f'), 'h')),
      text.replace('real f(real', 'real h(real').replace('f(f(0))', 'f(h(0))'),
    );
  });

  it('changes all overloads, forward declarations and functions given as arguments', () => {
    const text =
      'functions { real f(real x); real f(int x) { return x; } real f(real x) { return x; }\n' +
      'real g_lpmf(array[] int s, int a, int b) { return 0; } }\n' +
      'transformed data { array[2] int y = {1, 2}; }\n' +
      'parameters { real x; }\nmodel { target += §f(x) + f(1) + reduce_sum(g_lupmf, y, 1); }';
    assert.equal(textOf(renamed(text, 'h')), text.replace('§', '').replace(/\bf(?=\()/g, 'h'));
    const partial = text.replace('§', '').replace('real g_lpmf', 'real §g_lpmf');
    assert.match(textOf(renamed(partial, 'k_lpmf')), /reduce_sum\(k_lupmf/);
  });

  it('goes through included files', () => {
    const found = renamed('#include a.stan\nmodel { target += §N; }', 'K', { 'a.stan': 'data { int N; }' });
    assert.ok(typeof found !== 'string');
    assert.deepEqual(
      [found.text, found.includes],
      ['#include a.stan\nmodel { target += K; }', { 'a.stan': 'data { int K; }' }],
    );
  });

  it('renames all references to the contents of a file that is included twice', () => {
    const text =
      'parameters { real y; }\nmodel { { real §m = 1;\n#include s.stan\n } { real m = 2;\n#include s.stan\n } }';
    const found = renamed(text, 'mu', { 's.stan': 'y ~ normal(m, 1);' });
    assert.ok(typeof found !== 'string');
    assert.equal(found.text, text.replace('§', '').replaceAll('real m', 'real mu'));
    assert.deepEqual(found.includes, { 's.stan': 'y ~ normal(mu, 1);' });
  });

  it('is rejected if the program would become invalid or change its meaning', () => {
    const text = 'parameters { real §a; real b; }\nmodel { a ~ normal(b, 1); }';
    assert.match(textOf(renamed(text, 'b')), /refused: .*b/);
    assert.match(textOf(renamed(text, 'for')), /refused/);
    assert.match(textOf(renamed(text, 'a__')), /refused/);
    assert.match(textOf(renamed(text, '1x')), /is not a valid name/);
    assert.match(textOf(renamed('model { print(§exp(1)); }', 'e')), /exp is not declared in this program/);
    assert.match(textOf(renamed('model { § print(1); }', 'e')), /no name/);
    assert.match(textOf(renamed('model { real §x', 'y')), /syntax error/);
  });

  it('is possible in a program that already has a semantic error', () => {
    const text = 'parameters { real §a; }\nmodel { a ~ normal(unknown, 1); }';
    assert.equal(textOf(renamed(text, 'b')), 'parameters { real b; }\nmodel { b ~ normal(unknown, 1); }');
  });
});
