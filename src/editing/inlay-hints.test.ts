import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LanguageService } from './language-service.js';

const TEXT = `functions {
  real half_lpdf(real y, real mu, real scale) {
    return normal_lpdf(y | mu, scale);
  }
  void show(vector x) {
    print(x);
  }
}
data {
  array[3] vector[2] xs;
}
parameters {
  real mu;
}
model {
  for (x in xs) {
    show(x);
    show(2 * x);
    for (element in x) element ~ half(mu, 1);
  }
  target += half_lupdf(0 | mu, 2);
}
`;

/** The text with the hints in it. */
function hinted(text: string): string {
  const service = new LanguageService();
  service.read({ name: 'm', text, includes: {} });
  return service.hints('m').reduceRight((left, { kind, at: { from, to }, text: hint }) => {
    return kind === 'type'
      ? `${left.slice(0, to)}: ${hint}${left.slice(to)}`
      : `${left.slice(0, from)}${hint}: ${left.slice(from)}`;
  }, text);
}

describe('inlay hints', () => {
  it('are the types of variables of loops over a container, and parameter names of the program’s functions', () => {
    assert.equal(
      hinted(TEXT),
      TEXT.replace('for (x in', 'for (x: vector[2] in')
        .replace('show(2', 'show(x: 2')
        .replace('(element in', '(element: real in')
        .replace('half(mu, 1)', 'half(mu, scale: 1)')
        .replace('half_lupdf(0 | mu, 2)', 'half_lupdf(y: 0 | mu, scale: 2)'),
    );
  });

  it('have the sizes of elements as they are declared', () => {
    const text =
      'data {\n  int N;\n  array[3, N] matrix[2, N] y;\n  tuple(int, real) z;\n}\nmodel {\n  for (a in y) for (b in a) for (c in {1, 2}) print(b);\n}\n';
    const shown = text
      .replace('(a in', '(a: array[N] matrix[2, N] in')
      .replace('(b in', '(b: matrix[2, N] in')
      .replace('(c in', '(c: int in');
    assert.equal(hinted(text), shown);
  });

  it('are none in a program with errors', () => {
    assert.equal(hinted('model { f(1); }'), 'model { f(1); }');
    assert.equal(hinted('model { '), 'model { ');
  });
});
