import { partTypes } from './promotion.js';
import type { Type } from './types.js';

/** Whether an index selects one element and drops the dimension, or keeps the dimension (a range or an array of ints). */
export type IndexShape = 'single' | 'multi';

/** The type of `x[…]`; undefined if `x` has too few dimensions. Source: Stan Reference Manual, "Container indexing". */
export function indexedType(type: Type, shapes: readonly IndexShape[]): Type | undefined {
  if (shapes.length === 0) return type;
  const [first, ...rest] = shapes;
  if (type.kind === 'array') {
    const element = indexedType(type.element, rest);
    return element && (first === 'single' ? element : { kind: 'array', element });
  }
  const { vector, rowVector, scalar } = partTypes(type);
  switch (type.kind) {
    case 'vector':
    case 'row_vector':
    case 'complex_vector':
    case 'complex_row_vector':
      if (shapes.length > 1) return undefined;
      return first === 'single' ? scalar : type;
    case 'matrix':
    case 'complex_matrix': {
      if (shapes.length > 2) return undefined;
      const second = rest[0] ?? 'multi';
      if (first === 'multi') return second === 'multi' ? type : vector;
      return second === 'multi' ? rowVector : scalar;
    }
    default:
      return undefined;
  }
}
