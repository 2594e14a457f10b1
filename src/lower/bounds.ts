import { add, and, compare, int } from '../ir/expressions.js';
import type { Expr, Local } from '../ir/nodes.js';
import { sameExpression } from '../ir/same.js';
import type { IntRange, Lowering } from './lowering.js';

/** base + offset, where the base may be missing. */
interface Linear {
  readonly base: Expr | null;
  readonly offset: number;
}

function linear(e: Expr): Linear {
  if (e.kind === 'const') return { base: null, offset: e.value };
  if (e.kind === 'apply' && e.op === 'add_int') {
    const last = e.args[1];
    if (last.kind === 'const') {
      const rest = linear(e.args[0]);
      return { base: rest.base, offset: rest.offset + last.value };
    }
  }
  return { base: e, offset: 0 };
}

/** Whether x ≤ y follows from what is known of locals that keep their values. */
export function isAtMost(lowering: Lowering, x: Expr, y: Expr): boolean {
  const a = linear(x);
  const b = linear(y);
  if (a.base === null && b.base === null) return a.offset <= b.offset;
  if (a.base !== null && b.base !== null && isStable(lowering, a.base) && sameExpression(a.base, b.base)) {
    return a.offset <= b.offset;
  }
  // x is a loop variable: at most the end of its range; y is one: at least the start.
  const upper = rangeOf(lowering, a.base)?.to;
  if (upper !== undefined && isAtMost(lowering, add(upper, int(a.offset)), y)) return true;
  const lower = rangeOf(lowering, b.base)?.from;
  if (lower !== undefined && isAtMost(lowering, x, add(lower, int(b.offset)))) return true;
  return a.base === null && b.base !== null && isNonNegative(lowering, b.base) && a.offset <= b.offset;
}

/** What is known of the values of an int expression. */
export function rangeOf(lowering: Lowering, e: Expr | null): IntRange | undefined {
  if (e?.kind === 'load') return lowering.elementRanges.get(e.ref);
  return e?.kind === 'get' ? lowering.ranges.get(e.local) : undefined;
}

function isNonNegative(lowering: Lowering, e: Expr): boolean {
  if (e.kind === 'size') return true;
  return e.kind === 'get' && lowering.nonNegative.has(e.local);
}

/** The expression has the same value wherever it is evaluated while its locals are in scope. */
function isStable(lowering: Lowering, e: Expr): boolean {
  switch (e.kind) {
    case 'const':
      return true;
    case 'get':
      return lowering.stable.has(e.local);
    case 'size':
      return true;
    case 'apply':
      return e.args.every((arg) => isStable(lowering, arg));
    default:
      return false;
  }
}

/** 1 ≤ index ≤ size, as far as that is not known already; null if all of it is. */
export function outOfRangeCondition(lowering: Lowering, index: Expr, size: Expr): Expr | null {
  const low = isAtMost(lowering, int(1), index) ? null : compare('ge', index, int(1));
  const high = isAtMost(lowering, index, size) ? null : compare('le', index, size);
  if (low === null) return high;
  return high === null ? low : and(low, high);
}

/** Stops with Stan's message unless 1 ≤ index ≤ size; `where` is like `vector[uni] indexing`. */
export function checkIndex(lowering: Lowering, index: Expr, size: Expr, where: string): void {
  const condition = outOfRangeCondition(lowering, index, size);
  if (condition === null) return;
  const { builder } = lowering;
  const start = `${where}: accessing element out of range. index {0} out of range;`;
  if (!isAtMost(lowering, int(1), size)) {
    builder.check(compare('ge', size, int(1)), `${start} container is empty and cannot be indexed`, [index], 'error');
  }
  builder.check(condition, `${start} expecting index to be between 1 and {1}`, [index, size], 'error');
}

/** A loop variable's range, for the elision of index checks. */
export function withRange<T>(lowering: Lowering, variable: Local, from: Expr, to: Expr, body: () => T): T {
  lowering.ranges.set(variable, { from, to });
  lowering.stable.add(variable);
  return body();
}
