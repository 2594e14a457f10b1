/** The axes of a parameter over which its prior runs in loops, or at fixed indexes. */
import type { Typed, TypedExpression, Variable } from '../check/typed.js';
import { spanText } from '../source/span.js';
import type { SizedType } from '../syntax/ast.js';
import { type Loop, type Outcome, outcomeOf } from './priors.js';

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

/**
 * The axes of an outcome that do not belong to its value: those of the loops around it in their order, then those with fixed indexes; or the
 * reason why the loops do not visit each element at most once.
 */
export function axesOf(
  { indexes, variable }: Outcome,
  loops: readonly Loop[],
  type: SizedType<Typed>,
  declared: (loop: Loop) => Variable,
): readonly LoopedAxis[] | { readonly problem: string } {
  const partial = { problem: 'its distribution applies to a part of it' };
  const incomplete = { problem: 'its elements do not all have the distribution' };
  if (indexes === undefined) return partial;
  const axes: LoopedAxis[] = [];
  for (const loop of loops) {
    const own = declared(loop);
    const axis = indexes.findIndex((index) => index?.kind === 'variable' && index.symbol === own);
    if (axis < 0) return { problem: 'its distribution is in a loop' };
    const range = rangeOf(loop, variable.name, type, axis);
    if (range === undefined) return incomplete;
    axes.push({ axis, variable: own, ...range });
  }
  for (const [axis, index] of indexes.entries()) {
    const at = index && literal(index);
    if (index === null || axes.some((each) => each.axis === axis)) continue;
    if (at === null || at === undefined) return incomplete;
    axes.push({ axis, variable: null, from: at, to: at });
  }
  // The elements of several axes are contiguous only if these are the last ones.
  const rank = sizesOf(type).length;
  const isContiguous = rank - axes.length <= 1 || axes.every(({ axis }) => axis < axes.length);
  return isContiguous && axes.filter(isPart).length <= 1 ? axes : partial;
}

export function isPart({ from, to }: AxisRange): boolean {
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
 * Whether a node reads the outcome's parameter at earlier indexes of the axis that a loop visits in part, such as `theta[t - 1]`, or
 * `theta[i, t - 2]` in a loop over `i` and `t`. These elements have values before. Returns the nodes of the parameter's name.
 */
export function earlierReads(
  node: TypedExpression,
  { variable }: Outcome,
  axes: readonly LoopedAxis[],
): readonly TypedExpression[] {
  const current = axes.find(isPart);
  const read = node.kind === 'indexed' && current !== undefined ? outcomeOf(node) : undefined;
  if (read?.variable !== variable || read.indexes === undefined) return [];
  const { indexes } = read;
  const isRead = axes.every((each) => {
    const index = indexes[each.axis] ?? null;
    if (index === null) return false;
    return each === current ? isEarlier(index, each) : index.kind === 'variable' && index.symbol === each.variable;
  });
  return isRead ? [rootOf(node)] : [];
}

function isEarlier(index: TypedExpression, axis: LoopedAxis): boolean {
  const { from, variable } = axis;
  if (index.kind === 'parenthesis') return isEarlier(index.inner, axis);
  const at = literal(index);
  if (at !== undefined) return at < from;
  if (index.kind !== 'binary' || index.operator !== '-' || index.left.kind !== 'variable') return false;
  return variable !== null && index.left.symbol === variable && (literal(index.right) ?? 0) > 0;
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

/** The indexes that a loop visits, as far as its text shows. */
function rangeOf(
  { lower, upper }: Loop,
  name: string,
  type: SizedType<Typed>,
  axis: number,
): Pick<AxisRange, 'from' | 'to'> | undefined {
  const from = literal(lower);
  const all = [spanText(sizesOf(type)[axis].span), ...countsOf(type, axis).map((each) => `${each}(${name})`)];
  const to = all.includes(spanText(upper.span)) ? null : literal(upper);
  return from === undefined || from < 1 || to === undefined ? undefined : { from, to };
}

/** Functions of a parameter of the type that return the size of an axis. */
function countsOf(type: SizedType<Typed>, axis: number): readonly string[] {
  if (type.kind === 'matrix') return [axis === 0 ? 'rows' : 'cols'];
  const all = sizesOf(type).length === 1 ? ['num_elements', 'rows', 'cols'] : [];
  return axis === 0 ? ['size', ...all] : all;
}
