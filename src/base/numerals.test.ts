import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ENGLISH_NUMERALS, numeralsOf } from './numerals.js';

const german = numeralsOf(() => ',');

describe('numbers for people', () => {
  it('are short on axes', () => {
    const values = [0.1 + 0.2, -5, 1e7, 2e-6, -1.25e-7, Number.NaN, Number.NEGATIVE_INFINITY];
    const texts = ['0.3', '−5', '1e7', '2e−6', '−1.25e−7', 'NaN', '−∞'];
    assert.deepEqual(
      values.map((value) => ENGLISH_NUMERALS.short(value)),
      texts,
    );
    assert.deepEqual(
      values.map((value) => german.short(value)),
      texts.map((text) => text.replace('.', ',')),
    );
  });

  it('have three significant digits in columns of tables, but no rounded integers', () => {
    const values = [0, 0.1, -12.345, 1234.4, 123456, 1e-5, Number.NaN];
    const texts = ['0.00', '0.100', '−12.3', '1234', '1.23e5', '1.00e−5', '–'];
    assert.deepEqual(values.map(ENGLISH_NUMERALS.column), texts);
    assert.equal(german.column(-12.345), '−12,3');
  });

  it('have fixed decimals, and no sign if they are rounded to zero', () => {
    assert.equal(ENGLISH_NUMERALS.fixed(1.0005, 2), '1.00');
    assert.equal(ENGLISH_NUMERALS.fixed(-0.001, 2), '0.00');
    assert.equal(german.fixed(-0.5, 1), '−0,5');
    assert.equal(german.fixed(Number.NaN, 1), '–');
  });
});
