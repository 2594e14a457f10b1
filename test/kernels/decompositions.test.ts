import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { add, at, identity, type Matrix, matrix, multiply, randomMatrix, transpose } from './arena.js';
import { arena, close, inner, kernel, put, slope } from './linear.js';

beforeEach(() => arena.reset());

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

describe('adjoints of decompositions against central differences', () => {
  it('eigenvalues and eigenvectors, for the symmetric part', () => {
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
    it(`${rows} × ${cols} of rank 7: orthonormal vectors nevertheless`, () => {
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
