import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Stopped } from '../../test/support/evaluate.js';
import { evaluate, type Given, int, ints, matrix, real, vector } from '../../test/support/evaluated-call.js';
import { arrayOf, INT, sameType } from '../language/types.js';
import { ELEMENTWISE } from './elementwise.js';

test('a function of one number acts on every element', () => {
  assert.deepEqual(evaluate('square', vector(1, -2, 3)).value, [1, 4, 9]);
  assert.deepEqual(evaluate('abs', ints(1, -2)).value, [1, 2]);
  assert.deepEqual(evaluate('floor', matrix(2, 0.5, -0.5, 1.5, 2)).value, [0, -1, 1, 2]);
});

test('round goes away from zero at halves and is exact below them', () => {
  assert.deepEqual(evaluate('round', vector(0.5, -0.5, 2.5, 0.49999999999999994, -7.2)).value, [1, -1, 3, 0, -7]);
});

test('scalars are repeated for each element, containers must have the same shape', () => {
  assert.deepEqual(evaluate('fmax', vector(1, 5), real(3)).value, [3, 5]);
  assert.throws(() => evaluate('hypot', vector(3, 1), vector(4)), {
    message: 'Binary function: x (2, 1) and y (1, 1) must match in size',
  });
});

test('fmin and fmax return NaN only if both arguments are NaN', () => {
  assert.equal(evaluate('fmin', real(Number.NaN), real(2)).value, 2);
  assert.equal(evaluate('fmax', real(1), real(Number.NaN)).value, 1);
});

const LEAST = -(2 ** 31);

/** A 1 × 1 array of ints. */
const nested = (n: number): Given => ({ ...ints(n), type: arrayOf(arrayOf(INT)), sizes: [1, 1] });

/** The elements of the value, or the message of the error. */
function outcome(name: string, argument: Given): unknown {
  try {
    return [evaluate(name, argument).value].flat();
  } catch (error) {
    if (error instanceof Stopped) return error.message;
    throw error;
  }
}

const OF_INT_ARRAYS = ELEMENTWISE.filter(({ signatures }) =>
  signatures().some(({ parameters }) => parameters.length === 1 && sameType(parameters[0].type, arrayOf(INT))),
);

for (const { name } of OF_INT_ARRAYS) {
  test(`${name} of an array of ints is ${name} of each int`, () => {
    for (const n of [-3, -1, 0, 1, 2, 5, 40]) {
      const expected = outcome(name, int(n));
      assert.deepEqual(outcome(name, ints(n)), expected, `${name}({${n}})`);
      assert.deepEqual(outcome(name, nested(n)), expected, `${name}({{${n}}})`);
    }
  });
}

test('functions of ints and of arrays of ints do not truncate', () => {
  assert.ok(OF_INT_ARRAYS.length > 40, 'the functions of int arrays were found');
  assert.deepEqual(evaluate('log', ints(1, 2, 3)).value, [0, Math.LN2, Math.log(3)]);
  assert.deepEqual(evaluate('inv', ints(4, 0)).value, [0.25, Number.POSITIVE_INFINITY]);
  assert.deepEqual(evaluate('sqrt', nested(2)).value, [Math.SQRT2]);
  assert.equal(evaluate('sqrt', int(2)).value, Math.SQRT2);
});

test('a factorial outside the range of an int is the least int', () => {
  assert.equal(evaluate('rising_factorial', int(40), int(7)).value, LEAST);
  assert.equal(evaluate('falling_factorial', int(40), int(7)).value, LEAST);
  assert.equal(evaluate('rising_factorial', int(5), int(3)).value, 210);
});

test('a factorial of billions of factors is immediately 0 or infinite, as in Stan', () => {
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

test('ints divide without remainder, and not by zero', () => {
  assert.equal(evaluate('divide', int(-7), int(2)).value, -3);
  assert.throws(() => evaluate('modulus', int(1), int(0)), new Stopped('modulus: divisor is 0'));
});

test('an argument outside the domain is rejected, NaN passes', () => {
  assert.throws(() => evaluate('log1m', real(1.5)), {
    message: 'log1m: x is 1.5, but must be less than or equal to 1.000000',
  });
  assert.ok(Number.isNaN(evaluate('log1m', real(Number.NaN)).value));
});

test('binomial coefficients: zero if nothing can be chosen', () => {
  assert.equal(evaluate('choose', int(5), int(2)).value, 10);
  assert.equal(evaluate('choose', int(2), int(5)).value, 0);
  assert.equal(evaluate('choose', int(33), int(16)).value, 1166803110);
});
