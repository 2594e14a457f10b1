import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Stopped } from '../../test/support/evaluate.js';
import { evaluate, int, ints, matrix, real, vector } from '../../test/support/evaluated-call.js';

test('a function of one number acts on every element', () => {
  assert.deepEqual(evaluate('square', vector(1, -2, 3)).value, [1, 4, 9]);
  assert.deepEqual(evaluate('abs', ints(1, -2)).value, [1, 2]);
  assert.deepEqual(evaluate('floor', matrix(2, 0.5, -0.5, 1.5, 2)).value, [0, -1, 1, 2]);
});

test('round goes away from zero at halves and is exact below them', () => {
  assert.deepEqual(evaluate('round', vector(0.5, -0.5, 2.5, 0.49999999999999994, -7.2)).value, [1, -1, 3, 0, -7]);
});

test('scalars go with every element, containers must have the same shape', () => {
  assert.deepEqual(evaluate('fmax', vector(1, 5), real(3)).value, [3, 5]);
  assert.throws(() => evaluate('hypot', vector(3, 1), vector(4)), {
    message: 'Binary function: x (2, 1) and y (1, 1) must match in size',
  });
});

test('not a number counts in fmin and fmax only if both are', () => {
  assert.equal(evaluate('fmin', real(Number.NaN), real(2)).value, 2);
  assert.equal(evaluate('fmax', real(1), real(Number.NaN)).value, 1);
});

test('arrays of ints are computed in integers, as Stan does', () => {
  assert.deepEqual(evaluate('exp', ints(1, -1)).value, [2, 0]);
  assert.equal(evaluate('sqrt', int(2)).value, Math.SQRT2);
});

const LEAST = -(2 ** 31);

/** Real Stan 2.39 at these ints in an array; where it stops the program, null. */
const AT = [-3, -1, 0, 1, 2, 5, 40];
const OF_INT_ARRAYS: readonly (readonly [string, readonly (number | null)[]])[] = [
  ['acos', [LEAST, 3, 1, 0, LEAST, LEAST, LEAST]],
  ['asin', [LEAST, -1, 0, 1, LEAST, LEAST, LEAST]],
  ['atan', [-1, 0, 0, 0, 1, 1, 1]],
  ['cos', [0, 0, 1, 0, 0, 0, 0]],
  ['cosh', [10, 1, 1, 1, 3, 74, LEAST]],
  ['exp', [0, 0, 1, 2, 7, 148, LEAST]],
  ['inv', [0, -1, 0, 1, 0, 0, 0]],
  ['inv_cloglog', [0, 0, 1, 1, 1, 1, 1]],
  ['inv_logit', [0, 0, 0, 1, 1, 1, 1]],
  ['inv_sqrt', [0, 0, 0, 1, 1, 0, 0]],
  ['inv_square', [0, 1, 0, 1, 0, 0, 0]],
  ['log', [LEAST, LEAST, LEAST, 0, 0, 1, 3]],
  ['log10', [LEAST, LEAST, LEAST, 0, 0, 0, 1]],
  ['logit', [LEAST, LEAST, LEAST, null, LEAST, LEAST, LEAST]],
  ['sin', [0, 0, 0, 0, 0, 0, 0]],
  ['sinh', [-10, -1, 0, 1, 3, 74, LEAST]],
  ['sqrt', [LEAST, LEAST, 0, 1, 1, 2, 6]],
  ['tan', [0, -1, 0, 1, -2, -3, -1]],
  ['tanh', [0, 0, 0, 0, 0, 0, 1]],
];

for (const [name, expected] of OF_INT_ARRAYS) {
  test(`of an array of ints, ${name} gives Stan's numbers`, () => {
    for (const [k, value] of expected.entries()) {
      if (value === null) assert.throws(() => evaluate(name, ints(AT[k])), Stopped);
      else assert.deepEqual(evaluate(name, ints(AT[k])).value, [value], `${name}(${AT[k]})`);
    }
  });
}

test('a factorial that is no int is the least int, as in Stan', () => {
  assert.equal(evaluate('rising_factorial', int(40), int(7)).value, LEAST);
  assert.equal(evaluate('falling_factorial', int(40), int(7)).value, LEAST);
  assert.equal(evaluate('rising_factorial', int(5), int(3)).value, 210);
});

test('a factorial of billions of factors is 0 or infinite at once, as in Stan', () => {
  const most = int(2 ** 31 - 1);
  assert.equal(evaluate('falling_factorial', real(3), most).value, 0);
  assert.equal(evaluate('falling_factorial', real(3.5), most).value, Number.NEGATIVE_INFINITY);
  assert.equal(evaluate('falling_factorial', real(-1), most).value, Number.NEGATIVE_INFINITY);
  assert.equal(evaluate('rising_factorial', real(3), most).value, Number.POSITIVE_INFINITY);
  assert.equal(evaluate('rising_factorial', real(-0.5), most).value, Number.NEGATIVE_INFINITY);
  assert.equal(evaluate('rising_factorial', real(-1000), most).value, 0);
  assert.equal(evaluate('rising_factorial', int(-2), most).value, 0);
  assert.equal(evaluate('falling_factorial', real(200), int(300)).value, 0);
});

test('functions of the beta family at shapes of 0, as in Stan', () => {
  assert.equal(evaluate('lbeta', real(0), real(0)).value, Number.POSITIVE_INFINITY);
  assert.equal(evaluate('inc_beta', real(0), real(2), real(0.5)).value, 1);
  assert.equal(evaluate('inc_beta', real(2), real(0), real(0.5)).value, 0);
});

test('ints divide without fraction, and not by zero', () => {
  assert.equal(evaluate('divide', int(-7), int(2)).value, -3);
  assert.throws(() => evaluate('modulus', int(1), int(0)), new Stopped('modulus: divisor is 0'));
});

test('an argument outside of the domain stops, not a number passes', () => {
  assert.throws(() => evaluate('log1m', real(1.5)), {
    message: 'log1m: x is 1.5, but must be less than or equal to 1.000000',
  });
  assert.ok(Number.isNaN(evaluate('log1m', real(Number.NaN)).value));
});

test('binomial coefficients: zero where nothing can be chosen', () => {
  assert.equal(evaluate('choose', int(5), int(2)).value, 10);
  assert.equal(evaluate('choose', int(2), int(5)).value, 0);
  assert.equal(evaluate('choose', int(33), int(16)).value, 1166803110);
});
