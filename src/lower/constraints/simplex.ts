import type { Builder } from '../../ir/builder.js';
import {
  abs,
  add,
  and,
  call1,
  compare,
  div,
  exp,
  get,
  int,
  load,
  log,
  mul,
  neg,
  ONE,
  real,
  select,
  sqrt,
  sub,
  toReal,
  ZERO,
} from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { ensure } from '../failure.js';
import { type JacobianSink, type Slice, type StructuredConstraint, type Subject, TOLERANCE } from './constraint.js';

/**
 * The orthonormal basis of the vectors that sum to zero (a Helmert matrix): element j of the image of y is
 * Σ_{i>j} w_i − j w_j with w_i = y_i / √(i (i + 1)). Source: Stan Reference Manual, "Zero sum vector" and "Unit simplex".
 */
export function expandSumToZero(builder: Builder, length: Expr, free: Slice, out: Slice): void {
  const total = builder.newLocal('real', 'sum_w');
  builder.assign(total, ZERO);
  const last = sub(length, int(1));
  builder.for(int(0), last, (k) => {
    const j = builder.bind(sub(last, k), 'j');
    const n = toReal(j);
    const w = builder.bind(mul(free.read(sub(j, int(1))), div(ONE, sqrt(mul(n, add(n, ONE))))), 'w');
    out.write(j, sub(get(total), mul(n, w)));
    builder.assign(total, add(get(total), w));
  });
  out.write(int(0), get(total));
}

/** The inverse of `expandSumToZero` up to a constant: coordinates of the part of z that sums to zero. */
export function contractSumToZero(builder: Builder, length: Expr, z: (i: Expr) => Expr, out: Slice): void {
  const total = builder.newLocal('real', 'cumulative');
  builder.assign(total, ZERO);
  builder.for(int(0), sub(length, int(1)), (i) => {
    builder.assign(total, add(get(total), z(i)));
    const n = toReal(add(i, int(1)));
    out.write(i, div(sub(get(total), mul(n, z(add(i, int(1))))), sqrt(mul(n, add(n, ONE)))));
  });
}

/**
 * The isometric log-ratio transform: the softmax of the sum-to-zero expansion of y, with log Jacobian
 * Σ log x_j + ½ log K. Source: Stan Reference Manual, "Unit simplex".
 */
export function constrainSimplex(
  builder: Builder,
  length: Expr,
  free: Slice,
  out: Slice,
  jacobian: JacobianSink | null,
): void {
  const z = scratch(builder, length, 'z');
  expandSumToZero(builder, length, free, z);
  // A whole number near the largest element keeps the exponentials finite, and no derivative passes through it.
  const largest = builder.newLocal('real', 'largest');
  builder.assign(largest, z.read(int(0)));
  builder.each(length, (i) =>
    builder.assign(largest, select(compare('gt', z.read(i), get(largest)), z.read(i), get(largest))),
  );
  const shift = builder.bind(call1('trunc', get(largest)), 'shift');
  const weights = scratch(builder, length, 'weights');
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

export function unconstrainSimplex(builder: Builder, length: Expr, value: Slice, out: Slice): void {
  contractSumToZero(builder, length, (i) => log(value.read(i)), out);
}

function checkNotEmpty(builder: Builder, count: Expr, { function: caller, name }: Subject): void {
  ensure(
    builder,
    compare('gt', count, int(0)),
    [`${caller}: `, ...name, ' has size 0, but must have a non-zero size'],
    'error',
  );
}

function checkSum(
  builder: Builder,
  total: Expr,
  expected: number,
  { function: caller, name }: Subject,
  what: string,
  place: readonly (string | Expr)[] = [],
): void {
  ensure(builder, compare('le', abs(sub(real(expected), total)), real(TOLERANCE)), [
    `${caller}: `,
    ...name,
    ` ${what} sum(`,
    ...name,
    ...place,
    ') = ',
    { value: total, format: '10' },
    `, but should be ${expected}`,
  ]);
}

export const SIMPLEX: StructuredConstraint = {
  freeSizes: ([length]) => [sub(length, int(1))],
  constrain: (builder, [length], free, out, jacobian) => constrainSimplex(builder, length, free, out, jacobian),
  unconstrain: (builder, [length], value, out) => unconstrainSimplex(builder, length, value, out),
  inverse: { function: 'stan::math::simplex_free', name: ['Simplex variable'] },
  check: (builder, [length], value, subject) => {
    checkNotEmpty(builder, length, subject);
    checkSum(builder, builder.sum(length, value.read), 1, subject, 'is not a valid simplex.');
    builder.each(length, (i) =>
      ensure(builder, compare('ge', value.read(i), ZERO), [
        `${subject.function}: `,
        ...subject.name,
        ' is not a valid simplex. ',
        ...subject.name,
        '[',
        add(i, int(1)),
        '] = ',
        value.read(i),
        ', but should be greater than or equal to 0',
      ]),
    );
  },
};

export const SUM_TO_ZERO_VECTOR: StructuredConstraint = {
  freeSizes: ([length]) => [sub(length, int(1))],
  constrain: (builder, [length], free, out) => expandSumToZero(builder, length, free, out),
  unconstrain: (builder, [length], value, out) => contractSumToZero(builder, length, value.read, out),
  inverse: { function: 'stan::math::sum_to_zero_free', name: ['sum_to_zero variable'] },
  check: (builder, [length], value, subject) => {
    checkNotEmpty(builder, length, subject);
    checkSum(builder, builder.sum(length, value.read), 0, subject, 'does not sum to zero.');
  },
};

/**
 * A matrix whose rows and columns all sum to zero: the vector's basis applied to every column, then to every row. Stan's
 * matrix puts the first element of the vector's expansion last.
 */
export const SUM_TO_ZERO_MATRIX: StructuredConstraint = {
  freeSizes: ([rows, columns]) => [sub(rows, int(1)), sub(columns, int(1))],
  constrain: (builder, [rows, columns], free, out) => {
    const tall = scratch(builder, mul(rows, sub(columns, int(1))));
    builder.for(int(0), sub(columns, int(1)), (j) =>
      expandSumToZero(
        builder,
        rows,
        offsetSlice(free, mul(j, sub(rows, int(1)))),
        firstLast(columnOf(tall, j, rows), rows),
      ),
    );
    builder.for(int(0), rows, (i) =>
      expandSumToZero(builder, columns, rowOf(tall, i, rows), firstLast(rowOf(out, i, rows), columns)),
    );
  },
  unconstrain: (builder, [rows, columns], value, out) => {
    const freeColumns = sub(columns, int(1));
    const wide = scratch(builder, mul(rows, freeColumns));
    builder.for(int(0), rows, (i) =>
      contractSumToZero(builder, columns, firstLast(rowOf(value, i, rows), columns).read, rowOf(wide, i, rows)),
    );
    builder.for(int(0), freeColumns, (j) =>
      contractSumToZero(
        builder,
        rows,
        firstLast(columnOf(wide, j, rows), rows).read,
        offsetSlice(out, mul(j, sub(rows, int(1)))),
      ),
    );
  },
  inverse: { function: 'stan::math::sum_to_zero_free', name: ['sum_to_zero variable'] },
  check: (builder, [rows, columns], value, subject) => {
    checkNotEmpty(builder, mul(rows, columns), subject);
    checkSum(builder, builder.sum(mul(rows, columns), value.read), 0, subject, 'does not sum to zero.');
  },
};

function scratch(builder: Builder, length: Expr, name = 'scratch'): Slice {
  const ref = builder.allocate('real', [length], name);
  return { read: (i) => load(ref, i), write: (i, value) => builder.store(ref, i, value) };
}

/** The slice with its last element counted first. */
function firstLast(slice: Slice, length: Expr): Slice {
  const shift = (i: Expr): Expr => select(compare('eq', i, int(0)), sub(length, int(1)), sub(i, int(1)));
  return { read: (i) => slice.read(shift(i)), write: (i, value) => slice.write(shift(i), value) };
}

function columnOf(slice: Slice, column: Expr, rows: Expr): Slice {
  return offsetSlice(slice, mul(column, rows));
}

/** The slice that starts `offset` elements later. */
export function offsetSlice(slice: Slice, offset: Expr): Slice {
  return {
    read: (i) => slice.read(add(offset, i)),
    write: (i, value) => slice.write(add(offset, i), value),
  };
}

function rowOf(slice: Slice, row: Expr, rows: Expr): Slice {
  return {
    read: (j) => slice.read(add(mul(j, rows), row)),
    write: (j, value) => slice.write(add(mul(j, rows), row), value),
  };
}

function stochastic(by: 'row' | 'column'): StructuredConstraint {
  const isRow = by === 'row';
  const lineOf = (slice: Slice, line: Expr, sizes: readonly Expr[]): Slice =>
    isRow ? rowOf(slice, line, sizes[0]) : offsetSlice(slice, mul(line, sizes[0]));
  const freeSizes = ([rows, columns]: readonly Expr[]): readonly Expr[] =>
    isRow ? [rows, sub(columns, int(1))] : [sub(rows, int(1)), columns];
  const lines = ([rows, columns]: readonly Expr[]): Expr => (isRow ? rows : columns);
  const length = ([rows, columns]: readonly Expr[]): Expr => (isRow ? columns : rows);
  const place = (line: Expr): (string | Expr)[] =>
    isRow ? ['[', add(line, int(1)), ',:]'] : ['[:, ', add(line, int(1)), ']'];
  return {
    freeSizes,
    constrain: (builder, sizes, free, out, jacobian) =>
      builder.for(int(0), lines(sizes), (k) =>
        constrainSimplex(builder, length(sizes), lineOf(free, k, freeSizes(sizes)), lineOf(out, k, sizes), jacobian),
      ),
    unconstrain: (builder, sizes, value, out) =>
      builder.for(int(0), lines(sizes), (k) =>
        unconstrainSimplex(builder, length(sizes), lineOf(value, k, sizes), lineOf(out, k, freeSizes(sizes))),
      ),
    inverse: { function: 'stan::math::simplex_free', name: ['Simplex variable'] },
    check: (builder, sizes, value, subject) => {
      checkNotEmpty(builder, mul(sizes[0], sizes[1]), subject);
      builder.for(int(0), lines(sizes), (k) => {
        const line = lineOf(value, k, sizes);
        builder.for(int(0), length(sizes), (i) =>
          ensure(builder, compare('ge', line.read(i), ZERO), [
            `${subject.function}: `,
            ...subject.name,
            ` is not a valid ${by} stochastic matrix. `,
            ...subject.name,
            '[',
            add(isRow ? k : i, int(1)),
            ', ',
            add(isRow ? i : k, int(1)),
            '] = ',
            line.read(i),
            ', but should be greater than or equal to 0',
          ]),
        );
        const total = builder.sum(length(sizes), line.read);
        checkSum(builder, total, 1, subject, `is not a valid ${by} stochastic matrix.`, place(k));
      });
    },
  };
}

export const ROW_STOCHASTIC_MATRIX = stochastic('row');
export const COLUMN_STOCHASTIC_MATRIX = stochastic('column');

/** A unit vector: y / ‖y‖, with the log density of a standard normal y as its Jacobian. */
export const UNIT_VECTOR: StructuredConstraint = {
  freeSizes: ([length]) => [length],
  constrain: (builder, [length], free, out, jacobian) => {
    const words = 'unit_vector_constrain: ';
    ensure(builder, compare('gt', length, int(0)), [`${words}y has size 0, but must have a non-zero size`], 'error');
    const norm = builder.sum(length, (i) => mul(free.read(i), free.read(i)));
    // Stan tests the norm only where it computes no derivatives.
    if (jacobian === null) {
      const isPositiveFinite = and(compare('gt', norm, ZERO), compare('lt', norm, real(Number.POSITIVE_INFINITY)));
      ensure(builder, isPositiveFinite, [`${words}norm is `, norm, ', but must be positive finite!']);
    }
    const scale = builder.bind(div(ONE, sqrt(norm)), 'scale');
    builder.each(length, (i) => out.write(i, mul(free.read(i), scale)));
    jacobian?.(neg(mul(real(0.5), norm)));
  },
  unconstrain: (builder, [length], value, out) => builder.each(length, (i) => out.write(i, value.read(i))),
  inverse: { function: 'stan::math::unit_vector_free', name: ['Unit vector variable'] },
  check: (builder, [length], value, subject) => {
    checkNotEmpty(builder, length, subject);
    const norm = builder.sum(length, (i) => mul(value.read(i), value.read(i)));
    ensure(builder, compare('le', abs(sub(ONE, norm)), real(TOLERANCE)), [
      `${subject.function}: `,
      ...subject.name,
      ' is not a valid unit vector. The sum of the squares of the elements should be 1, but is ',
      norm,
    ]);
  },
};
