import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fill, NAMES, named, type Statement, write } from './statement.js';

describe('sentences as data', () => {
  it('name values, and choose texts by numbers', () => {
    const sentence = '{count, plural, =0 {None} one {One of {all}} other {{count} of {all}}}.';
    const filled = [0, 1, 2].map((count) => fill(sentence, { count, all: 9 }));
    assert.deepEqual(filled, ['None.', 'One of 9.', '2 of 9.']);
  });

  it('choose texts by strings', () => {
    const sentence = 'It is {found, select, list {a list} text {the text {value}} other {{value}}}.';
    const filled = ['list', 'text', 'number'].map((found) => fill(sentence, { found, value: 7 }));
    assert.deepEqual(filled, ['It is a list.', 'It is the text 7.', 'It is 7.']);
  });

  it('insert values unchanged', () => {
    assert.equal(fill('{a} and {b}', { a: '{b}', b: '$&' }), '{b} and $&');
  });

  it('throw if a value of the sentence is missing', () => {
    assert.throws(() => fill('{a} and {b}', { a: 1 }), /lacks b/);
  });

  it('contain at most five names', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    assert.equal(fill(NAMES, named(names)), 'a, b, c, d, e and 2 more');
    assert.equal(fill(NAMES, named(names.slice(0, 5))), 'a, b, c, d, e');
  });

  it('are written one after another', () => {
    const catalog = { one: 'One {thing}.', two: 'Two.' };
    const statements: Statement<keyof typeof catalog>[] = [
      { key: 'one', values: { thing: 'x' } },
      { key: 'two', values: {} },
    ];
    assert.equal(write(catalog, statements), 'One x. Two.');
  });
});
