import type { Builder } from '../../ir/builder.js';
import { abs, add, compare, div, get, int, mul, ONE, sqrt, sub, toReal, ZERO } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { ReadableSlice, Slice, StructuredConstraint, Subject } from './constraint.js';
import { inColumn, inRow, lastFirst, partOf, scratch } from './slices.js';
import { checkNotEmpty, checkSum } from './validity.js';

/** √(n (n + 1)) */
export function step(n: Expr): Expr {
  return sqrt(mul(n, add(n, ONE)));
}

/**
 * The orthonormal basis of the vectors that sum to zero (a Helmert matrix): element j of the image of y is
 * Σ_{i>j} w_i − j w_j with w_i = y_i / √(i (i + 1)). Source: Stan Reference Manual, "Zero sum vector" and "Unit simplex".
 */
export function expandSumToZero(builder: Builder, length: Expr, free: ReadableSlice, out: Slice): void {
  const total = builder.newLocal('real', 'sum_w');
  builder.assign(total, ZERO);
  const last = sub(length, int(1));
  builder.each(last, (k) => {
    const j = builder.bind(sub(last, k), 'j');
    const n = toReal(j);
    const w = builder.bind(mul(free.read(sub(j, int(1))), div(ONE, step(n))), 'w');
    out.write(j, sub(get(total), mul(n, w)));
    builder.assign(total, add(get(total), w));
  });
  out.write(int(0), get(total));
}

/** The inverse of `expandSumToZero`, computed from the last element to the second. The others determine the first one. */
function contractSumToZero(builder: Builder, length: Expr, value: ReadableSlice, out: Slice): void {
  const total = builder.newLocal('real', 'sum_w');
  builder.assign(total, ZERO);
  const last = sub(length, int(1));
  builder.each(last, (k) => {
    const j = builder.bind(sub(last, k), 'j');
    const n = toReal(j);
    const w = builder.bind(div(sub(get(total), value.read(j)), n), 'w');
    out.write(sub(j, int(1)), mul(w, step(n)));
    builder.assign(total, add(get(total), w));
  });
}

const INVERSE: Subject = { function: 'stan::math::sum_to_zero_free', name: ['sum_to_zero variable'] };

function checkSumToZero(builder: Builder, count: Expr, value: ReadableSlice, subject: Subject): void {
  checkNotEmpty(builder, count, subject);
  checkSum(builder, builder.sum(count, value.read), 0, subject, 'does not sum to zero.');
}

/** Subtracts the mean if rounding errors explain it. */
function correctSumToZero(builder: Builder, length: Expr, value: Slice, rounding: Expr): void {
  const total = builder.bind(builder.sum(length, value.read), 'total');
  const errors = mul(
    rounding,
    builder.sum(length, (i) => abs(value.read(i))),
  );
  builder.if(compare('le', abs(total), errors), () => {
    const mean = builder.bind(div(total, toReal(length)), 'mean');
    builder.each(length, (i) => value.write(i, sub(value.read(i), mean)));
  });
}

export const SUM_TO_ZERO_VECTOR: StructuredConstraint = {
  freeSizes: ([length]) => [sub(length, int(1))],
  constrain: (builder, [length], free, out) => expandSumToZero(builder, length, free, out),
  unconstrain: (builder, [length], value, out) => {
    checkSumToZero(builder, length, value, INVERSE);
    contractSumToZero(builder, length, value, out);
  },
  correct: (builder, [length], value, rounding) => correctSumToZero(builder, length, value, rounding),
  check: (builder, [length], value, subject) => checkSumToZero(builder, length, value, subject),
};

/**
 * A matrix whose rows and columns all sum to zero: the vector's basis applied to every column, then to every row. Stan's
 * matrix puts the first element of the vector's expansion last.
 */
export const SUM_TO_ZERO_MATRIX: StructuredConstraint = {
  freeSizes: ([rows, columns]) => [sub(rows, int(1)), sub(columns, int(1))],
  constrain: (builder, [rows, columns], free, out) => {
    const freeColumns = sub(columns, int(1));
    const tall = scratch(builder, [rows, freeColumns]);
    builder.each(freeColumns, (j) => {
      const column = partOf(tall, lastFirst(inColumn(j, rows), rows));
      expandSumToZero(builder, rows, partOf(free, inColumn(j, sub(rows, int(1)))), column);
    });
    builder.each(rows, (i) => {
      const row = partOf(out, lastFirst(inRow(i, rows), columns));
      expandSumToZero(builder, columns, partOf(tall, inRow(i, rows)), row);
    });
  },
  unconstrain: (builder, [rows, columns], value, out) => {
    checkSumToZero(builder, mul(rows, columns), value, INVERSE);
    const freeColumns = sub(columns, int(1));
    const tall = scratch(builder, [rows, freeColumns]);
    builder.each(rows, (i) => {
      const row = partOf(value, lastFirst(inRow(i, rows), columns));
      contractSumToZero(builder, columns, row, partOf(tall, inRow(i, rows)));
    });
    builder.each(freeColumns, (j) => {
      const column = partOf(tall, lastFirst(inColumn(j, rows), rows));
      contractSumToZero(builder, rows, column, partOf(out, inColumn(j, sub(rows, int(1)))));
    });
  },
  correct: (builder, [rows, columns], value, rounding) =>
    correctSumToZero(builder, mul(rows, columns), value, rounding),
  check: (builder, [rows, columns], value, subject) => checkSumToZero(builder, mul(rows, columns), value, subject),
};
