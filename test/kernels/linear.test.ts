import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import {
  Arena,
  add,
  at,
  difference,
  identity,
  lower,
  lowerFactor,
  type Matrix,
  matrix,
  multiply,
  positiveDefinite,
  randomMatrix,
  transpose,
} from './arena.js';
import { loadKernels } from './load.js';

const loaded = loadKernels();
const kernel = loaded.linear;
const arena = new Arena(loaded);
const put = (a: Matrix) => arena.write(a.values);

function close(actual: Matrix, expected: Matrix, tolerance: number, what: string): void {
  const gap = difference(actual, expected);
  assert.ok(gap <= tolerance, `${what}: relative difference ${gap}`);
}

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

describe('QR and symmetric eigenvalues', () => {
  for (const [rows, cols] of [
    [1, 1],
    [4, 3],
    [3, 5],
    [40, 20],
  ] as const) {
    it(`QR of ${rows} × ${cols}: orthogonal, upper triangular, diagonal ≥ 0, thin and full`, () => {
      const a = randomMatrix(rows, cols, 24);
      const factors = arena.doubles(rows * cols + cols);
      for (const k of [rows, Math.min(rows, cols)]) {
        const qAddress = arena.doubles(rows * k);
        const rAddress = arena.doubles(k * cols);
        kernel('qr')(qAddress, rAddress, factors, put(a), rows, cols, k);
        const q = arena.read(qAddress, rows, k);
        const r = arena.read(rAddress, k, cols);
        close(multiply(q, r), a, 1e-14, 'product');
        close(multiply(transpose(q), q), identity(k), 1e-14, 'orthogonality');
        close(
          r,
          matrix(k, cols, (i, j) => (i < j ? at(r, i, j) : i === j ? Math.abs(at(r, i, j)) : 0)),
          0,
          'shape',
        );
      }
    });
  }
  for (const n of [1, 2, 3, 10, 60]) {
    it(`eigenvalues of ${n} × ${n}`, () => {
      const b = randomMatrix(n, n, 25);
      const a = add(b, transpose(b));
      const values = arena.doubles(n);
      const vectors = arena.doubles(n * n);
      assert.equal(kernel('eigen_symmetric')(values, vectors, put(a), arena.doubles(n * n + 3 * n), n), 0);
      const v = arena.read(vectors, n, n);
      const d = arena.read(values, n, 1);
      close(multiply(transpose(v), v), identity(n), 1e-13, 'orthogonality');
      close(
        multiply(a, v),
        matrix(n, n, (i, j) => at(v, i, j) * at(d, j, 0)),
        1e-13,
        'A V = V D',
      );
      for (let i = 1; i < n; i++) assert.ok(at(d, i, 0) >= at(d, i - 1, 0), 'ascending');
    });
  }
});

/** Σ weight · output of a kernel run with the matrix a perturbed by h at entry k, for central differences. */
function slope(a: Matrix, k: number, value: (perturbed: Matrix) => number): number {
  const h = 1e-5;
  const shifted = [h, -h].map((step) => {
    const values = a.values.slice();
    values[k] = (values[k] ?? 0) + step;
    return value({ ...a, values });
  });
  return ((shifted[0] ?? 0) - (shifted[1] ?? 0)) / (2 * h);
}

const inner = (a: Matrix, b: Matrix) => a.values.reduce((sum, value, k) => sum + value * (b.values[k] ?? 0), 0);

describe('adjoints of decompositions against central differences', () => {
  it('eigenvalues and eigenvectors: the symmetric part', () => {
    const n = 5;
    const b = randomMatrix(n, n, 26);
    const a = add(b, transpose(b));
    const weightValues = randomMatrix(n, 1, 27);
    const weightVectors = randomMatrix(n, n, 28);
    const [values, vectors, work] = [arena.doubles(n), arena.doubles(n * n), arena.doubles(n * n + 3 * n)];
    const run = (m: Matrix) => {
      kernel('eigen_symmetric')(values, vectors, put(m), work, n);
      return inner(arena.read(values, n, 1), weightValues) + inner(arena.read(vectors, n, n), weightVectors);
    };
    run(a);
    const start = randomMatrix(n, n, 29);
    const aAdj = put(start);
    const scratch = arena.doubles(2 * n * n);
    kernel('eigen_symmetric_adjoint')(aAdj, values, vectors, put(weightValues), put(weightVectors), scratch, n);
    const gradient = add(arena.read(aAdj, n, n), start, -1);
    // only the lower triangle is read: its derivative is the sum of both mirror entries
    for (let j = 0; j < n; j++) {
      for (let i = j; i < n; i++) {
        const expected = i === j ? at(gradient, i, i) : at(gradient, i, j) + at(gradient, j, i);
        assert.ok(Math.abs(slope(a, j * n + i, run) - expected) < 1e-7);
      }
    }
  });
  for (const [rows, cols] of [
    [5, 3],
    [4, 4],
    [3, 5],
  ] as const) {
    for (const k of [rows, Math.min(rows, cols)]) {
      it(`QR of ${rows} × ${cols}, ${k} columns in Q`, () => {
        const a = randomMatrix(rows, cols, 30);
        const weightQ = randomMatrix(rows, k, 31);
        const weightR = matrix(k, cols, (i, j) => (i <= j ? Math.sin(3 * i + j) : 0));
        const [q, r, factors] = [arena.doubles(rows * k), arena.doubles(k * cols), arena.doubles(rows * cols + cols)];
        const run = (m: Matrix) => {
          kernel('qr')(q, r, factors, put(m), rows, cols, k);
          return inner(arena.read(q, rows, k), weightQ) + inner(arena.read(r, k, cols), weightR);
        };
        run(a);
        const start = randomMatrix(rows, cols, 32);
        const aAdj = put(start);
        const scratch = arena.doubles(3 * (rows + 1) * (cols + k));
        kernel('qr_adjoint')(aAdj, q, factors, put(weightQ), put(weightR), scratch, rows, cols, k);
        const gradient = add(arena.read(aAdj, rows, cols), start, -1);
        a.values.forEach((_, index) => {
          assert.ok(Math.abs(slope(a, index, run) - (gradient.values[index] ?? 0)) < 1e-7);
        });
      });
    }
  }
  for (const [rows, cols] of [
    [5, 3],
    [4, 4],
    [3, 5],
  ] as const) {
    it(`singular values and vectors of ${rows} × ${cols}`, () => {
      const k = Math.min(rows, cols);
      const a = randomMatrix(rows, cols, 40);
      const [weightU, weightS, weightV] = [
        randomMatrix(rows, k, 41),
        randomMatrix(k, 1, 42),
        randomMatrix(cols, k, 43),
      ];
      const [u, s, v] = [arena.doubles(rows * k), arena.doubles(k), arena.doubles(cols * k)];
      const work = arena.doubles(rows * cols + 2 * k * k + 3 * k);
      const run = (m: Matrix) => {
        assert.equal(kernel('svd')(u, s, v, put(m), work, rows, cols), 0);
        const vectors = inner(arena.read(u, rows, k), weightU) + inner(arena.read(v, cols, k), weightV);
        return vectors + inner(arena.read(s, k, 1), weightS);
      };
      run(a);
      const left = arena.read(u, rows, k);
      const right = arena.read(v, cols, k);
      const values = arena.read(s, k, 1);
      close(multiply(transpose(left), left), identity(k), 1e-13, 'U');
      close(multiply(transpose(right), right), identity(k), 1e-13, 'V');
      const scaled = matrix(rows, k, (i, j) => at(left, i, j) * at(values, j, 0));
      close(multiply(scaled, transpose(right)), a, 1e-13, 'U S V');
      for (let i = 1; i < k; i++) assert.ok(at(values, i, 0) <= at(values, i - 1, 0), 'descending');
      const start = randomMatrix(rows, cols, 44);
      const aAdj = put(start);
      const scratch = arena.doubles(2 * k * k + (Math.max(rows, cols) + rows) * k);
      kernel('svd_adjoint')(aAdj, u, s, v, put(weightU), put(weightS), put(weightV), scratch, rows, cols);
      const gradient = add(arena.read(aAdj, rows, cols), start, -1);
      a.values.forEach((_, index) => {
        assert.ok(Math.abs(slope(a, index, run) - (gradient.values[index] ?? 0)) < 1e-6);
      });
    });
  }
});

describe('singular values', () => {
  const decompose = (a: Matrix, rows: number, cols: number) => {
    const k = Math.min(rows, cols);
    const [u, s, v] = [arena.doubles(rows * k), arena.doubles(k), arena.doubles(cols * k)];
    const work = arena.doubles(rows * cols + 2 * k * k + 3 * k);
    assert.equal(kernel('svd')(u, s, v, put(a), work, rows, cols), 0);
    return { u: arena.read(u, rows, k), s: arena.read(s, k, 1), v: arena.read(v, cols, k) };
  };
  for (const [rows, cols] of [
    [60, 40],
    [40, 40],
    [30, 70],
  ] as const) {
    it(`${rows} × ${cols} of rank 7: orthonormal vectors all the same`, () => {
      const a = multiply(randomMatrix(rows, 7, 51), randomMatrix(7, cols, 52));
      const { u, s, v } = decompose(a, rows, cols);
      const k = Math.min(rows, cols);
      close(multiply(transpose(u), u), identity(k), 1e-13, 'U');
      close(multiply(transpose(v), v), identity(k), 1e-13, 'V');
      const scaled = matrix(rows, k, (i, j) => at(u, i, j) * at(s, j, 0));
      close(multiply(scaled, transpose(v)), a, 1e-13, 'U S V');
    });
  }
  it('of a matrix with zero columns', () => {
    const a = matrix(4, 3, (i, j) => (j === 1 ? i + 1 : 0));
    const { u, s, v } = decompose(a, 4, 3);
    assert.deepEqual([...s.values].slice(1), [0, 0]);
    assert.ok(Math.abs(at(s, 0, 0) - Math.sqrt(30)) < 1e-14);
    close(multiply(transpose(u), u), identity(3), 1e-14, 'U');
    close(multiply(transpose(v), v), identity(3), 1e-14, 'V');
  });
});

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

describe('Moore-Penrose inverse', () => {
  const pseudo = (a: Matrix) => {
    const k = Math.min(a.rows, a.cols);
    const out = arena.doubles(a.rows * a.cols);
    const work = arena.doubles(a.rows * a.cols + k * (a.rows + a.cols + 2 * k + 4));
    kernel('generalized_inverse')(out, put(a), work, a.rows, a.cols);
    return arena.read(out, a.cols, a.rows);
  };
  for (const [rows, cols] of [
    [5, 3],
    [4, 4],
    [3, 5],
  ] as const) {
    it(`${rows} × ${cols}: its four equations and its adjoint`, () => {
      const a = randomMatrix(rows, cols, 56);
      const p = pseudo(a);
      const [left, right] = [multiply(a, p), multiply(p, a)];
      close(multiply(left, a), a, 1e-13, 'A P A');
      close(multiply(right, p), p, 1e-12, 'P A P');
      close(left, transpose(left), 1e-13, 'A P');
      close(right, transpose(right), 1e-13, 'P A');
      const weight = randomMatrix(cols, rows, 57);
      const start = randomMatrix(rows, cols, 58);
      const aAdj = put(start);
      const scratch = arena.doubles((rows + cols) * Math.max(rows, cols));
      kernel('generalized_inverse_adjoint')(aAdj, put(a), put(p), put(weight), scratch, rows, cols);
      const gradient = add(arena.read(aAdj, rows, cols), start, -1);
      const largest = Math.max(...gradient.values.map(Math.abs));
      a.values.forEach((_, k) => {
        const expected = slope(a, k, (m) => inner(pseudo(m), weight));
        assert.ok(Math.abs(expected - (gradient.values[k] ?? 0)) < 1e-6 * Math.max(1, largest));
      });
    });
  }
  it('of a singular matrix', () => {
    const a = matrix(3, 3, (i, j) => (i + 1) * (j + 1));
    close(
      pseudo(a),
      matrix(3, 3, (i, j) => ((i + 1) * (j + 1)) / 196),
      1e-14,
      'value',
    );
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

describe('covariance of a Gaussian process', () => {
  const [n, dim, alpha, scale] = [7, 3, 1.3, 0.8];
  const points = randomMatrix(dim, n, 33);
  const out = (x: Matrix, a: number, l: number) => {
    const address = arena.doubles(n * n);
    kernel('gp_exp_quad_cov')(address, put(x), n, dim, a, l);
    return arena.read(address, n, n);
  };
  it('has the values of its formula', () => {
    const expected = matrix(n, n, (i, j) => {
      let distance = 0;
      for (let d = 0; d < dim; d++) distance += (at(points, d, i) - at(points, d, j)) ** 2;
      return alpha ** 2 * Math.exp(-distance / (2 * scale ** 2));
    });
    close(out(points, alpha, scale), expected, 1e-15, 'covariance');
  });
  it('has its derivatives', () => {
    const weight = randomMatrix(n, n, 34);
    const covariance = put(out(points, alpha, scale));
    const [parameters, pointsAdj] = [arena.write([0, 0]), arena.doubles(n * dim)];
    arena.view(pointsAdj, n * dim).fill(0);
    const rest = [covariance, put(weight), put(points), n, dim, alpha, scale];
    kernel('gp_exp_quad_cov_adjoint')(parameters, pointsAdj, ...rest);
    const h = 1e-5;
    const [byAlpha, byScale] = arena.view(parameters, 2);
    const pull = arena.read(pointsAdj, dim, n);
    const value = (x: Matrix, a: number, l: number) => inner(out(x, a, l), weight);
    const difference = (f: (step: number) => number) => (f(h) - f(-h)) / (2 * h);
    assert.ok(Math.abs(difference((step) => value(points, alpha + step, scale)) - (byAlpha ?? 0)) < 1e-7);
    assert.ok(Math.abs(difference((step) => value(points, alpha, scale + step)) - (byScale ?? 0)) < 1e-7);
    points.values.forEach((_, k) => {
      const expected = slope(points, k, (x) => value(x, alpha, scale));
      assert.ok(Math.abs(expected - (pull.values[k] ?? 0)) < 1e-7);
    });
  });
});

describe('sorting', () => {
  const x = [3, -1, 3, 7.5, 0, -1, 12, 5, 5, -8];
  it('sorts numbers both ways', () => {
    const out = arena.doubles(x.length);
    kernel('sort_asc')(out, arena.write(x), x.length);
    assert.deepEqual(
      [...arena.view(out, x.length)],
      [...x].sort((a, b) => a - b),
    );
    kernel('sort_desc')(out, arena.write(x), x.length);
    assert.deepEqual(
      [...arena.view(out, x.length)],
      [...x].sort((a, b) => b - a),
    );
  });
  it('gives 1-based indices, ties in order of position', () => {
    const out = arena.bytes(4 * x.length);
    const up = x.map((_, i) => i).sort((a, b) => (x[a] ?? 0) - (x[b] ?? 0));
    const down = x.map((_, i) => i).sort((a, b) => (x[b] ?? 0) - (x[a] ?? 0));
    kernel('sort_indices_asc')(out, arena.write(x), x.length);
    assert.deepEqual(
      [...arena.ints(out, x.length)],
      up.map((i) => i + 1),
    );
    kernel('sort_indices_desc')(out, arena.write(x), x.length);
    assert.deepEqual(
      [...arena.ints(out, x.length)],
      down.map((i) => i + 1),
    );
  });
  it('sorts integers', () => {
    const k = x.map(Math.trunc);
    const out = arena.bytes(4 * k.length);
    kernel('sort_asc_int')(out, arena.writeInts(k), k.length);
    assert.deepEqual(
      [...arena.ints(out, k.length)],
      [...k].sort((a, b) => a - b),
    );
    kernel('sort_desc_int')(out, arena.writeInts(k), k.length);
    assert.deepEqual(
      [...arena.ints(out, k.length)],
      [...k].sort((a, b) => b - a),
    );
    kernel('sort_indices_desc_int')(out, arena.writeInts(k), k.length);
    const down = k.map((_, i) => i).sort((a, b) => (k[b] ?? 0) - (k[a] ?? 0));
    assert.deepEqual(
      [...arena.ints(out, k.length)],
      down.map((i) => i + 1),
    );
  });
});
