import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { add, multiply, randomMatrix, transpose } from './arena.js';
import { arena, close, kernel, put } from './linear.js';

beforeEach(() => arena.reset());

describe('products equal the naive product', () => {
  const shapes = [
    [1, 1, 1],
    [2, 3, 4],
    [4, 4, 4],
    [5, 1, 7],
    [1, 9, 1],
    [7, 5, 3],
    [33, 40, 35],
    [37, 200, 6],
    [70, 3, 41],
  ] as const;
  for (const [m, k, n] of shapes) {
    it(`${m} × ${k} times ${k} × ${n}, plain, transposed and accumulating`, () => {
      const a = randomMatrix(m, k, 1);
      const b = randomMatrix(k, n, 2);
      const c = randomMatrix(m, n, 3);
      const product = multiply(a, b);
      const out = arena.doubles(m * n);
      kernel('gemm')(out, put(a), put(b), m, k, n);
      close(arena.read(out, m, n), product, 1e-14, 'gemm');
      const forms = [
        ['gemm_add', a, b],
        ['gemm_tn_add', transpose(a), b],
        ['gemm_nt_add', a, transpose(b)],
      ] as const;
      for (const [name, left, right] of forms) {
        const sum = put(c);
        kernel(name)(sum, put(left), put(right), m, k, n);
        close(arena.read(sum, m, n), add(c, product), 1e-14, name);
      }
    });
    it(`matrix ${m} × ${k} and vectors`, () => {
      const a = randomMatrix(m, k, 4);
      const x = randomMatrix(k, 1, 5);
      const y = randomMatrix(m, 1, 6);
      const out = arena.doubles(m);
      kernel('gemv')(out, put(a), put(x), m, k);
      close(arena.read(out, m, 1), multiply(a, x), 1e-14, 'gemv');
      const outT = arena.doubles(k);
      kernel('gemv_t')(outT, put(a), put(y), m, k);
      close(arena.read(outT, k, 1), multiply(transpose(a), y), 1e-14, 'gemv_t');
      const sum = put(y);
      kernel('gemv_add')(sum, put(a), put(x), m, k);
      close(arena.read(sum, m, 1), add(y, multiply(a, x)), 1e-14, 'gemv_add');
      const sumT = put(x);
      kernel('gemv_t_add')(sumT, put(a), put(y), m, k);
      close(arena.read(sumT, k, 1), add(x, multiply(transpose(a), y)), 1e-14, 'gemv_t_add');
      const rankOne = put(a);
      kernel('ger_add')(rankOne, put(y), put(x), m, k);
      close(arena.read(rankOne, m, k), add(a, multiply(y, transpose(x))), 1e-14, 'ger_add');
      const turned = arena.doubles(m * k);
      kernel('transpose')(turned, put(a), m, k);
      close(arena.read(turned, k, m), transpose(a), 0, 'transpose');
    });
  }

  it('crossproducts and their adjoints', () => {
    for (const [rows, cols] of [
      [3, 2],
      [40, 35],
      [6, 50],
    ] as const) {
      const a = randomMatrix(rows, cols, 7);
      const inner = multiply(transpose(a), a);
      const outer = multiply(a, transpose(a));
      const out = arena.doubles(cols * cols);
      kernel('crossprod')(out, put(a), rows, cols);
      close(arena.read(out, cols, cols), inner, 1e-14, 'crossprod');
      const outT = arena.doubles(rows * rows);
      kernel('tcrossprod')(outT, put(a), rows, cols);
      close(arena.read(outT, rows, rows), outer, 1e-14, 'tcrossprod');
      const s = randomMatrix(cols, cols, 8);
      const aAdj = put(a);
      kernel('crossprod_adjoint')(aAdj, put(a), put(s), rows, cols);
      close(arena.read(aAdj, rows, cols), add(a, multiply(a, add(s, transpose(s)))), 1e-14, 'crossprod_adjoint');
      const t = randomMatrix(rows, rows, 9);
      const aAdjT = put(a);
      kernel('tcrossprod_adjoint')(aAdjT, put(a), put(t), rows, cols);
      close(arena.read(aAdjT, rows, cols), add(a, multiply(add(t, transpose(t)), a)), 1e-14, 'tcrossprod_adjoint');
    }
  });
});

describe('vector kernels', () => {
  for (const n of [0, 1, 3, 4, 5, 17]) {
    it(`length ${n}`, () => {
      const x = randomMatrix(n, 1, 10);
      const y = randomMatrix(n, 1, 11);
      const inner = x.values.reduce((sum, value, i) => sum + value * (y.values[i] ?? 0), 0);
      assert.ok(Math.abs(kernel('dot')(put(x), put(y), n) - inner) < 1e-14);
      assert.ok(Math.abs(kernel('sum')(put(x), n) - x.values.reduce((sum, value) => sum + value, 0)) < 1e-14);
      const target = put(y);
      kernel('axpy')(target, 2.5, put(x), n);
      close(arena.read(target, n, 1), add(y, x, 2.5), 1e-15, 'axpy');
    });
  }
});
