import { COMPLEX, COMPLEX_ROW_VECTOR, COMPLEX_VECTOR, REAL, ROW_VECTOR, sameType, type Type, VECTOR } from './types.js';

/** The cost of using a value of type `from` as `to`: 0 without a promotion, 1 or 2 per promotion, undefined if no promotion exists. */
export function promotionCost(to: Type, from: Type): number | undefined {
  if (to === from) return 0;
  switch (to.kind) {
    case 'array':
      return from.kind === 'array' ? promotionCost(to.element, from.element) : undefined;
    case 'tuple':
      return from.kind === 'tuple' ? tuplePromotionCost(to.elements, from.elements) : undefined;
    case 'function':
      return sameType(to, from) ? 0 : undefined;
    case 'real':
      return from.kind === 'real' ? 0 : from.kind === 'int' ? 1 : undefined;
    case 'complex':
      return from.kind === 'complex' ? 0 : from.kind === 'real' ? 1 : from.kind === 'int' ? 2 : undefined;
    case 'complex_vector':
      return from.kind === 'complex_vector' ? 0 : from.kind === 'vector' ? 1 : undefined;
    case 'complex_row_vector':
      return from.kind === 'complex_row_vector' ? 0 : from.kind === 'row_vector' ? 1 : undefined;
    case 'complex_matrix':
      return from.kind === 'complex_matrix' ? 0 : from.kind === 'matrix' ? 1 : undefined;
    default:
      return to.kind === from.kind ? 0 : undefined;
  }
}

function tuplePromotionCost(to: readonly Type[], from: readonly Type[]): number | undefined {
  if (to.length !== from.length) return undefined;
  let cost = 0;
  for (let i = 0; i < to.length; i++) {
    const slot = promotionCost(to[i], from[i]);
    if (slot === undefined) return undefined;
    cost += slot;
  }
  return cost;
}

/** The least type to which values of both types can be promoted; undefined if none exists. */
export function commonType(a: Type, b: Type): Type | undefined {
  if (a.kind === 'array' && b.kind === 'array') {
    const element = commonType(a.element, b.element);
    return element && { kind: 'array', element };
  }
  if (a.kind === 'tuple' && b.kind === 'tuple') {
    if (a.elements.length !== b.elements.length) return undefined;
    const elements: Type[] = [];
    for (let i = 0; i < a.elements.length; i++) {
      const slot = commonType(a.elements[i], b.elements[i]);
      if (slot === undefined) return undefined;
      elements.push(slot);
    }
    return { kind: 'tuple', elements };
  }
  if (sameType(a, b)) return a;
  return promotionCost(a, b) !== undefined ? a : promotionCost(b, a) !== undefined ? b : undefined;
}

/** The scalar type of a container's elements. Returns tuples and functions unchanged. */
export function scalarOf(type: Type): Type {
  switch (type.kind) {
    case 'array':
      return scalarOf(type.element);
    case 'vector':
    case 'row_vector':
    case 'matrix':
      return REAL;
    case 'complex_vector':
    case 'complex_row_vector':
    case 'complex_matrix':
      return COMPLEX;
    default:
      return type;
  }
}

/** Ints, arrays of them and tuples of only them: outcomes of probability mass functions, which have no derivative. */
export function isDiscrete(type: Type): boolean {
  if (type.kind === 'array') return isDiscrete(type.element);
  if (type.kind === 'tuple') return type.elements.every(isDiscrete);
  return type.kind === 'int';
}

/** Whether any part of a value is an int. */
export function containsInt(type: Type): boolean {
  if (type.kind === 'array') return containsInt(type.element);
  if (type.kind === 'tuple') return type.elements.some(containsInt);
  return type.kind === 'int';
}

/** Complex numbers, and containers of them other than tuples. */
export function isComplex(type: Type): boolean {
  return scalarOf(type).kind === 'complex';
}

/** int or real. */
export function isRealScalar(type: Type): boolean {
  return type.kind === 'int' || type.kind === 'real';
}

export function isFunctionType(type: Type): boolean {
  return type.kind === 'function' || type.kind === 'library_function';
}

/** The vector, row vector and scalar types of slices and elements of a real or complex matrix or vector. */
export function partTypes(type: Type): { readonly vector: Type; readonly rowVector: Type; readonly scalar: Type } {
  return isComplex(type)
    ? { vector: COMPLEX_VECTOR, rowVector: COMPLEX_ROW_VECTOR, scalar: COMPLEX }
    : { vector: VECTOR, rowVector: ROW_VECTOR, scalar: REAL };
}
