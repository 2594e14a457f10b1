import assert from 'node:assert/strict';
import { Arena, difference, type Matrix } from './arena.js';
import { loadKernels } from './load.js';

const loaded = loadKernels();

export const kernel = loaded.linear;
export const arena = new Arena(loaded);

/** Address of a copy of the matrix. */
export const put = (a: Matrix) => arena.write(a.values);

export function close(actual: Matrix, expected: Matrix, tolerance: number, what: string): void {
  const gap = difference(actual, expected);
  assert.ok(gap <= tolerance, `${what}: relative difference ${gap}`);
}

/** Σ weight · output of a kernel run with the matrix a perturbed by h at entry k, for central differences. */
export function slope(a: Matrix, k: number, value: (perturbed: Matrix) => number): number {
  const h = 1e-5;
  const shifted = [h, -h].map((step) => {
    const values = a.values.slice();
    values[k] = (values[k] ?? 0) + step;
    return value({ ...a, values });
  });
  return ((shifted[0] ?? 0) - (shifted[1] ?? 0)) / (2 * h);
}

/** Sum of the products of the elements. */
export const inner = (a: Matrix, b: Matrix) => a.values.reduce((sum, value, k) => sum + value * (b.values[k] ?? 0), 0);
