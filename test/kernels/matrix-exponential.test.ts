import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { add, at, identity, type Matrix, matrix, multiply, randomMatrix } from './arena.js';
import { arena, close, inner, kernel, put, slope } from './linear.js';

beforeEach(() => arena.reset());

describe('matrix exponential', () => {
  const exponential = (a: Matrix) => {
    const n = a.rows;
    const out = arena.doubles(n * n);
    kernel('matrix_exp')(out, put(a), arena.doubles(19 * n * n + n), n);
    return arena.read(out, n, n);
  };
  /** Σ (A / 2^s)^k / k!, squared s times. */
  const slow = (a: Matrix) => {
    const n = a.rows;
    const squarings = 12;
    const small = matrix(n, n, (i, j) => at(a, i, j) / 2 ** squarings);
    let sum = identity(n);
    let power = identity(n);
    for (let k = 1; k < 12; k++) {
      const next = multiply(power, small);
      power = matrix(n, n, (i, j) => at(next, i, j) / k);
      sum = add(sum, power);
    }
    for (let k = 0; k < squarings; k++) sum = multiply(sum, sum);
    return sum;
  };
  for (const [n, size] of [
    [1, 1],
    [2, 0.1],
    [3, 2],
    [5, 20],
    [40, 3],
  ] as const) {
    it(`${n} × ${n} with entries up to ${size}, and its adjoint`, () => {
      const random = randomMatrix(n, n, 53);
      const a = matrix(n, n, (i, j) => size * at(random, i, j));
      close(exponential(a), slow(a), 1e-10, 'value');
      if (n > 5) return;
      const weight = randomMatrix(n, n, 54);
      const start = randomMatrix(n, n, 55);
      const aAdj = put(start);
      kernel('matrix_exp_adjoint')(aAdj, put(a), put(weight), arena.doubles(22 * n * n + n), n);
      const gradient = add(arena.read(aAdj, n, n), start, -1);
      const largest = Math.max(...gradient.values.map(Math.abs));
      a.values.forEach((_, k) => {
        const expected = slope(a, k, (m) => inner(exponential(m), weight));
        assert.ok(Math.abs(expected - (gradient.values[k] ?? 0)) < 1e-7 * Math.max(1, largest));
      });
    });
  }
  it('of a nilpotent matrix is exact', () => {
    const a = matrix(3, 3, (i, j) => (j === i + 1 ? 2 : 0));
    close(
      exponential(a),
      matrix(3, 3, (i, j) => (j < i ? 0 : ([1, 2, 2][j - i] ?? 0))),
      1e-15,
      'value',
    );
  });
});
