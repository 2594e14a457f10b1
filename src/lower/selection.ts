import type { Typed } from '../check/typed.js';
import { add, compare, int, mul, select, sub } from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import type { ContainerValue } from '../ir/value.js';
import { type Type, unwindArray } from '../language/types.js';
import type { Index } from '../syntax/ast.js';
import { checkIndex, isAtMost, outOfRangeCondition } from './bounds.js';

import { type IndexKind, indexPlace } from './index-messages.js';
import type { Lowering } from './lowering.js';
import { isRepeatable } from './values.js';

/** The elements of an axis that an index selects, counted from zero. */
export type Axis =
  | { readonly kind: 'fixed'; readonly index: Expr }
  /** `size` consecutive elements from `start`; `whole` if these are all elements. */
  | { readonly kind: 'range'; readonly start: Expr; readonly size: Expr; readonly whole: boolean }
  | { readonly kind: 'gather'; readonly size: Expr; readonly at: (i: Expr) => Expr };

/** The part of a container that indexes select: one entry for each axis of the container. */
export interface Selection {
  readonly axes: readonly Axis[];
  /** The type without the fixed axes, regardless of the container's elements. */
  readonly rest: Type;
}

export function wholeOf(sizes: readonly Expr[], type: Type): Selection {
  return { axes: sizes.map((size) => ({ kind: 'range', start: int(0), size, whole: true })), rest: type };
}

/** A local for an index that is read from memory, with its known range. */
function holdIndex(lowering: Lowering, e: Expr): Expr {
  const held = lowering.hold(e, 'index');
  const range = lowering.known.rangeOf(e);
  if (range !== undefined && held.kind === 'get') lowering.known.ranges.set(held.local, range);
  return held;
}

export interface EvaluatedIndex {
  readonly kind: IndexKind;
  readonly first: Expr | null;
  readonly last: Expr | null;
  readonly many: ContainerValue | null;
}

function evaluate(lowering: Lowering, index: Index<Typed>): EvaluatedIndex {
  const none = { first: null, last: null, many: null };
  const bound = (e: Expr): Expr => (isRepeatable(e) || e.kind === 'apply' ? e : holdIndex(lowering, e));
  switch (index.kind) {
    case 'all':
      return { ...none, kind: 'omni' };
    case 'from':
      return { ...none, kind: 'min', first: lowering.hold(lowering.scalar(index.lower), 'from') };
    case 'to':
      return { ...none, kind: 'max', last: lowering.hold(lowering.scalar(index.upper), 'to') };
    case 'between':
      return {
        ...none,
        kind: 'min_max',
        first: lowering.hold(lowering.scalar(index.lower), 'from'),
        last: lowering.hold(lowering.scalar(index.upper), 'to'),
      };
    case 'single': {
      const value = lowering.expression(index.index);
      if (value.kind === 'scalar') return { ...none, kind: 'uni', first: bound(value.value) };
      if (value.kind !== 'container') throw new Error('An index is an int or an array of ints');
      return { ...none, kind: 'multi', many: lowering.builder.materialize(value, 'indexes') };
    }
  }
}

/** The indexes of one bracket, evaluated once for all parts of a composite. */
export function evaluateIndices(lowering: Lowering, indices: readonly Index<Typed>[]): readonly EvaluatedIndex[] {
  return indices.map((index) => evaluate(lowering, index));
}

/**
 * Applies one bracket of indexes to the remaining axes of a container, with Stan's checks for reading or assigning; without checks if `use`
 * is null, because another part of the same composite has been checked.
 */
export function narrow(
  lowering: Lowering,
  selection: Selection,
  evaluated: readonly EvaluatedIndex[],
  use: 'read' | 'assign' | null,
): Selection {
  const axes = [...selection.axes];
  const open = axes.flatMap((axis, i) => (axis.kind === 'fixed' ? [] : [i]));
  const { depth } = unwindArray(selection.rest);
  evaluated.forEach((index, k) => {
    const axis = axes[open[k]];
    if (axis.kind === 'fixed') throw new Error('A fixed axis has no index');
    const inner = evaluated.slice(depth).map(({ kind }) => kind);
    const place =
      use === null
        ? null
        : k < depth
          ? indexPlace('array', [index.kind], 0, use)
          : indexPlace(elementKind(selection.rest), inner, k - depth, use);
    axes[open[k]] = pick(lowering, axis, index, place);
  });
  return {
    axes,
    rest: restOf(
      selection.rest,
      evaluated.map(({ kind }) => kind),
    ),
  };
}

function elementKind(type: Type): 'matrix' | 'vector' {
  return unwindArray(type).element.kind === 'matrix' ? 'matrix' : 'vector';
}

function restOf(type: Type, kinds: readonly IndexKind[]): Type {
  if (kinds.length === 0) return type;
  const [first, ...rest] = kinds;
  if (type.kind === 'array') {
    const element = restOf(type.element, rest);
    return first === 'uni' ? element : { kind: 'array', element };
  }
  if (type.kind === 'matrix') {
    const second = rest[0] ?? 'omni';
    if (first === 'uni') return { kind: second === 'uni' ? 'real' : 'row_vector' };
    return { kind: second === 'uni' ? 'vector' : 'matrix' };
  }
  return first === 'uni' ? { kind: 'real' } : type;
}

type OpenAxis = Exclude<Axis, { kind: 'fixed' }>;

function moved(axis: OpenAxis, i: Expr): Expr {
  return axis.kind === 'range' ? add(axis.start, i) : axis.at(i);
}

interface Places {
  readonly single: string;
  readonly low: string;
  readonly high: string;
}

function pick(lowering: Lowering, axis: OpenAxis, index: EvaluatedIndex, places: Places | null): Axis {
  const { builder } = lowering;
  const { first, last, many } = index;
  if (index.kind === 'omni') return axis;
  if (many !== null) {
    const { sizes } = many;
    if (places !== null && outOfRangeCondition(lowering, many.flat(int(0)), axis.size) !== null) {
      builder.each(sizes[0], (i) => checkIndex(lowering, holdIndex(lowering, many.flat(i)), axis.size, places.single));
    }
    return { kind: 'gather', size: sizes[0], at: (i) => moved(axis, sub(many.flat(i), int(1))) };
  }
  if (index.kind === 'uni' && first !== null) {
    if (places !== null) checkIndex(lowering, first, axis.size, places.single);
    return { kind: 'fixed', index: moved(axis, sub(first, int(1))) };
  }
  const from = first ?? int(1);
  const to = last ?? axis.size;
  if (places !== null) checkRange(lowering, index, axis.size, places);
  const start = sub(from, int(1));
  const length = sub(to, start);
  const size = isAtMost(lowering, from, to, 1)
    ? length
    : lowering.hold(select(compare('lt', to, from), int(0), length), 'size');
  const isWhole = axis.kind === 'range' && axis.whole && first === null && last === axis.size;
  if (axis.kind === 'gather') return { kind: 'gather', size, at: (i) => axis.at(add(start, i)) };
  return { kind: 'range', start: add(axis.start, start), size, whole: isWhole };
}

function checkRange(lowering: Lowering, { first, last }: EvaluatedIndex, size: Expr, places: Places): void {
  const { builder } = lowering;
  if (first !== null && last !== null) {
    const isKnown = isAtMost(lowering, int(1), first) && isAtMost(lowering, last, size);
    if (isKnown) return;
    const check = (): void => {
      checkIndex(lowering, first, size, places.low);
      checkIndex(lowering, last, size, places.high);
    };
    if (isAtMost(lowering, first, last)) check();
    else builder.if(compare('ge', last, first), check);
    return;
  }
  if (first !== null) checkIndex(lowering, first, size, places.low);
  if (last !== null && !isAtMost(lowering, last, size)) {
    builder.if(compare('gt', last, int(0)), () => checkIndex(lowering, last, size, places.high));
  }
}

/** The sizes of the selected part. */
export function selectedSizes(selection: Selection): readonly Expr[] {
  return selection.axes.flatMap((axis) => (axis.kind === 'fixed' ? [] : [axis.size]));
}

/** Maps indexes of the selected part to the container's indexes. */
export function sourceIndexes(selection: Selection, indexes: readonly Expr[]): Expr[] {
  let next = 0;
  return selection.axes.map((axis) => (axis.kind === 'fixed' ? axis.index : moved(axis, indexes[next++])));
}

/**
 * The position at which the selection starts if it is contiguous in memory: leading fixed axes, one range, then whole axes. Null otherwise.
 */
export function contiguousStart(type: Type, sizes: readonly Expr[], selection: Selection): Expr | null {
  const order = memoryOrder(type, sizes.length);
  let seenRange = false;
  const starts: Expr[] = new Array(sizes.length);
  for (const k of order) {
    const axis = selection.axes[k];
    if (axis.kind === 'gather' || (seenRange && !(axis.kind === 'range' && axis.whole))) return null;
    starts[k] = axis.kind === 'fixed' ? axis.index : axis.start;
    if (axis.kind === 'range') seenRange = true;
  }
  return order.reduce<Expr>((linear, k) => add(mul(linear, sizes[k]), starts[k]), int(0));
}

function memoryOrder(type: Type, rank: number): number[] {
  const axes = Array.from({ length: rank }, (_, k) => k);
  return unwindArray(type).element.kind === 'matrix' ? [...axes.slice(0, -2), rank - 1, rank - 2] : axes;
}
