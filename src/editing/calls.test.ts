import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DeclaredName } from '../derive/symbols.js';
import { FUNCTIONS } from '../functions/table.js';
import { callAt, signaturesOf } from './calls.js';

/** The open call at the position of `§`. */
function open(marked: string) {
  const offset = marked.indexOf('§');
  return callAt(marked.replace('§', ''), offset);
}

function declared(type: string, name: string): DeclaredName {
  return { name, kind: 'function', type, block: 'functions', declaredAt: { file: 'm', from: 0, to: 0 } };
}

describe('the call at an offset', () => {
  it('is the innermost one, with the number of its argument', () => {
    const found = open('model { target += normal_lpdf(y | f(a, b[1, 2]), §');
    assert.deepEqual([found?.name, found?.argument, found?.isDistribution], ['normal_lpdf', 2, false]);
    assert.deepEqual([open('model { x = f(g(1, 2), g(3§')?.name, open('model { x = f((1, §')?.name], ['g', 'f']);
  });

  it('is a distribution after a tilde', () => {
    const found = open('model { y ~ normal(0, §');
    assert.deepEqual([found?.name, found?.argument, found?.isDistribution], ['normal', 1, true]);
  });

  it('is found across includes, comments and syntax errors', () => {
    const found = open('#include a.stan\nmodel { // f(\n @ y ~ normal(1 /* , */, §');
    assert.deepEqual([found?.name, found?.argument], ['normal', 1]);
  });

  it('does not exist outside parentheses, in comments, in strings or after a statement', () => {
    for (const text of [
      'model { f(1)§',
      'model { // f(1, §',
      'model { f(/* §',
      'model { print("f(1, §',
      'model { f(1; §',
      '§',
    ]) {
      assert.equal(open(text), undefined, text);
    }
  });
});

describe('the signatures of a call', () => {
  it('are those of the library, after a tilde without the variate', () => {
    const call = { name: 'normal', from: 0, argument: 1, isDistribution: true };
    const help = signaturesOf(call, [], FUNCTIONS);
    const [first] = help?.signatures ?? [];
    assert.equal(first.label, 'normal(reals, reals)');
    assert.deepEqual(
      first.parameters.map(([from, to]) => first.label.slice(from, to)),
      ['reals', 'reals'],
    );
  });

  it('include those of the program, with the first one that has enough parameters active', () => {
    const names = [declared('real f(real x)', 'f'), declared('real f(array[,] int n, (real, int) t)', 'f')];
    const help = signaturesOf({ name: 'f', from: 0, argument: 1, isDistribution: false }, names, FUNCTIONS);
    assert.equal(help?.active, 1);
    const [, second] = help?.signatures ?? [];
    assert.deepEqual(
      second.parameters.map(([from, to]) => second.label.slice(from, to)),
      ['array[,] int n', '(real, int) t'],
    );
  });

  it('of a density in the program omit the variate after a tilde', () => {
    const names = [declared('real f_lpdf(real y, real mu)', 'f_lpdf')];
    const help = signaturesOf({ name: 'f', from: 0, argument: 0, isDistribution: true }, names, FUNCTIONS);
    const [first] = help?.signatures ?? [];
    assert.deepEqual(
      first.parameters.map(([from, to]) => first.label.slice(from, to)),
      ['real mu'],
    );
  });

  it('are empty for unknown names', () => {
    assert.equal(
      signaturesOf({ name: 'nothing', from: 0, argument: 0, isDistribution: false }, [], FUNCTIONS),
      undefined,
    );
  });
});
