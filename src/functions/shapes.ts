import type { Builder } from '../ir/builder.js';
import { container, count, lazyAt, lazyFlat } from '../ir/builder.js';
import { add, and, compare, int, mul, real, toReal } from '../ir/expressions.js';
import { INT_MAX } from '../ir/integers.js';
import type { Expr, Ref } from '../ir/nodes.js';
import type { ContainerValue, Value } from '../ir/value.js';
import { MATRIX, ROW_VECTOR, type Type, VECTOR } from '../language/types.js';
import { containerOf } from './broadcast.js';

/** A container in memory. */
export type Stored = ContainerValue & { readonly ref: Ref };

/** The container, stored in memory if its elements are not free to compute. For containers that are read more than once. */
export function reusable(builder: Builder, value: Value): ContainerValue {
  const c = containerOf(value);
  return c.ref === null && (c.costly || c.nested) ? builder.materialize(c) : c;
}

export function stored(builder: Builder, value: Value): Stored {
  return builder.materialize(containerOf(value));
}

export function length(value: ContainerValue): Expr {
  return count(value.sizes);
}

/** The number of rows of a vector (its length), a row vector (1) or a matrix. */
export function rowsOf(value: ContainerValue): Expr {
  return value.type.kind === 'row_vector' ? int(1) : value.sizes[0];
}

/** The number of columns of a vector (1), a row vector (its length) or a matrix. */
export function columnsOf(value: ContainerValue): Expr {
  return value.type.kind === 'matrix' ? value.sizes[1] : value.type.kind === 'row_vector' ? value.sizes[0] : int(1);
}

/** The product of sizes as a real, which does not wrap. */
function countAsReal(sizes: readonly Expr[]): Expr {
  return sizes.reduce((product, size) => mul(product, toReal(size)), real(1));
}

/**
 * Stops with an error if a value has more elements than the greatest int. Such a value cannot be stored, but parts of it could be computed
 * lazily. Called by functions whose results are larger than their arguments.
 */
export function checkCount(builder: Builder, name: string, sizes: readonly Expr[]): void {
  if (sizes.length < 2) return;
  const shape = sizes.map((_, axis) => `{${axis}}`).join(' x ');
  const fits = compare('le', countAsReal(sizes), real(INT_MAX));
  builder.check(fits, `${name}: ${shape} elements are more than the ${INT_MAX} that there may be`, sizes, 'error');
}

/** The sum of two sizes. Stops with an error if it exceeds the greatest int. */
export function joinedSize(builder: Builder, name: string, a: Expr, b: Expr): Expr {
  const sum = add(a, b);
  builder.check(
    compare('ge', sum, int(0)),
    `${name}: sizes {0} and {1} are together more than the ${INT_MAX} that there may be`,
    [a, b],
    'error',
  );
  return sum;
}

/** Reads a vector, row vector or matrix as a matrix. */
export function entry(value: ContainerValue, row: Expr, column: Expr): Expr {
  switch (value.type.kind) {
    case 'matrix':
      return value.at(row, column);
    case 'row_vector':
      return value.at(column);
    default:
      return value.at(row);
  }
}

/** A new container of reals, which a kernel or a loop writes. */
export function fresh(builder: Builder, type: Type, sizes: readonly Expr[], like: Value, name = 'm'): Stored {
  return container(type, like.level, builder.allocate('real', sizes, name));
}

export function vectorOf(sizeOf: Expr, from: Value, at: (i: Expr) => Expr, costly = false): ContainerValue {
  return lazyFlat(VECTOR, from.level, [sizeOf], at, costly);
}

export function rowVectorOf(sizeOf: Expr, from: Value, at: (i: Expr) => Expr, costly = false): ContainerValue {
  return lazyFlat(ROW_VECTOR, from.level, [sizeOf], at, costly);
}

export function matrixOf(
  rows: Expr,
  columns: Expr,
  from: Value,
  at: (i: Expr, j: Expr) => Expr,
  costly = false,
): ContainerValue {
  return lazyAt(MATRIX, from.level, [rows, columns], (i, j) => at(i, j), costly);
}

/** `NAME: Columns of A (2) and Rows of B (3) must match in size`. */
export function checkMatch(builder: Builder, name: string, first: string, a: Expr, second: string, b: Expr): void {
  if (a === b) return;
  builder.check(compare('eq', a, b), `${name}: ${first} ({0}) and ${second} ({1}) must match in size`, [a, b], 'error');
}

/**
 * Checks 1 ≤ index ≤ upper, with the message of Stan's `check_range`. `what` is the end of the message, which may show a bound other than
 * the checked one.
 */
export function checkRange(
  builder: Builder,
  name: string,
  index: Expr,
  upper: Expr,
  what = '',
  shown: Expr = upper,
): void {
  const inside = and(compare('ge', index, int(1)), compare('le', index, upper));
  const template = `${name}: accessing element out of range. index {0} out of range; {1:range}${what}`;
  builder.check(inside, template, [index, shown], 'error');
}

export function checkSquare(builder: Builder, name: string, argument: string, value: ContainerValue): void {
  builder.check(
    compare('eq', value.sizes[0], value.sizes[1]),
    `${name}: Expecting a square matrix; rows of ${argument} ({0}) and columns of ${argument} ({1}) must match in size`,
    value.sizes,
    'error',
  );
}

export function checkNotEmpty(builder: Builder, name: string, argument: string, total: Expr): void {
  builder.check(
    compare('gt', total, int(0)),
    `${name}: ${argument} has size 0, but must have a non-zero size`,
    [],
    'error',
  );
}

export function checkNonNegative(builder: Builder, name: string, argument: string, n: Expr): void {
  builder.check(compare('ge', n, int(0)), `${name}: ${argument} is {0}, but must be nonnegative!`, [n], 'error');
}
