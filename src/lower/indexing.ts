import type { Typed } from '../check/typed.js';
import { checkCount } from '../functions/shapes.js';
import { lazyAt, lazyFlat } from '../ir/builder.js';
import { composite } from '../ir/composite.js';
import { add } from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import type { ContainerValue, Value } from '../ir/value.js';
import { partsOf, type Type } from '../language/types.js';
import type { IndexedShape } from '../syntax/ast.js';

import type { Lowering } from './lowering.js';
import {
  contiguousStart,
  type EvaluatedIndex,
  evaluateIndices,
  narrow,
  type Selection,
  selectedSizes,
  sourceIndexes,
  wholeOf,
} from './selection.js';
import { scalarValue, windowOf } from './values.js';

/** Reads `x[…]`: an element, a view of the container's memory if the part is contiguous, or else elements that are computed on demand. */
export function readIndexed(lowering: Lowering, e: IndexedShape<Typed>, type: Type): Value {
  const source = lowering.expression(e.container);
  const parts = e.indices.every((index) => index.kind === 'single') ? source : stored(lowering, source);
  return pick(lowering, parts, evaluateIndices(lowering, e.indices), type, 'read');
}

/** Reads a slot of `x[…]`, one element of an array of tuples, without its other slots. */
export function readSlot(lowering: Lowering, e: IndexedShape<Typed>, type: Type, slot: number): Value {
  const source = lowering.expression(e.container);
  if (source.kind !== 'composite') throw new Error('Only a tuple has slots');
  const indices = evaluateIndices(lowering, e.indices);
  // All slots have the same sizes. The first one is checked.
  if (slot > 1) {
    const { sizes, type: first } = firstContainer(source);
    narrow(lowering, wholeOf(sizes, first), indices, 'read');
  }
  return pick(lowering, source.parts[slot - 1], indices, type, slot > 1 ? null : 'read');
}

function firstContainer(value: Value): ContainerValue {
  if (value.kind === 'composite') return firstContainer(value.parts[0]);
  if (value.kind === 'scalar') throw new Error('A scalar has no indexes');
  return value;
}

function stored(lowering: Lowering, value: Value): Value {
  if (value.kind === 'composite') return { ...value, parts: value.parts.map((part) => stored(lowering, part)) };
  if (value.kind === 'scalar' || value.ref !== null || !(value.costly || value.nested)) return value;
  return lowering.builder.materialize(value, 'indexed');
}

function pick(
  lowering: Lowering,
  source: Value,
  indices: readonly EvaluatedIndex[],
  type: Type,
  use: 'read' | null,
): Value {
  if (source.kind === 'scalar') throw new Error('A scalar has no indexes');
  if (source.kind === 'container') {
    return selected(lowering, source, narrow(lowering, wholeOf(source.sizes, source.type), indices, use), type);
  }
  const types = partsOf(type) ?? [];
  return composite(
    type,
    source.parts.map((part, i) => pick(lowering, part, indices, types[i], i === 0 ? use : null)),
  );
}

/** Element `i` of an array, or of a vector. */
export function elementAt(lowering: Lowering, source: Value, i: Expr, type: Type): Value {
  if (source.kind === 'scalar') throw new Error('A scalar has no elements');
  if (source.kind === 'container') {
    const { axes, rest } = wholeOf(source.sizes, source.type);
    return selected(lowering, source, { axes: [{ kind: 'fixed', index: i }, ...axes.slice(1)], rest }, type);
  }
  const types = partsOf(type) ?? [];
  return composite(
    type,
    source.parts.map((part, k) => elementAt(lowering, part, i, types[k])),
  );
}

/** The part of a container that a selection picks. */
export function selected(lowering: Lowering, source: ContainerValue, selection: Selection, type: Type): Value {
  const { axes } = selection;
  if (axes.every((axis) => axis.kind === 'fixed')) {
    return scalarValue(
      type,
      source.level,
      source.at(...axes.map((axis) => (axis.kind === 'fixed' ? axis.index : never()))),
    );
  }
  if (axes.every((axis) => axis.kind === 'range' && axis.whole)) return { ...source, type };
  const sizes = selectedSizes(selection);
  const start = contiguousStart(source.type, source.sizes, selection);
  if (start !== null && (source.ref !== null || !source.nested)) {
    const offset = lowering.hold(start, 'offset');
    if (source.ref !== null) return windowOf(lowering.builder, type, source.level, source.ref, offset, sizes);
    return lazyFlat(type, source.level, sizes, (i) => source.flat(add(offset, i)), source.costly);
  }
  // Indexes can repeat an element any number of times.
  if (axes.some(({ kind }) => kind === 'gather')) checkCount(lowering.builder, 'multi-index', sizes);
  const at = (...indexes: Expr[]): Expr => source.at(...sourceIndexes(selection, indexes));
  return lazyAt(type, source.level, sizes, at, source.costly);
}

function never(): never {
  throw new Error('Not a fixed axis');
}
