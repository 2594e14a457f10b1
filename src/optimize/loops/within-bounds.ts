import { count } from '../../ir/builder.js';
import { and, compare, int, select, size } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { withIndex } from '../../ir/remake.js';

type Load = Extract<Expr, { kind: 'load' }>;

/** Whether the index is one of the container's elements. */
export function isWithinBounds({ ref, index }: Load): Expr {
  const sizes = Array.from({ length: ref.rank }, (_, axis) => size(ref, axis));
  return and(compare('ge', index, int(0)), compare('lt', index, count(sizes)));
}

/** The load with index 0 if its index is outside of the container: memory at 0 is readable even if the container is empty. */
export function readableAnywhere(load: Load): Expr {
  return withIndex(load, select(isWithinBounds(load), load.index, int(0)));
}
