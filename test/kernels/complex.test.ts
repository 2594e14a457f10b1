import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { Arena, at, type Matrix, matrix, numbers, randomMatrix } from './arena.js';
import { loadKernels } from './load.js';

const loaded = loadKernels();
const kernel = loaded.linear;
const arena = new Arena(loaded);

/** A complex matrix as its real and imaginary part. */
type Complex = readonly [Matrix, Matrix];

const put = (a: Matrix): number => arena.write(a.values);
const random = (rows: number, cols: number, seed: number): Complex => [
  randomMatrix(rows, cols, seed),
  randomMatrix(rows, cols, seed + 100),
];

function build(rows: number, cols: number, entry: (i: number, j: number) => readonly [number, number]): Complex {
  return [matrix(rows, cols, (i, j) => entry(i, j)[0]), matrix(rows, cols, (i, j) => entry(i, j)[1])];
}

const entryOf = ([re, im]: Complex, i: number, j: number): readonly [number, number] => [at(re, i, j), at(im, i, j)];
const diagonal = (re: Matrix, im: Matrix): Complex =>
  build(re.rows, re.rows, (i, j) => (i === j ? [at(re, i, 0), at(im, i, 0)] : [0, 0]));
const adjoint = (a: Complex): Complex =>
  build(a[0].cols, a[0].rows, (i, j) => [entryOf(a, j, i)[0], -entryOf(a, j, i)[1]]);
const identity = (n: number): Complex => build(n, n, (i, j) => [i === j ? 1 : 0, 0]);
const zeros = (rows: number, cols: number): Matrix => matrix(rows, cols, () => 0);

function times(a: Complex, b: Complex): Complex {
  return build(a[0].rows, b[0].cols, (i, j) => {
    let [re, im] = [0, 0];
    for (let k = 0; k < a[0].cols; k++) {
      const [x, y] = [entryOf(a, i, k), entryOf(b, k, j)];
      re += x[0] * y[0] - x[1] * y[1];
      im += x[0] * y[1] + x[1] * y[0];
    }
    return [re, im];
  });
}

function close(actual: Complex, expected: Complex, tolerance: number, what: string): void {
  for (const part of [0, 1] as const) {
    expected[part].values.forEach((value, k) => {
      const gap = Math.abs((actual[part].values[k] ?? Number.NaN) - value);
      assert.ok(gap <= tolerance, `${what}, entry ${k}: ${gap}`);
    });
  }
}

/** Memory for a result, and how to read it back. */
function room(rows: number, cols: number): { readonly at: readonly [number, number]; readonly read: () => Complex } {
  const places = [arena.doubles(rows * cols), arena.doubles(rows * cols)] as const;
  return { at: places, read: () => [arena.read(places[0], rows, cols), arena.read(places[1], rows, cols)] };
}

const work = (total: number): number => arena.doubles(total);

beforeEach(() => arena.reset());

describe('A V = V diag(λ) with columns of length 1', () => {
  for (const n of [1, 2, 3, 8, 30]) {
    it(`of a complex ${n} × ${n} matrix, by size`, () => {
      const a = random(n, n, n);
      const [values, vectors] = [room(n, 1), room(n, n)];
      const status = kernel('eigen_complex')(
        ...values.at,
        ...vectors.at,
        put(a[0]),
        put(a[1]),
        work(8 * n * n + 4 * n + 6),
        n,
      );
      assert.equal(status, 0);
      const [v, l] = [vectors.read(), values.read()];
      close(times(a, v), times(v, diagonal(...l)), 1e-12 * n, 'A V');
      const sizes = Array.from({ length: n }, (_, i) => Math.hypot(...entryOf(l, i, 0)));
      assert.deepEqual(
        sizes,
        sizes.toSorted((x, y) => x - y),
      );
      const [lengths] = times(adjoint(v), v);
      for (let j = 0; j < n; j++) assert.ok(Math.abs(at(lengths, j, j) - 1) < 1e-13);
    });
    it(`of a real ${n} × ${n} matrix, pairs together`, () => {
      const a = randomMatrix(n, n, 7 * n);
      const [values, vectors] = [room(n, 1), room(n, n)];
      assert.equal(kernel('eigen_real')(...values.at, ...vectors.at, put(a), work(4 * n * n + 2 * n + 6), n), 0);
      const [v, l] = [vectors.read(), values.read()];
      close(times([a, zeros(n, n)], v), times(v, diagonal(...l)), 1e-12 * n, 'A V');
      for (let i = 0; i < n; i++) {
        const [re, im] = entryOf(l, i, 0);
        if (im > 0) assert.deepEqual(entryOf(l, i + 1, 0), [re, -im]);
      }
    });
    it(`of a Hermitian ${n} × ${n} matrix, ascending, unitary`, () => {
      const half = random(n, n, 3 * n);
      const a = build(n, n, (i, j) => [
        entryOf(half, i, j)[0] + entryOf(half, j, i)[0],
        entryOf(half, i, j)[1] - entryOf(half, j, i)[1],
      ]);
      const [values, vectors] = [room(n, 1), room(n, n)];
      const memory = work(5 * n * n + 3 * n);
      assert.equal(kernel('eigen_hermitian')(...values.at, ...vectors.at, put(a[0]), put(a[1]), memory, n), 0);
      const [v, l] = [vectors.read(), values.read()];
      close(times(a, v), times(v, diagonal(...l)), 1e-12 * n, 'A V');
      close(times(adjoint(v), v), identity(n), 1e-13 * n, 'V* V');
      assert.deepEqual(
        l[0].values,
        l[0].values.toSorted((x, y) => x - y),
      );
    });
  }
});

describe('A = U T U*, T upper triangular', () => {
  for (const n of [1, 2, 3, 8, 30]) {
    it(`${n} × ${n}`, () => {
      const a = random(n, n, 11 * n);
      const [u, t] = [room(n, n), room(n, n)];
      const memory = work(4 * n * n + 2 * n + 6);
      assert.equal(kernel('complex_schur')(...u.at, ...t.at, put(a[0]), put(a[1]), memory, n), 0);
      close(times(times(u.read(), t.read()), adjoint(u.read())), a, 1e-13 * n, 'U T U*');
      close(times(adjoint(u.read()), u.read()), identity(n), 1e-13 * n, 'U* U');
      for (let j = 0; j < n; j++) for (let i = j + 1; i < n; i++) assert.deepEqual(entryOf(t.read(), i, j), [0, 0]);
    });
  }
});

describe('A = U diag(s) V*, s descending', () => {
  for (const [rows, cols] of [
    [1, 1],
    [4, 4],
    [7, 3],
    [3, 7],
    [20, 12],
  ] as const) {
    it(`${rows} × ${cols}`, () => {
      const k = Math.min(rows, cols);
      const a = random(rows, cols, rows + 5 * cols);
      const [u, v, s] = [room(rows, k), room(cols, k), room(k, 1)];
      const memory = work(14 * Math.max(rows, cols) ** 2);
      kernel('complex_svd')(...u.at, s.at[0], ...v.at, put(a[0]), put(a[1]), memory, rows, cols);
      const values = s.read()[0];
      close(times(times(u.read(), diagonal(values, zeros(k, 1))), adjoint(v.read())), a, 1e-13 * rows, 'U S V*');
      close(times(adjoint(u.read()), u.read()), identity(k), 1e-13 * rows, 'U* U');
      close(times(adjoint(v.read()), v.read()), identity(k), 1e-13 * rows, 'V* V');
      assert.deepEqual(
        values.values,
        values.values.toSorted((x, y) => y - x),
      );
    });
  }
});

describe('the Fourier transform equals its sum', () => {
  for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 17, 30, 64, 97, 100, 1000]) {
    it(`of length ${n}, and the inverse undoes it`, () => {
      const next = numbers(n);
      const x = build(n, 1, () => [next(), next()]);
      const [forward, back] = [room(n, 1), room(n, 1)];
      const memory = work(28 * n);
      kernel('fft')(...forward.at, put(x[0]), put(x[1]), memory, n, 1, -1, 1);
      const sum = build(n, 1, (k) => {
        let [re, im] = [0, 0];
        for (let m = 0; m < n; m++) {
          const angle = (-2 * Math.PI * ((m * k) % n)) / n;
          const [a, b] = entryOf(x, m, 0);
          re += a * Math.cos(angle) - b * Math.sin(angle);
          im += a * Math.sin(angle) + b * Math.cos(angle);
        }
        return [re, im];
      });
      close(forward.read(), sum, 1e-14 * n, 'transform');
      kernel('fft')(...back.at, ...forward.at, memory, n, 1, 1, 1 / n);
      close(back.read(), x, 1e-14 * Math.log2(n + 1) + 1e-14, 'inverse');
    });
  }
});
