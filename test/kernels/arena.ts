// Matrices in kernel memory with naive arithmetic, the reference for the linear algebra kernels.
import type { Loaded } from './load.js';

/** Column-major matrix outside kernel memory. */
export interface Matrix {
  rows: number;
  cols: number;
  values: Float64Array;
}

export function matrix(rows: number, cols: number, entry: (i: number, j: number) => number): Matrix {
  const values = new Float64Array(rows * cols);
  for (let j = 0; j < cols; j++) for (let i = 0; i < rows; i++) values[j * rows + i] = entry(i, j);
  return { rows, cols, values };
}

export function at(a: Matrix, i: number, j: number): number {
  return a.values[j * a.rows + i] ?? Number.NaN;
}

export function multiply(a: Matrix, b: Matrix): Matrix {
  return matrix(a.rows, b.cols, (i, j) => {
    let sum = 0;
    for (let k = 0; k < a.cols; k++) sum += at(a, i, k) * at(b, k, j);
    return sum;
  });
}

export function transpose(a: Matrix): Matrix {
  return matrix(a.cols, a.rows, (i, j) => at(a, j, i));
}

export function add(a: Matrix, b: Matrix, factor = 1): Matrix {
  return matrix(a.rows, a.cols, (i, j) => at(a, i, j) + factor * at(b, i, j));
}

export function lower(a: Matrix): Matrix {
  return matrix(a.rows, a.cols, (i, j) => (i >= j ? at(a, i, j) : 0));
}

export const identity = (n: number): Matrix => matrix(n, n, (i, j) => (i === j ? 1 : 0));

/** Numbers in (-1, 1) from a linear congruential generator: the same on every run. */
export function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (2 * state) / 4294967296 - 1;
  };
}

export function randomMatrix(rows: number, cols: number, seed: number): Matrix {
  const next = numbers(seed);
  return matrix(rows, cols, next);
}

/** A random symmetric positive definite matrix with condition number of about n. */
export function positiveDefinite(n: number, seed: number): Matrix {
  const a = randomMatrix(n, n, seed);
  const product = multiply(a, transpose(a));
  return matrix(n, n, (i, j) => at(product, i, j) / n + (i === j ? 1 : 0));
}

/** Lower triangular with a diagonal away from 0. */
export function lowerFactor(n: number, seed: number): Matrix {
  const a = randomMatrix(n, n, seed);
  return matrix(n, n, (i, j) => (i === j ? 2 + at(a, i, j) : i > j ? at(a, i, j) / Math.sqrt(n) : 0));
}

/** Largest difference of two matrices relative to the largest entry of the second. */
export function difference(a: Matrix, b: Matrix): number {
  let worst = 0;
  let size = 1e-300;
  b.values.forEach((value, k) => {
    size = Math.max(size, Math.abs(value));
    const gap = Math.abs((a.values[k] ?? Number.NaN) - value);
    worst = Number.isNaN(gap) ? Number.POSITIVE_INFINITY : Math.max(worst, gap);
  });
  return worst / size;
}

/** Allocates kernel memory from a base address; `reset` frees all of it. */
export class Arena {
  private next: number;
  private readonly memory: WebAssembly.Memory;
  private readonly base: number;

  constructor(loaded: Loaded, base = 131072) {
    this.memory = loaded.memory;
    this.base = base;
    this.next = base;
  }

  reset(): void {
    this.next = this.base;
  }

  bytes(count: number): number {
    const address = this.next;
    this.next += (count + 15) & ~15;
    const missing = this.next - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / 65536));
    return address;
  }

  doubles(count: number): number {
    return this.bytes(8 * count);
  }

  write(values: ArrayLike<number>): number {
    const address = this.doubles(values.length);
    this.view(address, values.length).set(values);
    return address;
  }

  writeInts(values: ArrayLike<number>): number {
    const address = this.bytes(4 * values.length);
    this.ints(address, values.length).set(values);
    return address;
  }

  view(address: number, count: number): Float64Array {
    return new Float64Array(this.memory.buffer, address, count);
  }

  ints(address: number, count: number): Int32Array {
    return new Int32Array(this.memory.buffer, address, count);
  }

  read(address: number, rows: number, cols: number): Matrix {
    return { rows, cols, values: this.view(address, rows * cols).slice() };
  }
}
