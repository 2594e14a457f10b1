import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { numbers } from './arena.js';
import { arena, kernel } from './linear.js';

beforeEach(() => arena.reset());

interface Form {
  readonly value: number;
  readonly slopes: readonly number[];
}

/** Σ (a' x)² over the rows a and its derivatives with respect to x, from the factor of their moments. */
function byFactor(rows: readonly (readonly number[])[], x: readonly number[]): Form {
  const n = x.length;
  const even = n + (n % 2);
  const moments = arena.write(new Array<number>(2 * n * even).fill(0));
  const factor = arena.write(new Array<number>((even + 3) * even).fill(0));
  const largest = arena.write(new Array<number>(n).fill(0));
  for (const row of rows) {
    const at = arena.write(row);
    kernel('moments_add')(moments, moments, at, 1, n);
    kernel('largest_add')(largest, largest, at, n);
  }
  assert.equal(kernel('residual_factor')(factor, moments, factor, moments, n), 1);
  // Memory after the quantities and slopes is neither read nor written.
  const quantities = arena.write([...x, Number.NaN]);
  const [form, slopes] = [arena.doubles(3), arena.write(new Array<number>(n + 1).fill(7))];
  kernel('residual_form')(form, slopes, factor, largest, quantities, n);
  const written = [...arena.view(slopes, n + 1)];
  assert.equal(written.pop(), 7);
  const [value, error, bound] = arena.view(form, 3);
  const greatest = x.map((own, k) => Math.abs(own) * Math.max(...rows.map((row) => Math.abs(row[k]))));
  assert.ok(Math.abs(bound - greatest.reduce((a, b) => a + b)) <= 1e-14 * bound);
  assert.ok(error >= 0 && error < 1e4 * value);
  return { value, slopes: written };
}

/** The same, computed from the rows, with the scale for the slopes' errors. */
function byRows(
  rows: readonly (readonly number[])[],
  x: readonly number[],
): Form & { readonly scales: readonly number[] } {
  const residuals = rows.map((row) => row.reduce((sum, a, k) => sum + a * x[k], 0));
  const norm = Math.hypot(...residuals);
  return {
    value: norm * norm,
    slopes: x.map((_, k) => 2 * rows.reduce((sum, row, i) => sum + residuals[i] * row[k], 0)),
    scales: x.map((_, k) => 2 * norm * Math.hypot(...rows.map((row) => row[k]))),
  };
}

function compare(rows: readonly (readonly number[])[], x: readonly number[], tolerance: number): void {
  const [actual, expected] = [byFactor(rows, x), byRows(rows, x)];
  assert.ok(Math.abs(actual.value - expected.value) <= tolerance * expected.value, `${actual.value}`);
  actual.slopes.forEach((slope, k) => {
    assert.ok(Math.abs(slope - expected.slopes[k]) <= tolerance * expected.scales[k], `slope ${k + 1}: ${slope}`);
  });
}

describe('sums of squares by a triangular factor', () => {
  for (let n = 1; n <= 9; n++) {
    it(`of ${n} columns`, () => {
      const next = numbers(n);
      const rows = Array.from({ length: 20 }, () => Array.from({ length: n }, next));
      for (let k = 0; k < 5; k++) compare(rows, Array.from({ length: n }, next), 1e-13);
    });
  }
  for (const mean of [10, 1e3, 1e5]) {
    it(`of columns with a mean of ${mean} times the spread, at the mean and away from it`, () => {
      const next = numbers(4);
      const rows = Array.from({ length: 30 }, () => [1, mean + next(), mean + next(), 2 * mean + next()]);
      compare(rows, [0.5, 1, 1, -1], 1e-14 * mean + 1e-13);
      compare(rows, [0.5, 1, 0.25, -0.125], 1e-13);
    });
  }
  it('of columns that are 0 or equal', () => {
    const next = numbers(9);
    const rows = Array.from({ length: 12 }, () => {
      const own = next();
      return [own, 0, own, 1];
    });
    compare(rows, [0.5, 3, 0.25, 1], 1e-13);
  });
});
