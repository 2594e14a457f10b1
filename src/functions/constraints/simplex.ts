import type { Builder } from '../../ir/builder.js';
import {
  abs,
  add,
  call1,
  compare,
  div,
  exp,
  get,
  int,
  log,
  mul,
  ONE,
  real,
  select,
  sub,
  toReal,
  ZERO,
} from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { ensure, type MessagePart } from '../ensure.js';
import type { JacobianSink } from '../entry.js';
import type { ReadableSlice, Slice, StructuredConstraint, Subject } from './constraint.js';
import { inColumn, inRow, type Position, partOf, scratch } from './slices.js';
import { expandSumToZero, step } from './sum-to-zero.js';
import { checkNotEmpty, checkSum, say } from './validity.js';

/**
 * The isometric log-ratio transform: the softmax of the sum-to-zero expansion of y, with log Jacobian
 * Σ log x_j + ½ log K. Source: Stan Reference Manual, "Unit simplex".
 */
function constrainSimplex(
  builder: Builder,
  length: Expr,
  free: ReadableSlice,
  out: Slice,
  jacobian: JacobianSink | null,
): void {
  const z = scratch(builder, [length], 'z');
  expandSumToZero(builder, length, free, z);
  // An integer near the largest element keeps the exponentials finite and has no derivative.
  const largest = builder.newLocal('real', 'largest');
  builder.assign(largest, z.read(int(0)));
  builder.each(length, (i) =>
    builder.assign(largest, select(compare('gt', z.read(i), get(largest)), z.read(i), get(largest))),
  );
  const shift = builder.bind(call1('trunc', get(largest)), 'shift');
  const weights = scratch(builder, [length], 'weights');
  const total = builder.newLocal('real', 'total');
  builder.assign(total, ZERO);
  builder.each(length, (i) => {
    const weight = builder.bind(exp(sub(z.read(i), shift)), 'weight');
    weights.write(i, weight);
    builder.assign(total, add(get(total), weight));
  });
  const scale = builder.bind(div(ONE, get(total)), 'scale');
  builder.each(length, (i) => out.write(i, mul(weights.read(i), scale)));
  const count = toReal(length);
  jacobian?.(sub(mul(real(0.5), log(count)), mul(count, add(shift, log(get(total))))));
}

/** The coordinates of the logarithms in the orthonormal basis, which do not depend on the sum of the logarithms. */
function unconstrainSimplex(builder: Builder, length: Expr, value: ReadableSlice, out: Slice): void {
  checkSimplex(builder, length, value, { function: 'stan::math::simplex_free', name: ['Simplex variable'] });
  const total = builder.newLocal('real', 'cumulative');
  builder.assign(total, ZERO);
  builder.each(sub(length, int(1)), (i) => {
    const next = add(i, int(1));
    const n = toReal(next);
    builder.assign(total, add(get(total), log(value.read(i))));
    out.write(i, div(sub(get(total), mul(n, log(value.read(next)))), step(n)));
  });
}

function correctSimplex(builder: Builder, length: Expr, value: Slice, rounding: Expr): void {
  const total = builder.bind(builder.sum(length, value.read), 'total');
  builder.if(compare('le', abs(sub(total, ONE)), mul(rounding, total)), () => {
    const scale = builder.bind(div(ONE, total), 'scale');
    builder.each(length, (i) => value.write(i, mul(value.read(i), scale)));
  });
}

function checkSimplex(builder: Builder, length: Expr, value: ReadableSlice, subject: Subject): void {
  checkNotEmpty(builder, length, subject);
  checkSum(builder, builder.sum(length, value.read), 1, subject, 'is not a valid simplex.');
  builder.each(length, (i) =>
    checkNonnegative(builder, value.read(i), subject, 'is not a valid simplex.', ['[', add(i, int(1)), ']']),
  );
}

function checkNonnegative(
  builder: Builder,
  x: Expr,
  subject: Subject,
  what: string,
  place: readonly MessagePart[],
): void {
  const where = [` ${what} `, ...subject.name, ...place, ' = '];
  ensure(builder, compare('ge', x, ZERO), say(subject, ...where, x, ', but should be greater than or equal to 0'));
}

export const SIMPLEX: StructuredConstraint = {
  freeSizes: ([length]) => [sub(length, int(1))],
  constrain: (builder, [length], free, out, { jacobian }) => constrainSimplex(builder, length, free, out, jacobian),
  unconstrain: (builder, [length], value, out) => unconstrainSimplex(builder, length, value, out),
  correct: (builder, [length], value, rounding) => correctSimplex(builder, length, value, rounding),
  check: (builder, [length], value, subject) => checkSimplex(builder, length, value, subject),
};

function stochastic(by: 'row' | 'column'): StructuredConstraint {
  const isRow = by === 'row';
  const what = `is not a valid ${by} stochastic matrix.`;
  const inLine = (line: Expr, [rows]: readonly Expr[]): Position => (isRow ? inRow(line, rows) : inColumn(line, rows));
  const freeSizes = ([rows, columns]: readonly Expr[]): readonly Expr[] =>
    isRow ? [rows, sub(columns, int(1))] : [sub(rows, int(1)), columns];
  const lines = ([rows, columns]: readonly Expr[]): Expr => (isRow ? rows : columns);
  const length = ([rows, columns]: readonly Expr[]): Expr => (isRow ? columns : rows);
  const place = (line: Expr): MessagePart[] =>
    isRow ? ['[', add(line, int(1)), ',:]'] : ['[:, ', add(line, int(1)), ']'];
  return {
    freeSizes,
    constrain: (builder, sizes, free, out, { jacobian }) =>
      builder.each(lines(sizes), (k) => {
        const line = partOf(free, inLine(k, freeSizes(sizes)));
        constrainSimplex(builder, length(sizes), line, partOf(out, inLine(k, sizes)), jacobian);
      }),
    unconstrain: (builder, sizes, value, out) =>
      builder.each(lines(sizes), (k) => {
        const line = partOf(out, inLine(k, freeSizes(sizes)));
        unconstrainSimplex(builder, length(sizes), partOf(value, inLine(k, sizes)), line);
      }),
    correct: (builder, sizes, value, rounding) =>
      builder.each(lines(sizes), (k) =>
        correctSimplex(builder, length(sizes), partOf(value, inLine(k, sizes)), rounding),
      ),
    check: (builder, sizes, value, subject) => {
      checkNotEmpty(builder, mul(sizes[0], sizes[1]), subject);
      builder.each(lines(sizes), (k) => {
        const line = partOf(value, inLine(k, sizes));
        builder.each(length(sizes), (i) => {
          // Stan's message contains the row twice.
          const row = add(isRow ? k : i, int(1));
          checkNonnegative(builder, line.read(i), subject, what, ['[', row, ', ', row, ']']);
        });
        checkSum(builder, builder.sum(length(sizes), line.read), 1, subject, what, place(k));
      });
    },
  };
}

export const ROW_STOCHASTIC_MATRIX = stochastic('row');
export const COLUMN_STOCHASTIC_MATRIX = stochastic('column');
