import { add, sub } from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';

/** For `place + e`, `e + place` and `place - e`, where `e` does not read the place: what is added. Null otherwise. */
export function incrementOf(
  value: Expr,
  isPlace: (e: Expr) => boolean,
): { readonly expr: Expr | null; readonly negative: boolean } | null {
  if (isPlace(value)) return { expr: null, negative: false };
  if (value.kind !== 'apply' || (value.op !== 'add' && value.op !== 'sub')) return null;
  const [left, right] = value.args;
  if (isPlace(left) && !reads(right, isPlace)) return { expr: right, negative: value.op === 'sub' };
  if (value.op === 'add') {
    if (isPlace(right) && !reads(left, isPlace)) return { expr: left, negative: false };
    // (place + a) + b
    const inner = incrementOf(left, isPlace);
    if (inner !== null && inner.expr !== null && !inner.negative && !reads(right, isPlace)) {
      return { expr: add(inner.expr, right), negative: false };
    }
    return null;
  }
  const inner = incrementOf(left, isPlace);
  if (inner !== null && inner.expr !== null && !inner.negative && !reads(right, isPlace)) {
    return { expr: sub(inner.expr, right), negative: false };
  }
  return null;
}

/** Whether the expression reads the place, or may: any load of a container counts where the place is one. */
function reads(e: Expr, isPlace: (e: Expr) => boolean, seen = new Set<Expr>()): boolean {
  if (seen.has(e)) return false;
  seen.add(e);
  if (isPlace(e)) return true;
  if (e.kind === 'apply') return e.args.some((argument) => reads(argument, isPlace, seen));
  if (e.kind === 'load') return reads(e.index, isPlace, seen);
  return false;
}
