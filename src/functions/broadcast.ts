import type { Builder } from '../ir/builder.js';
import { lazyFlat, levelOf, scalar } from '../ir/builder.js';
import { compare, int } from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import type { ContainerValue, Value } from '../ir/value.js';
import type { Type } from '../language/types.js';
import { unwindArray } from '../language/types.js';

/**
 * Applies `f` elementwise to `args`; scalars are combined with every element. The result has type `result`; its elements are computed
 * lazily, when they are read. Stops with Stan's size error if two containers differ in size. `costly` states that an element costs more
 * than cheap arithmetic.
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
  const mismatch = options.mismatch ?? binaryMismatch('Binary function', 'x', 'y');
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

/** The expression of a scalar argument. */
export function scalarOf(value: Value): Expr {
  if (value.kind !== 'scalar') throw new Error(`Expected a scalar, found a ${value.kind}`);
  return value.value;
}

/** The argument as a container; throws for other values. */
export function containerOf(value: Value): ContainerValue {
  if (value.kind !== 'container') throw new Error(`Expected a container, found a ${value.kind}`);
  return value;
}

interface ElementReader {
  readonly flat: (position: Expr) => Expr;
  readonly at: (...indexes: Expr[]) => Expr;
}

/** Reads elements of a container, or a scalar, which is computed once, for every element. */
function elementReader(builder: Builder, value: Value): ElementReader {
  if (value.kind === 'container') return value;
  const once = bindOnce(builder, scalarOf(value));
  return { flat: () => once, at: () => once };
}

/** Assigns the value to a local, unless evaluating it again is free. */
export function bindOnce(builder: Builder, value: Expr, name = 's'): Expr {
  return value.kind === 'const' || value.kind === 'get' ? value : builder.bind(value, name);
}

/** The error for two containers that differ in size on an axis: a template and the sizes to insert. */
export type SizeMismatch = (
  first: ContainerValue,
  other: ContainerValue,
  axis: number,
) => { readonly template: string; readonly values: readonly Expr[] };

/** Stops with an error unless two containers have the same sizes. */
export function checkSameSizes(
  builder: Builder,
  first: ContainerValue,
  other: ContainerValue,
  mismatch: SizeMismatch,
): void {
  for (let axis = 0; axis < first.sizes.length; axis++) {
    if (first.sizes[axis] === other.sizes[axis]) continue;
    const { template, values } = mismatch(first, other, axis);
    builder.check(compare('eq', first.sizes[axis], other.sizes[axis]), template, values, 'error');
  }
}

/**
 * Stan's error for functions of two containers: `Binary function: x (2, 1) and y (3, 1) must match in size`, or for arrays
 * `size of x (2) and size of y (3)`.
 */
export function binaryMismatch(name: string, firstName: string, otherName: string): SizeMismatch {
  return (first, other, axis) => {
    if (axis < Math.max(unwindArray(first.type).depth, unwindArray(other.type).depth)) {
      const template = `${name}: size of ${firstName} ({0}) and size of ${otherName} ({1}) must match in size`;
      return { template, values: [first.sizes[axis], other.sizes[axis]] };
    }
    const template = `${name}: ${firstName} ({0}, {1}) and ${otherName} ({2}, {3}) must match in size`;
    return { template, values: [...shapeOf(first), ...shapeOf(other)] };
  };
}

/** The rows and columns of a vector, row vector or matrix, or of those in an array. */
function shapeOf(value: ContainerValue): readonly [Expr, Expr] {
  const { element, depth } = unwindArray(value.type);
  switch (element.kind) {
    case 'matrix':
      return [value.sizes[depth], value.sizes[depth + 1]];
    case 'row_vector':
      return [int(1), value.sizes[depth]];
    default:
      return [value.sizes[depth], int(1)];
  }
}
