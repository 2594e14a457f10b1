import type { Builder } from '../ir/builder.js';
import { lazyFlat, levelOf, scalar } from '../ir/builder.js';
import { compare, int } from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import type { ContainerValue, Value } from '../ir/value.js';
import type { Type } from '../language/types.js';
import { unwindArray } from '../language/types.js';

/**
 * The value of type `result` whose every element is `f` of the elements of `args`; scalars go with every element.
 * Containers are not computed here: whoever uses the value computes each element when it needs it.
 * Stops with Stan's size error where two containers differ in size. `costly`: an element costs more than light arithmetic.
 */
export function elementwise(
  builder: Builder,
  result: Type,
  args: readonly Value[],
  f: (...elements: Expr[]) => Expr,
  options: { readonly costly?: boolean; readonly mismatch?: SizeMismatch } = {},
): Value {
  const containers = args.filter((arg) => arg.kind === 'container');
  const level = levelOf(args);
  if (containers.length === 0) return scalar(f(...args.map(scalarOf)), level);
  const [first, ...others] = containers;
  const mismatch = options.mismatch ?? ((a, b) => binaryMismatch('Binary function', 'x', 'y', a, b));
  for (const other of others) checkSameSizes(builder, first, other, mismatch);
  const elements = args.map((arg) => elementReader(builder, arg));
  const costly = options.costly ?? containers.some((arg) => arg.costly);
  if (containers.some((arg) => arg.nested)) {
    return {
      kind: 'container',
      type: result,
      level,
      sizes: first.sizes,
      flat: (i) => f(...elements.map((element) => element.flat(i))),
      at: (...indexes) => f(...elements.map((element) => element.at(...indexes))),
      ref: null,
      nested: true,
      costly,
    };
  }
  return lazyFlat(result, level, first.sizes, (i) => f(...elements.map((element) => element.flat(i))), costly);
}

/** A scalar argument's expression. */
export function scalarOf(value: Value): Expr {
  if (value.kind !== 'scalar') throw new Error(`Expected a scalar, found a ${value.kind}`);
  return value.value;
}

/** A container argument. */
export function containerOf(value: Value): ContainerValue {
  if (value.kind !== 'container') throw new Error(`Expected a container, found a ${value.kind}`);
  return value;
}

interface ElementReader {
  readonly flat: (position: Expr) => Expr;
  readonly at: (...indexes: Expr[]) => Expr;
}

/** Reads elements of a container, or the same scalar for every element, computed once. */
function elementReader(builder: Builder, value: Value): ElementReader {
  if (value.kind === 'container') return value;
  const once = bindOnce(builder, scalarOf(value));
  return { flat: () => once, at: () => once };
}

/** A local that holds the value, unless reading it again costs nothing. */
export function bindOnce(builder: Builder, value: Expr, name = 's'): Expr {
  return value.kind === 'const' || value.kind === 'get' ? value : builder.bind(value, name);
}

/** How a size error reads: a template, and the sizes that stand in it. */
export type SizeMismatch = (
  first: ContainerValue,
  other: ContainerValue,
) => { readonly template: string; readonly values: readonly Expr[] };

function checkSameSizes(builder: Builder, first: ContainerValue, other: ContainerValue, mismatch: SizeMismatch): void {
  const { template, values } = mismatch(first, other);
  for (let axis = 0; axis < first.sizes.length; axis++) {
    if (first.sizes[axis] === other.sizes[axis]) continue;
    builder.check(compare('eq', first.sizes[axis], other.sizes[axis]), template, values, 'error');
  }
}

/** `Binary function: x (2, 1) and y (3, 1) must match in size`, as for functions of two containers. */
export function binaryMismatch(
  name: string,
  firstName: string,
  otherName: string,
  first: ContainerValue,
  other: ContainerValue,
): { readonly template: string; readonly values: readonly Expr[] } {
  const a = shapeOf(first);
  const b = shapeOf(other);
  const show = (shape: readonly Expr[], from: number): string =>
    `(${shape.map((_, axis) => `{${from + axis}}`).join(', ')})`;
  return {
    template: `${name}: ${firstName} ${show(a, 0)} and ${otherName} ${show(b, a.length)} must match in size`,
    values: [...a, ...b],
  };
}

/** Rows and columns of a vector, row vector or matrix; the first size of an array. */
export function shapeOf(value: ContainerValue): readonly Expr[] {
  switch (unwindArray(value.type).depth > 0 ? 'array' : value.type.kind) {
    case 'vector':
      return [value.sizes[0], int(1)];
    case 'row_vector':
      return [int(1), value.sizes[0]];
    case 'matrix':
      return value.sizes;
    default:
      return [value.sizes[0]];
  }
}
