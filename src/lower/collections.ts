import type { Typed } from '../check/typed.js';
import { container, elementOf, levelOf } from '../ir/builder.js';
import { add, compare, int, mul } from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import type { ContainerValue, Value } from '../ir/value.js';
import type { Type } from '../language/types.js';
import type { CollectionShape } from '../syntax/ast.js';
import { lowerExpression } from './expressions.js';
import type { Lowering } from './lowering.js';
import { unsupported } from './unsupported.js';
import { promoteValue, storedContainer } from './values.js';

/** `{a, b}` and `[a, b]`: the elements one after another in fresh memory. */
export function lowerCollection(lowering: Lowering, e: CollectionShape<Typed>, type: Type): Value {
  const { builder } = lowering;
  const isArray = e.kind === 'arrayLiteral';
  const elementType =
    type.kind === 'array' ? type.element : type.kind === 'matrix' ? undefined : { kind: 'real' as const };
  const elements = e.elements.map((element) => {
    const value = lowerExpression(lowering, element);
    return elementType === undefined ? value : promoteValue(value, elementType);
  });
  const level = levelOf(elements);
  const length = int(elements.length);
  const containers = elements.filter((element): element is ContainerValue => element.kind === 'container');
  if (elements.length > 0 && containers.length === 0) {
    const ref = builder.allocate(elementOf(type), [length], 'literal');
    elements.forEach((element, i) => {
      if (element.kind !== 'scalar') unsupported(e.span, 'Arrays of tuples are');
      builder.store(ref, int(i), element.value);
    });
    return storedContainer(type, level, ref, [length]);
  }
  if (elements.length === 0) return container(type, level, builder.allocate(elementOf(type), [length], 'literal'));
  if (containers.length < elements.length) unsupported(e.span, 'Arrays of tuples are');

  const [first, ...others] = containers;
  const sizes = [length, ...first.sizes];
  for (const other of others) checkSameSize(lowering, first, other, isArray);
  const ref = builder.allocate(elementOf(type), sizes, 'literal');
  const stride = first.sizes.reduce(mul, int(1) as Expr);
  containers.forEach((element, i) => {
    if (isArray) builder.elements(element, (x, linear) => builder.store(ref, add(mul(int(i), stride), linear), x));
    else builder.elements(element, (x, linear) => builder.store(ref, add(mul(linear, length), int(i)), x));
  });
  return storedContainer(type, level, ref, isArray ? sizes : [length, ...first.sizes]);
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
