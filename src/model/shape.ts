import { append } from '../base/multimap.js';
import type { ElementKind } from '../wasm/artifact.js';

/**
 * The shape of a variable: array dimensions, followed by the vector length or the rows and columns of a matrix. Arrays are row-major, and
 * the matrices in them column-major. In Stan's lists of names and values, the first index varies fastest.
 */
export interface Shape {
  readonly arrayDepth: number;
  readonly element: ElementKind;
  readonly sizes: readonly number[];
}

export function elementCount({ sizes }: Pick<Shape, 'sizes'>): number {
  return sizes.reduce((product, size) => product * size, 1);
}

/** The distance in memory between neighbors along each axis, in elements. */
export function memoryStrides({ arrayDepth, element, sizes }: Shape): number[] {
  const strides: number[] = new Array(sizes.length).fill(1);
  const order = sizes.map((_, axis) => axis);
  if (element === 'matrix') order.splice(arrayDepth, 2, arrayDepth + 1, arrayDepth);
  let stride = 1;
  for (const axis of order.reverse()) {
    strides[axis] = stride;
    stride *= sizes[axis];
  }
  return strides;
}

/** Visits all zero-based indexes; the first index varies fastest. */
function visitFirstFastest(sizes: readonly number[], visit: (indexes: readonly number[]) => void): void {
  const indexes: number[] = sizes.map(() => 0);
  const total = elementCount({ sizes });
  for (let n = 0; n < total; n++) {
    visit(indexes);
    for (let axis = 0; axis < sizes.length; axis++) {
      if (++indexes[axis] < sizes[axis]) break;
      indexes[axis] = 0;
    }
  }
}

/** A variable, or a slot `a.1` of a variable of tuples: the values in one block of memory. */
export interface Leaf extends Shape {
  readonly name: string;
  /** The number of sizes that belong to the arrays of tuples before each slot of the name. */
  readonly tupleAxes: readonly number[];
  /** Whether the values are complex: the last size is 2, and all real parts precede the imaginary parts in memory. */
  readonly isComplex: boolean;
}

/** Visits the leaves of a list once per enclosing tuple, in Stan's order; `name` includes the indexes. */
function visitTuples<L extends Leaf>(
  leaves: readonly L[],
  visit: (leaf: L, indexes: readonly number[], name: () => string) => void,
): void {
  const inside = (group: readonly L[], level: number, indexes: readonly number[], name: () => string): void => {
    const [first] = group;
    if (first === undefined) return;
    if (level === first.tupleAxes.length) {
      visit(first, indexes, name);
      return;
    }
    const sizes = first.sizes.slice(indexes.length, indexes.length + first.tupleAxes[level]);
    const slots = grouped(group, level + 1);
    visitFirstFastest(sizes, (found) => {
      const own = [...found];
      for (const [slot, members] of slots) {
        inside(members, level + 1, [...indexes, ...own], () => `${indexed(name(), own)}:${slot}`);
      }
    });
  };
  for (const [root, members] of grouped(leaves, 0)) inside(members, 0, [], () => root);
}

/** Leaves, grouped by a component of their names. */
function grouped<L extends Leaf>(leaves: readonly L[], component: number): Map<string, L[]> {
  const groups = new Map<string, L[]>();
  for (const leaf of leaves) {
    const key = leaf.name.split('.')[component];
    append(groups, key, leaf);
  }
  return groups;
}

function indexed(name: string, indexes: readonly number[]): string {
  return [name, ...indexes.map((index) => index + 1)].join('.');
}

/** The sizes inside the tuples, without the size of the pair of a complex number. */
function innerSizes({ sizes, tupleAxes, isComplex }: Leaf): readonly number[] {
  return sizes.slice(
    tupleAxes.reduce((sum, axes) => sum + axes, 0),
    isComplex ? -1 : undefined,
  );
}

/** Leaves and memory positions of all numbers in the order of Stan's names. */
export function outputOrder<L extends Leaf>(leaves: readonly L[], visit: (leaf: L, position: number) => void): void {
  visitTuples(leaves, (leaf, outer) => {
    const parts = leaf.isComplex ? 2 : 1;
    const own = leaf.isComplex ? { ...leaf, sizes: leaf.sizes.slice(0, -1) } : leaf;
    const strides = memoryStrides(own);
    const count = elementCount(own);
    const start = outer.reduce((sum, index, axis) => sum + index * strides[axis], 0);
    visitFirstFastest(innerSizes(leaf), (indexes) => {
      const position = indexes.reduce((sum, index, k) => sum + index * strides[outer.length + k], start);
      for (let part = 0; part < parts; part++) visit(leaf, position + part * count);
    });
  });
}

/** Stan's names of all numbers: `x`, `x.1.2` with one-based indexes, `a:1.2` in tuples, `a.3:1` in arrays of tuples, `z.real`. */
export function elementNames(leaves: readonly Leaf[]): string[] {
  const names: string[] = [];
  visitTuples(leaves, (leaf, _, nameOf) => {
    const name = nameOf();
    visitFirstFastest(innerSizes(leaf), (indexes) => {
      const element = indexed(name, indexes);
      if (leaf.isComplex) names.push(`${element}.real`, `${element}.imag`);
      else names.push(element);
    });
  });
  return names;
}

/** The location of each leaf in the unconstrained position: ranges of `length` numbers that begin at `start`. */
export function visitStretches<L extends Leaf>(
  leaves: readonly L[],
  visit: (leaf: L, start: number, length: number) => void,
): void {
  let start = 0;
  visitTuples(leaves, (leaf) => {
    const length = elementCount({ sizes: innerSizes(leaf) }) * (leaf.isComplex ? 2 : 1);
    visit(leaf, start, length);
    start += length;
  });
}
