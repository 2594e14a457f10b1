import { wholly } from '../dataflow/bounds.js';
import { and, compare, int } from '../ir/expressions.js';
import type { Expr, Local } from '../ir/nodes.js';
import type { Lowering } from './lowering.js';

/** Whether x ≤ y + `more` is known. With `keepsChecks`, only comparisons of constants are known. */
export function isAtMost({ known, keepsChecks }: Lowering, x: Expr, y: Expr, more = 0): boolean {
  if (keepsChecks) return x.kind === 'const' && y.kind === 'const' && x.value <= y.value + more;
  return known.isAtMost(x, y, more);
}

/** The condition 1 ≤ index ≤ size, without the comparisons that are known to hold; null if nothing remains to be checked. */
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
  const template = `${where}: accessing element out of range. index {0} out of range; {1:range}`;
  lowering.builder.check(condition, template, [index, size], 'error');
}

/** Runs `write` while the range of a loop variable is known, so that index checks can be omitted. */
export function withRange<T>({ known }: Lowering, variable: Local, from: Expr, to: Expr, body: () => T): T {
  known.ranges.set(variable, { from: wholly(from), to: wholly(to) });
  known.stable.add(variable);
  return body();
}
