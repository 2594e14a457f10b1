import type { Typed } from '../check/typed.js';
import { container, elementOf, levelOf } from '../ir/builder.js';
import { composite } from '../ir/composite.js';
import { add, compare, int, mul } from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import type { CompositeValue, ContainerValue, ScalarValue, Value } from '../ir/value.js';
import { partsOf, type Type } from '../language/types.js';
import type { CollectionShape } from '../syntax/ast.js';

import type { Lowering } from './lowering.js';
import { promoteValue, storedContainer } from './values.js';

/** `{a, b}` and `[a, b]`: the elements one after another in fresh memory. */
export function lowerCollection(lowering: Lowering, e: CollectionShape<Typed>, type: Type): Value {
  const elementType = elementTypeOf(type);
  const elements = e.elements.map((element) => promoteValue(lowering.expression(element), elementType));
  return collect(lowering, elements, type, e.kind === 'arrayLiteral');
}

function elementTypeOf(type: Type): Type {
  switch (type.kind) {
    case 'array':
      return type.element;
    case 'matrix':
      return { kind: 'row_vector' };
    case 'complex_matrix':
      return { kind: 'complex_row_vector' };
    case 'complex_vector':
    case 'complex_row_vector':
      return { kind: 'complex' };
    default:
      return { kind: 'real' };
  }
}

function collect(lowering: Lowering, elements: readonly Value[], type: Type, isArray: boolean): Value {
  const { builder } = lowering;
  const parts = partsOf(type);
  if (parts !== null) {
    const composites = elements.filter((element): element is CompositeValue => element.kind === 'composite');
    return composite(
      type,
      parts.map((part, k) =>
        collect(
          lowering,
          composites.map((element) => element.parts[k]),
          part,
          isArray,
        ),
      ),
    );
  }
  const length = int(elements.length);
  const containers = elements.filter((element): element is ContainerValue => element.kind === 'container');
  if (containers.length === 0) {
    const scalars = elements.filter((element): element is ScalarValue => element.kind === 'scalar');
    const ref = builder.allocate(elementOf(type), [length], 'literal');
    scalars.forEach((element, i) => {
      builder.store(ref, int(i), element.value);
    });
    if (scalars.length === 0) return container(type, 'data', ref);
    return storedContainer(type, levelOf(elements), ref, [length]);
  }
  const [first, ...others] = containers;
  const sizes = [length, ...first.sizes];
  for (const other of others) checkSameSize(lowering, first, other, isArray);
  const ref = builder.allocate(elementOf(type), sizes, 'literal');
  const stride = first.sizes.reduce(mul, int(1) as Expr);
  containers.forEach((element, i) => {
    if (isArray) builder.elements(element, (x, linear) => builder.store(ref, add(mul(int(i), stride), linear), x));
    else builder.elements(element, (x, linear) => builder.store(ref, add(mul(linear, length), int(i)), x));
  });
  return storedContainer(type, levelOf(elements), ref, sizes);
}

function checkSameSize(lowering: Lowering, first: ContainerValue, other: ContainerValue, isArray: boolean): void {
  const { builder } = lowering;
  first.sizes.forEach((size, axis) => {
    if (size === other.sizes[axis]) return;
    const template = isArray
      ? 'Array literal: element sizes {0} and {1} must match in size'
      : 'row_vector: size of row vectors in matrix ({0}) and ({1}) must match in size';
    builder.check(compare('eq', size, other.sizes[axis]), template, [size, other.sizes[axis]], 'error');
  });
}
