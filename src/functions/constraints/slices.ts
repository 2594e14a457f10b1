import { type Builder, pointer } from '../../ir/builder.js';
import { add, compare, int, load, mul, select, sub } from '../../ir/expressions.js';
import type { Expr, KernelArgument } from '../../ir/nodes.js';
import type { ReadableSlice, Slice } from './constraint.js';

export interface Scratch extends Slice {
  readonly address: KernelArgument;
}

/** Newly allocated memory. */
export function scratch(
  builder: Builder,
  sizes: readonly Expr[],
  name = 'scratch',
  fill: 'none' | 'zero' = 'none',
): Scratch {
  const ref = builder.allocate('real', sizes, name, fill);
  return { read: (i) => load(ref, i), write: (i, value) => builder.store(ref, i, value), address: pointer(ref) };
}

/** Maps the index of an element in a part to its index in the slice. */
export type Position = (i: Expr) => Expr;

export function inColumn(column: Expr, rows: Expr): Position {
  return (i) => add(mul(column, rows), i);
}

export function inRow(row: Expr, rows: Expr): Position {
  return (j) => add(mul(j, rows), row);
}

/** The last element of `part`, followed by its other elements in order. */
export function lastFirst(part: Position, length: Expr): Position {
  return (i) => part(select(compare('eq', i, int(0)), sub(length, int(1)), sub(i, int(1))));
}

/** A part of a slice. */
export function partOf(slice: Slice, position: Position): Slice;
export function partOf(slice: ReadableSlice, position: Position): ReadableSlice;
export function partOf(slice: Slice | ReadableSlice, position: Position): Slice | ReadableSlice {
  const read = (i: Expr): Expr => slice.read(position(i));
  return 'write' in slice ? { read, write: (i, value) => slice.write(position(i), value) } : { read };
}
