import { isDistributionFunction } from './suffixes.js';
import { type AutodiffLevel, type Type, unwindArray } from './types.js';

/** One signature of a function. */
export interface Signature {
  readonly name: string;
  readonly parameters: readonly { readonly type: Type; readonly level: AutodiffLevel }[];
  readonly result: Type;
}

const KIND_ORDER: Readonly<Record<Type['kind'], number>> = {
  void: 0,
  int: 1,
  real: 2,
  vector: 3,
  complex: 4,
  row_vector: 5,
  matrix: 6,
  complex_vector: 7,
  complex_row_vector: 8,
  complex_matrix: 9,
  array: 10,
  tuple: 11,
  function: 12,
  library_function: 13,
};

/** Compares types in the order in which Stan lists them: negative if `a` comes first, 0 if they are equal. */
export function compareTypes(a: Type, b: Type): number {
  if (a.kind === 'array' && b.kind === 'array') return compareTypes(a.element, b.element);
  if (a.kind === 'tuple' && b.kind === 'tuple') return compareLists(a.elements, b.elements, compareTypes);
  if (a.kind === 'function' && b.kind === 'function') return compareSignatures(a, b);
  return KIND_ORDER[a.kind] - KIND_ORDER[b.kind];
}

/** Compares signatures of a function in the order in which Stan lists them: by parameters, then by result. */
export function compareSignatures(a: Omit<Signature, 'name'>, b: Omit<Signature, 'name'>): number {
  const byParameters = compareLists(a.parameters, b.parameters, (p, q) =>
    p.level === q.level ? compareTypes(p.type, q.type) : p.level === 'data' ? -1 : 1,
  );
  return byParameters || compareTypes(a.result, b.result);
}

/**
 * The signatures of a function in the order in which Stan stores them and lists them by default: reversed. For a function of a
 * distribution, the last parameter varies slowest, and row vectors come before vectors, arrays and scalars.
 */
export function inStansOrder(name: string, signatures: readonly Signature[]): readonly Signature[] {
  if (!isDistributionFunction(name)) return signatures.toReversed();
  return signatures.toSorted((a, b) =>
    compareLists(a.parameters.toReversed(), b.parameters.toReversed(), (p, q) => breadth(q.type) - breadth(p.type)),
  );
}

const BREADTH: readonly string[] = ['int', 'real', 'matrix', 'vector', 'row_vector'];

function breadth(type: Type): number {
  const { element, depth } = unwindArray(type);
  return 2 * BREADTH.indexOf(element.kind) + depth;
}

function compareLists<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compare(a[i], b[i]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}
