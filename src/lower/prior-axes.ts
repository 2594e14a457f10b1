/** The axes of a parameter over which its prior runs in loops, or at fixed indexes. */
import type { Typed, TypedExpression, Variable } from '../check/typed.js';
import { spanText } from '../source/span.js';
import type { SizedType } from '../syntax/ast.js';
import { type IndexRange, type Loop, type Outcome, outcomeOf } from './priors.js';

/** Indexes of an axis, from 1. */
export interface AxisRange {
  readonly axis: number;
  readonly from: number;
  /** The last index; null for the size of the axis. */
  readonly to: number | null;
}

export interface LoopedAxis extends AxisRange {
  /** The loop's variable; null for a fixed index. */
  readonly variable: Variable | null;
}

/** The axes of a parameter to which a prior applies. */
export interface PriorAxes {
  /** Those of the loops around it in their order, then those with fixed indexes. */
  readonly loops: readonly LoopedAxis[];
  /** Those of the outcome's value that have a range of indexes. */
  readonly slices: readonly AxisRange[];
}

/** The axes of a prior, or the reason why it does not apply to each element at most once. */
export function axesOf(
  { indexes, variable }: Outcome,
  loops: readonly Loop[],
  type: SizedType<Typed>,
  declared: (loop: Loop) => Variable,
): PriorAxes | { readonly problem: string } {
  const partial = { problem: 'its distribution applies to a part of it' };
  const incomplete = { problem: 'its elements do not all have the distribution' };
  if (indexes === undefined) return partial;
  const looped: LoopedAxis[] = [];
  for (const loop of loops) {
    const own = declared(loop);
    const axis = indexes.findIndex((index) => index?.kind === 'variable' && index.symbol === own);
    if (axis < 0) return { problem: 'its distribution is in a loop' };
    const range = rangeOf(loop, variable.name, type, axis);
    if (range === undefined) return incomplete;
    looped.push({ axis, variable: own, ...range });
  }
  const slices: AxisRange[] = [];
  for (const [axis, index] of indexes.entries()) {
    if (index === null || looped.some((each) => each.axis === axis)) continue;
    if (index.kind === 'range') {
      const range = rangeOf(index, variable.name, type, axis);
      if (range === undefined) return partial;
      slices.push({ axis, ...range });
      continue;
    }
    const at = literal(index);
    if (at === undefined) return incomplete;
    looped.push({ axis, variable: null, from: at, to: at });
  }
  // The elements of several axes are contiguous only if these are the last ones.
  const free = sizesOf(type).length - looped.length;
  const isContiguous = free <= 1 || (slices.length === 0 && looped.every(({ axis }) => axis < looped.length));
  const found = { loops: looped, slices };
  return isContiguous && [...looped, ...slices].filter(isPart).length <= 1 ? found : partial;
}

/** The axis of which a prior has only some indexes, if there is one. */
export function partialAxis({ loops, slices }: PriorAxes): AxisRange | undefined {
  return [...loops, ...slices].find(isPart);
}

function isPart({ from, to }: AxisRange): boolean {
  return from > 1 || to !== null;
}

/** The ranges of an axis outside of sorted, disjoint ranges. */
export function complement(axis: number, ranges: readonly AxisRange[]): readonly AxisRange[] {
  const found: AxisRange[] = [];
  let next: number | null = 1;
  for (const { from, to } of ranges) {
    if (next !== null && next < from) found.push({ axis, from: next, to: from - 1 });
    next = to === null ? null : to + 1;
  }
  return next === null ? found : [...found, { axis, from: next, to: null }];
}

export function overlap(a: AxisRange, b: AxisRange): boolean {
  return (a.to === null || b.from <= a.to) && (b.to === null || a.from <= b.to);
}

/**
 * The node of the parameter's name if a node reads the outcome's parameter at earlier indexes of the partial axis, such as `theta[t - 1]`,
 * `theta[i, t - 2]` in a loop over `i` and `t`, or `theta[1:(T - 1)]` if the outcome is `theta[2:T]`. These elements have values before.
 */
export function earlierRead(
  node: TypedExpression,
  { variable }: Outcome,
  axes: PriorAxes,
): TypedExpression | undefined {
  const current = partialAxis(axes);
  const read = node.kind === 'indexed' && current !== undefined ? outcomeOf(node) : undefined;
  if (read?.variable !== variable || read.indexes === undefined || current === undefined) return undefined;
  const { indexes } = read;
  const isSame = axes.loops.every(({ axis, variable: own }) => {
    const index = indexes[axis] ?? null;
    return axis === current.axis || (index?.kind === 'variable' && index.symbol === own);
  });
  const index = indexes[current.axis] ?? null;
  const loop = axes.loops.find(({ axis }) => axis === current.axis);
  const last = loop !== undefined && index?.kind === 'range' ? index.upper : index;
  const isEarlier =
    last?.kind === 'range'
      ? isBefore(last.lower, current.from, null)
      : last !== null && isBefore(last, current.from, loop?.variable ?? null);
  return isSame && isEarlier ? rootOf(node) : undefined;
}

/** Whether an index is before the first one of a range, or before a loop's variable. */
function isBefore(index: TypedExpression, from: number, loop: Variable | null): boolean {
  if (index.kind === 'parenthesis') return isBefore(index.inner, from, loop);
  const at = literal(index);
  if (at !== undefined) return at < from;
  if (index.kind !== 'binary' || index.operator !== '-' || index.left.kind !== 'variable') return false;
  return loop !== null && index.left.symbol === loop && (literal(index.right) ?? 0) > 0;
}

/**
 * The operands of an expression whose elements depend only on those of its operands at the same index, which are evaluated when they are
 * read; null for other expressions.
 */
export function elementwiseOperands(node: TypedExpression): readonly TypedExpression[] | null {
  if (node.kind === 'parenthesis') return [node.inner];
  if (node.kind === 'prefix' && node.operator === '-') return [node.operand];
  if (node.kind !== 'binary') return null;
  const { left, operator, right } = node;
  const isScalar = (each: TypedExpression): boolean => each.type.kind === 'real' || each.type.kind === 'int';
  const isElementwise =
    ['+', '-', '.*', './'].includes(operator) ||
    (operator === '*' && (isScalar(left) || isScalar(right))) ||
    (operator === '/' && isScalar(right));
  return isElementwise ? [left, right] : null;
}

function rootOf(node: TypedExpression): TypedExpression {
  if (node.kind === 'indexed') return rootOf(node.container);
  return node.kind === 'parenthesis' ? rootOf(node.inner) : node;
}

function literal(node: TypedExpression): number | undefined {
  return node.kind === 'int' ? Number(node.text) : undefined;
}

/** The sizes of all axes of a declared type. */
export function sizesOf(type: SizedType<Typed>): readonly TypedExpression[] {
  if (type.kind === 'array') return [...type.sizes, ...sizesOf(type.element)];
  if ('size' in type) return [type.size];
  return 'rows' in type ? [type.rows, type.columns] : [];
}

/** The indexes that a loop or a slice visits, as far as its text shows. */
function rangeOf(
  { lower, upper }: Pick<IndexRange, 'lower' | 'upper'>,
  name: string,
  type: SizedType<Typed>,
  axis: number,
): Pick<AxisRange, 'from' | 'to'> | undefined {
  const from = literal(lower);
  const all = [spanText(sizesOf(type)[axis].span), ...countsOf(type, axis).map((each) => `${each}(${name})`)];
  const to = upper === null || all.includes(spanText(upper.span)) ? null : literal(upper);
  return from === undefined || from < 1 || to === undefined ? undefined : { from, to };
}

/** Functions of a parameter of the type that return the size of an axis. */
function countsOf(type: SizedType<Typed>, axis: number): readonly string[] {
  if (type.kind === 'matrix') return [axis === 0 ? 'rows' : 'cols'];
  const all = sizesOf(type).length === 1 ? ['num_elements', 'rows', 'cols'] : [];
  return axis === 0 ? ['size', ...all] : all;
}
