import type { Builder } from '../../ir/builder.js';
import { add, exp, int, log, mul, sub, ZERO } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { applyOp } from '../../ir/ops.js';
import type { ReadableSlice, Slice } from './constraint.js';

/** The position of an element of a matrix in memory. */
export const at = (i: Expr, j: Expr, rows: Expr): Expr => add(mul(j, rows), i);

export const next = (i: Expr): Expr => add(i, int(1));

/** k (k − 1) / 2 */
export function pairs(k: Expr): Expr {
  return applyOp('div_int', mul(k, sub(k, int(1))), int(2));
}

/**
 * Runs over the elements of a lower triangle row by row, followed by the full rows below it: free elements below the diagonal, free
 * elements on the diagonal, and zeros above it.
 */
function eachTriangular(
  builder: Builder,
  [rows, columns]: readonly Expr[],
  below: (place: Expr, free: Expr) => void,
  diagonal: (row: Expr, place: Expr, free: Expr) => void,
  above: (place: Expr) => void,
): void {
  builder.each(columns, (i) => {
    const start = builder.bind(pairs(next(i)), 'start');
    builder.each(i, (j) => below(at(i, j, rows), add(start, j)));
    diagonal(i, at(i, i, rows), add(start, i));
    builder.for(next(i), columns, (j) => above(at(i, j, rows)));
  });
  if (rows === columns) return;
  builder.for(columns, rows, (i) => {
    const start = builder.bind(add(pairs(next(columns)), mul(sub(i, columns), columns)), 'start');
    builder.each(columns, (j) => below(at(i, j, rows), add(start, j)));
  });
}

/** Writes a lower triangle whose diagonal is the exponential of free values, which `diagonal` receives. */
export function expandTriangle(
  builder: Builder,
  sizes: readonly Expr[],
  free: ReadableSlice,
  out: Slice,
  diagonal: (row: Expr, logValue: Expr) => void,
): void {
  eachTriangular(
    builder,
    sizes,
    (place, k) => out.write(place, free.read(k)),
    (row, place, k) => {
      const x = builder.bind(free.read(k), 'x');
      out.write(place, exp(x));
      diagonal(row, x);
    },
    (place) => out.write(place, ZERO),
  );
}

/** The inverse of `expandTriangle`. */
export function contractTriangle(builder: Builder, sizes: readonly Expr[], value: ReadableSlice, out: Slice): void {
  eachTriangular(
    builder,
    sizes,
    (place, k) => out.write(k, value.read(place)),
    (_, place, k) => out.write(k, log(value.read(place))),
    () => {},
  );
}
