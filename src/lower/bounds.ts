import { and, compare, int } from '../ir/expressions.js';
import { ANY_INT, INT_MAX, type Interval, type Linear, linearOf } from '../ir/linear.js';
import type { Expr, Local } from '../ir/nodes.js';
import { sameExpression } from '../ir/same.js';
import type { IntRange } from './knowledge.js';
import type { Lowering } from './lowering.js';

/**
 * Whether x ≤ y + `more` follows from what is known of locals that keep their values. Proofs are about whole numbers: a sum
 * that may leave 32 bits, and so wrap, is nothing that is known. Nothing follows where the program is to keep every check.
 */
export function isAtMost(lowering: Lowering, x: Expr, y: Expr, more = 0): boolean {
  if (lowering.keepsChecks) return x.kind === 'const' && y.kind === 'const' && x.value <= y.value + more;
  const above = boundsOf(lowering, x, 'to');
  const below = boundsOf(lowering, y, 'from');
  return above.some((high) => below.some((low) => isStableGap(lowering, high, low, more)));
}

/** high ≤ low + `more` where both are numbers, or one stable expression plus numbers. */
function isStableGap(lowering: Lowering, high: Linear, low: Linear, more: number): boolean {
  if (high.offset > low.offset + more) return false;
  if (high.base === null || low.base === null) return high.base === low.base;
  return isStable(lowering, high.base) && sameExpression(high.base, low.base);
}

/** Sums that an int expression is at most (`to`) or at least (`from`), itself first. */
function boundsOf(lowering: Lowering, e: Expr, side: keyof IntRange): readonly Linear[] {
  const bounds: Linear[] = [];
  let rest: Expr | undefined = e;
  let distance = 0;
  while (rest !== undefined) {
    const { base, offset } = linearOf(rest, (inner) => intervalOf(lowering, inner));
    distance += offset;
    bounds.push({ base, offset: distance });
    if (base === null) return bounds;
    if (side === 'from' && isNonNegative(lowering, base)) bounds.push({ base: null, offset: distance });
    rest = rangeOf(lowering, base)?.[side];
  }
  return bounds;
}

/** The numbers between which an int expression certainly lies. */
function intervalOf(lowering: Lowering, e: Expr): Interval {
  const known = e.kind === 'get' ? lowering.known.intervals.get(e.local) : undefined;
  if (known !== undefined) return known;
  const lows = boundsOf(lowering, e, 'from').flatMap(({ base, offset }) => (base === null ? [offset] : []));
  // An int is at most the greatest one, so that what lies so far below another is less by as much.
  const highs = boundsOf(lowering, e, 'to').map(({ base, offset }) => (base === null ? offset : INT_MAX + offset));
  const interval = { low: Math.max(ANY_INT.low, ...lows), high: Math.min(ANY_INT.high, ...highs) };
  if (e.kind === 'get' && lowering.known.stable.has(e.local)) lowering.known.intervals.set(e.local, interval);
  return interval;
}

/** What is known of the values of an int expression. */
export function rangeOf(lowering: Lowering, e: Expr | null): IntRange | undefined {
  if (e?.kind === 'load') return lowering.known.elementRanges.get(e.ref);
  return e?.kind === 'get' ? lowering.known.ranges.get(e.local) : undefined;
}

function isNonNegative(lowering: Lowering, e: Expr): boolean {
  if (e.kind === 'size') return true;
  return e.kind === 'get' && lowering.known.nonNegative.has(e.local);
}

/** The expression has the same value wherever it is evaluated while its locals are in scope. */
function isStable(lowering: Lowering, e: Expr): boolean {
  switch (e.kind) {
    case 'const':
      return true;
    case 'get':
      return lowering.known.stable.has(e.local);
    case 'size':
      return !lowering.known.resizable.has(e.ref);
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
  lowering.known.ranges.set(variable, { from, to });
  lowering.known.stable.add(variable);
  return body();
}
