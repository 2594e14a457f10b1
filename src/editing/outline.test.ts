import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LanguageService } from './language-service.js';
import { foldsOf, type OutlineItem } from './outline.js';

const PROGRAM = `functions {
  real half(real x) {
    return x / 2;
  }
}
#include data.stan
parameters {
  real a, b;
}
`;
const INCLUDED = 'data {\n  int<lower=0> N;\n}\n';

function open(text: string) {
  const service = new LanguageService();
  service.read({ name: 'm.stan', text, includes: { 'data.stan': INCLUDED } });
  return service;
}

function names(items: readonly OutlineItem[]): readonly unknown[] {
  return items.map(({ name, kind, children }) => [name, kind, ...names(children)]);
}

describe('the outline', () => {
  it('has blocks with their functions and variables, for each file', () => {
    const service = open(PROGRAM);
    assert.deepEqual(names(service.outline('m.stan')), [
      ['functions', 'block', ['half', 'function']],
      ['parameters', 'block', ['a', 'variable'], ['b', 'variable']],
    ]);
    assert.deepEqual(names(service.outline('data.stan')), [['data', 'block', ['N', 'variable']]]);
  });

  it('has a range for each name, within the range of the whole declaration', () => {
    for (const { whole, at } of open(PROGRAM).outline('m.stan')) assert.ok(whole.from <= at.from && at.to <= whole.to);
    const [{ at }] = open(PROGRAM).outline('m.stan');
    assert.equal(PROGRAM.slice(at.from, at.to), 'functions');
  });

  it('is retained while the text cannot be parsed', () => {
    const service = open(PROGRAM);
    const broken = PROGRAM.replace('real a,', 'real a, = vector[');
    service.read({ name: 'm.stan', text: broken, includes: { 'data.stan': INCLUDED } });
    const [, parameters] = service.outline('m.stan');
    assert.equal(
      broken.slice(parameters.whole.from, parameters.whole.to),
      broken.slice(broken.indexOf('parameters')).trim(),
    );
    const b = parameters.children.find(({ name }) => name === 'b');
    assert.equal(b && broken.slice(b.at.from, b.at.to), 'b');
  });
});

describe('foldable ranges', () => {
  const folded = (text: string) => foldsOf(text).map(({ from, to, kind }) => [kind, text.slice(from, to)]);

  it('are braces and comments of several lines', () => {
    const text = 'model {\n  // one\n  // two\n  {\n    /* a\n b */\n  }\n  array[2] int x = {1, 2};\n}\n';
    assert.deepEqual(folded(text), [
      ['braces', text.slice(text.indexOf('{'), -1)],
      ['comment', '// one\n  // two'],
      ['braces', '{\n    /* a\n b */\n  }'],
      ['comment', '/* a\n b */'],
    ]);
  });

  it('are found in a program with errors', () => {
    assert.deepEqual(folded('}\nmodel {\n @ "\n}\n{'), [['braces', '{\n @ "\n}']]);
  });
});
