/**
 * Stan's unsized types. Containers are rectangular; an array of arrays is written as nested `array` nodes.
 * Source: Stan Reference Manual, "Data types and declarations".
 */
export type Type =
  | { readonly kind: 'void' }
  | { readonly kind: 'int' }
  | { readonly kind: 'real' }
  | { readonly kind: 'complex' }
  | { readonly kind: 'vector' }
  | { readonly kind: 'row_vector' }
  | { readonly kind: 'matrix' }
  | { readonly kind: 'complex_vector' }
  | { readonly kind: 'complex_row_vector' }
  | { readonly kind: 'complex_matrix' }
  | { readonly kind: 'array'; readonly element: Type }
  | { readonly kind: 'tuple'; readonly elements: readonly Type[] }
  | FunctionType
  | { readonly kind: 'library_function' };

/** The type of a user function that is passed to a higher-order function. */
export interface FunctionType {
  readonly kind: 'function';
  readonly parameters: readonly FunctionParameter[];
  readonly result: Type;
  /** The class of the function by the suffix of its name; `plain` if absent. */
  readonly suffix?: FunctionSuffix;
}

/** The class of a function by the suffix of its name. `_lupdf` and `_lupmf` count as `lpdf` and `lpmf`. */
export type FunctionSuffix = 'plain' | 'rng' | 'lpdf' | 'lpmf' | 'lp' | 'jacobian';

export interface FunctionParameter {
  readonly level: AutodiffLevel;
  readonly type: Type;
}

/**
 * Stan's classification of values: `data` values never depend on parameters; `autodiff` values may. It determines which terms `~` drops
 * from a density, even if an `autodiff` value happens to be constant.
 */
export type AutodiffLevel = 'data' | 'autodiff';

export const INT: Type = { kind: 'int' };
export const REAL: Type = { kind: 'real' };
export const COMPLEX: Type = { kind: 'complex' };
export const VECTOR: Type = { kind: 'vector' };
export const ROW_VECTOR: Type = { kind: 'row_vector' };
export const MATRIX: Type = { kind: 'matrix' };
export const COMPLEX_VECTOR: Type = { kind: 'complex_vector' };
export const COMPLEX_ROW_VECTOR: Type = { kind: 'complex_row_vector' };
export const COMPLEX_MATRIX: Type = { kind: 'complex_matrix' };
/** The type of a library function that is used as a value. */
export const LIBRARY_FUNCTION: Type = { kind: 'library_function' };

const TYPES_IN = new WeakMap<Type, number>();

/** The number of slots of a tuple type, including those of inner tuples; 0 for other types. */
export function tupleTypesIn(type: Type): number {
  const { element } = unwindArray(type);
  if (element.kind !== 'tuple') return 0;
  let count = TYPES_IN.get(element);
  if (count === undefined) {
    count = element.elements.reduce((sum, each) => sum + tupleTypesIn(each), element.elements.length);
    TYPES_IN.set(element, count);
  }
  return count;
}

/** The type of an array of `depth` dimensions over `element`; depth 0 gives the element itself. */
export function arrayOf(element: Type, depth = 1): Type {
  return depth === 0 ? element : { kind: 'array', element: arrayOf(element, depth - 1) };
}

/** The element type of nested arrays, and the number of array dimensions. */
export function unwindArray(type: Type): { readonly element: Type; readonly depth: number } {
  let depth = 0;
  let element = type;
  while (element.kind === 'array') {
    element = element.element;
    depth++;
  }
  return { element, depth };
}

/** Number of sizes of a value: array dimensions plus 1 for a vector, 2 for a matrix. Tuples and functions have none. */
export function rankOf(type: Type): number {
  const { element, depth } = unwindArray(type);
  switch (element.kind) {
    case 'vector':
    case 'row_vector':
    case 'complex_vector':
    case 'complex_row_vector':
      return depth + 1;
    case 'matrix':
    case 'complex_matrix':
      return depth + 2;
    default:
      return depth;
  }
}

/**
 * The types of the values that together represent a value of this type: the slots of a tuple, the real and imaginary part of a complex
 * number, and containers of these (`array[] tuple(int, vector)` becomes `array[] int` and `array[] vector`; `complex_matrix` becomes two
 * matrices). Null if one value suffices.
 */
export function partsOf(type: Type): readonly Type[] | null {
  switch (type.kind) {
    case 'tuple':
      return type.elements;
    case 'complex':
      return [REAL, REAL];
    case 'complex_vector':
      return [VECTOR, VECTOR];
    case 'complex_row_vector':
      return [ROW_VECTOR, ROW_VECTOR];
    case 'complex_matrix':
      return [MATRIX, MATRIX];
    case 'array':
      return partsOf(type.element)?.map((part) => arrayOf(part)) ?? null;
    default:
      return null;
  }
}

export function sameType(a: Type, b: Type): boolean {
  if (a.kind === 'array' && b.kind === 'array') return sameType(a.element, b.element);
  if (a.kind === 'tuple' && b.kind === 'tuple') {
    return (
      a.elements.length === b.elements.length && a.elements.every((element, i) => sameType(element, b.elements[i]))
    );
  }
  if (a.kind === 'function' && b.kind === 'function') {
    return (
      sameType(a.result, b.result) &&
      (a.suffix ?? 'plain') === (b.suffix ?? 'plain') &&
      a.parameters.length === b.parameters.length &&
      a.parameters.every(
        (parameter, i) => parameter.level === b.parameters[i].level && sameType(parameter.type, b.parameters[i].type),
      )
    );
  }
  return a.kind === b.kind && a.kind !== 'array' && a.kind !== 'tuple' && a.kind !== 'function';
}

/** Stan's spelling of a type, as in its messages and signature lists: `array[,] vector`, `tuple(int, real)`. */
export function showType(type: Type): string {
  switch (type.kind) {
    case 'array': {
      const { element, depth } = unwindArray(type);
      return `array[${','.repeat(depth - 1)}] ${showType(element)}`;
    }
    case 'tuple':
      return type.elements.length === 1
        ? `tuple(${showType(type.elements[0])},)`
        : `tuple(${type.elements.map(showType).join(', ')})`;
    case 'function':
      return `(${type.parameters.map(showParameter).join(', ')}) => ${showType(type.result)}`;
    case 'library_function':
      return '<Stan Math function>';
    default:
      return type.kind;
  }
}

/** Stan's spelling of a parameter in a signature: `data real`, `vector`. */
function showParameter({ level, type }: FunctionParameter): string {
  const isFunction = type.kind === 'function' || type.kind === 'library_function';
  return level === 'data' && !isFunction ? `data ${showType(type)}` : showType(type);
}
