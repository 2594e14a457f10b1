import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import {
  add,
  at,
  identity,
  lower,
  lowerFactor,
  matrix,
  multiply,
  positiveDefinite,
  randomMatrix,
  transpose,
} from './arena.js';
import { arena, close, kernel, put } from './linear.js';

beforeEach(() => arena.reset());

describe('triangular systems', () => {
  const forms = [
    { name: 'solve_lower', right: false, turned: false },
    { name: 'solve_lower_t', right: false, turned: true },
    { name: 'solve_right_lower', right: true, turned: false },
    { name: 'solve_right_lower_t', right: true, turned: true },
  ];
  for (const { name, right, turned } of forms) {
    for (const [n, m] of [
      [1, 1],
      [5, 1],
      [70, 1],
      [6, 4],
      [33, 7],
      [70, 41],
    ] as const) {
      it(`${name}: ${n} × ${n}, ${m} right-hand sides`, () => {
        const l = lowerFactor(n, 12);
        const factor = turned ? transpose(l) : l;
        const [rows, cols] = right ? [m, n] : [n, m];
        const x = randomMatrix(rows, cols, 13);
        const b = right ? multiply(x, factor) : multiply(factor, x);
        const out = put(b);
        if (right) kernel(name)(out, out, put(l), m, n);
        else kernel(name)(out, put(l), out, n, m);
        close(arena.read(out, rows, cols), x, 1e-12, name);
      });
      it(`${name}_adjoint: ${n} × ${n}, ${m} right-hand sides`, () => {
        const l = lowerFactor(n, 14);
        const [rows, cols] = right ? [m, n] : [n, m];
        const x = randomMatrix(rows, cols, 15);
        const xAdj = randomMatrix(rows, cols, 16);
        // W solves the transposed system for the adjoint
        const solve = kernel(turned ? name.replace('_t', '') : `${name}_t`);
        const w = arena.doubles(n * m);
        if (right) solve(w, put(xAdj), put(l), m, n);
        else solve(w, put(l), put(xAdj), n, m);
        const weight = arena.read(w, rows, cols);
        const full = right ? multiply(transpose(x), weight) : multiply(weight, transpose(x));
        const start = randomMatrix(n, n, 17);
        const expected = add(start, lower(turned ? transpose(full) : full), -1);
        const lAdj = put(start);
        const bAdj = put(x);
        const sizes = right ? [m, n] : [n, m];
        kernel(`${name}_adjoint`)(lAdj, bAdj, put(l), put(x), put(xAdj), arena.doubles(n * m), ...sizes);
        close(arena.read(lAdj, n, n), expected, 1e-12, 'L');
        close(arena.read(bAdj, rows, cols), add(x, weight), 1e-12, 'B');
      });
    }
  }
});

describe('Cholesky factor', () => {
  for (const n of [1, 2, 5, 32, 33, 70, 130]) {
    it(`n = ${n}: L L' = A, upper triangle 0`, () => {
      const a = positiveDefinite(n, 18);
      const out = put(a);
      assert.equal(kernel('cholesky')(out, out, n), 0);
      const l = arena.read(out, n, n);
      close(l, lower(l), 0, 'upper triangle');
      close(multiply(l, transpose(l)), a, 1e-13, 'product');
    });
    it(`n = ${n}: adjoint against the closed form`, () => {
      const a = positiveDefinite(n, 19);
      const out = arena.doubles(n * n);
      kernel('cholesky')(out, put(a), n);
      const l = arena.read(out, n, n);
      const adjoint = lower(randomMatrix(n, n, 20));
      // Murray 2016, eq. 10: S = L⁻ᵀ Φ(L' L̄) L⁻¹ with Φ halving the diagonal; gradient of the lower triangle S + S' with diagonal of S
      const inner = multiply(transpose(l), adjoint);
      const phi = matrix(n, n, (i, j) => (i > j ? at(inner, i, j) : i === j ? at(inner, i, j) / 2 : 0));
      const x = arena.doubles(n * n);
      kernel('solve_lower_t')(x, out, put(phi), n, n);
      kernel('solve_right_lower')(x, x, out, n, n);
      const s = arena.read(x, n, n);
      const start = randomMatrix(n, n, 21);
      const expected = matrix(n, n, (i, j) => {
        const gradient = i > j ? at(s, i, j) + at(s, j, i) : i === j ? at(s, i, j) : 0;
        return at(start, i, j) + gradient;
      });
      const aAdj = put(start);
      kernel('cholesky_adjoint')(aAdj, out, put(adjoint), arena.doubles(n * n), n);
      close(arena.read(aAdj, n, n), expected, 1e-11, 'gradient');
    });
  }
  it('names the first pivot that is not positive', () => {
    for (const [n, bad] of [
      [3, 2],
      [80, 1],
      [80, 40],
      [80, 80],
    ] as const) {
      const a = identity(n);
      a.values[(bad - 1) * (n + 1)] = -1;
      assert.equal(kernel('cholesky')(arena.doubles(n * n), put(a), n), bad);
      a.values[(bad - 1) * (n + 1)] = Number.NaN;
      assert.equal(kernel('cholesky')(arena.doubles(n * n), put(a), n), bad);
    }
  });
});

describe('LU', () => {
  for (const n of [1, 2, 3, 31, 70, 100]) {
    it(`n = ${n}: solves, transposed solves, inverse, determinant`, () => {
      const a = randomMatrix(n, n, 22);
      const x = randomMatrix(n, 3, 23);
      const factor = arena.doubles(n * n);
      const pivots = arena.bytes(4 * n);
      assert.notEqual(kernel('lu')(factor, pivots, put(a), n), 0);
      const out = arena.doubles(3 * n);
      kernel('lu_solve')(out, factor, pivots, put(multiply(a, x)), n, 3);
      close(arena.read(out, n, 3), x, 1e-10, 'lu_solve');
      kernel('lu_solve_t')(out, factor, pivots, put(multiply(transpose(a), x)), n, 3);
      close(arena.read(out, n, 3), x, 1e-10, 'lu_solve_t');
      const inverse = arena.doubles(n * n);
      const work = arena.doubles(n * n + n);
      kernel('inverse')(inverse, put(a), work, n);
      close(multiply(a, arena.read(inverse, n, n)), identity(n), 1e-10, 'inverse');
      const value = arena.doubles(1);
      const determinantBy = (name: string, matrixAddress: number) => {
        kernel(name)(value, work, pivots, matrixAddress, n);
        return arena.view(value, 1)[0] ?? Number.NaN;
      };
      const logDeterminant = determinantBy('log_abs_determinant', put(a));
      assert.ok(Math.abs(logDeterminant + determinantBy('log_abs_determinant', inverse)) < 1e-9);
      const determinant = determinantBy('determinant', put(a));
      assert.ok(Math.abs(Math.log(Math.abs(determinant)) - logDeterminant) < 1e-10);
      const start = randomMatrix(n, n, 50);
      const aAdj = put(start);
      kernel('determinant_adjoint')(aAdj, work, pivots, 0.5, arena.doubles(n * n), n);
      close(arena.read(aAdj, n, n), add(start, transpose(arena.read(inverse, n, n)), 0.5), 1e-10, 'adjoint');
    });
  }
  it('returns 0 for a singular matrix', () => {
    const a = matrix(4, 4, (i) => i + 1);
    assert.equal(kernel('lu')(arena.doubles(16), arena.bytes(16), put(a), 4), 0);
  });
});

describe('positive definite matrices', () => {
  for (const n of [1, 4, 70]) {
    it(`n = ${n}: solutions, inverse, determinant`, () => {
      const a = positiveDefinite(n, 59);
      const x = randomMatrix(n, 3, 60);
      const [out, factor] = [arena.doubles(3 * n), arena.doubles(n * n)];
      assert.equal(kernel('spd_solve')(out, factor, put(a), put(multiply(a, x)), n, 3), 0);
      close(arena.read(out, n, 3), x, 1e-12, 'spd_solve');
      const inverse = arena.doubles(n * n);
      assert.equal(kernel('inverse_spd')(inverse, put(a), factor, n), 0);
      const p = arena.read(inverse, n, n);
      close(multiply(a, p), identity(n), 1e-12, 'inverse_spd');
      close(p, transpose(p), 0, 'symmetry');
      const [value, general] = [arena.doubles(1), arena.doubles(1)];
      assert.equal(kernel('log_determinant_spd')(value, factor, put(a), n), 0);
      kernel('log_abs_determinant')(general, arena.doubles(n * n), arena.bytes(4 * n), put(a), n);
      close(arena.read(value, 1, 1), arena.read(general, 1, 1), 1e-12, 'log_determinant_spd');
      const start = randomMatrix(n, n, 61);
      const aAdj = put(start);
      kernel('log_determinant_spd_adjoint')(aAdj, factor, 0.5, arena.doubles(n * n), n);
      close(arena.read(aAdj, n, n), add(start, p, 0.5), 1e-12, 'adjoint');
    });
  }
  it('names the pivot that is not positive', () => {
    const a = matrix(2, 2, (i, j) => (i === j ? 1 : 2));
    assert.equal(kernel('inverse_spd')(arena.doubles(4), put(a), arena.doubles(4), 2), 2);
  });
});
