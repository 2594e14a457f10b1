import type { ElementKind } from '../wasm/artifact.js';

/**
 * The shape of a variable: array dimensions, then vector length or matrix rows and columns. In memory arrays lie row by
 * row, the matrix inside column by column. Stan lists names and values with the first index fastest.
 */
export interface Shape {
  readonly arrayDepth: number;
  readonly element: ElementKind;
  readonly sizes: readonly number[];
}

export function elementCount({ sizes }: Pick<Shape, 'sizes'>): number {
  return sizes.reduce((product, size) => product * size, 1);
}

/** How far apart in memory neighbours along each axis stand, in elements. */
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

/** Visits all zero-based indexes with the first one fastest. */
export function visitFirstFastest(sizes: readonly number[], visit: (indexes: readonly number[]) => void): void {
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

/** Memory positions of the elements in the order of Stan's names. */
export function outputOrder(shape: Shape): number[] {
  const strides = memoryStrides(shape);
  const order: number[] = [];
  visitFirstFastest(shape.sizes, (indexes) => {
    order.push(indexes.reduce((sum, index, axis) => sum + index * strides[axis], 0));
  });
  return order;
}

/** `name`, or `name.1.2` with indexes from 1 for every element; of the slot `a.1` of a tuple `a:1.2`. */
export function elementNames(variable: string, sizes: readonly number[]): string[] {
  const name = variable.replaceAll('.', ':');
  const names: string[] = [];
  visitFirstFastest(sizes, (indexes) => {
    names.push([name, ...indexes.map((index) => index + 1)].join('.'));
  });
  return names;
}
