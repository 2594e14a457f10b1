import type { Typed } from '../check/typed.js';
import { lazyAt, lazyFlat } from '../ir/builder.js';
import { add } from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import type { ContainerValue, Value } from '../ir/value.js';
import type { Type } from '../language/types.js';
import type { IndexedShape } from '../syntax/ast.js';
import { lowerExpression } from './expressions.js';
import type { Lowering } from './lowering.js';
import { contiguousStart, narrow, type Selection, selectedSizes, sourceIndexes, wholeOf } from './selection.js';
import { unsupported } from './unsupported.js';
import { scalarValue, windowOf } from './values.js';

/** `x[…]` read: an element, a window on the container's memory where the part is contiguous, else elements computed on demand. */
export function readIndexed(lowering: Lowering, e: IndexedShape<Typed>, type: Type): Value {
  let source = lowerExpression(lowering, e.container);
  if (source.kind !== 'container') return unsupported(e.span, 'Arrays of tuples are');
  if (source.ref === null && (source.costly || source.nested) && !e.indices.every((index) => index.kind === 'single')) {
    source = lowering.builder.materialize(source, 'indexed');
  }
  const selection = narrow(lowering, wholeOf(source.sizes, source.type), e.indices, 'read');
  return selected(lowering, source, selection, type);
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
  const at = (...indexes: Expr[]): Expr => source.at(...sourceIndexes(selection, indexes));
  return lazyAt(type, source.level, sizes, at, source.costly);
}

function never(): never {
  throw new Error('Not a fixed axis');
}
