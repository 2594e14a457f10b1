import { FUNCTIONS } from '../../src/functions/table.js';
import type { Signature } from '../../src/language/signature.js';
import { COMPLEX, INT, REAL, rankOf, sameType, type Type, unwindArray } from '../../src/language/types.js';

/** How the value of a call with containers follows from calls with their elements. */
export type Combination = 'each' | 'sum' | 'product';

/** A signature with containers whose value follows from calls with scalars. */
export interface Elementwise {
  readonly signature: Signature;
  /** The types of the scalars. */
  readonly scalars: readonly Type[];
  /** The type of the value of a call with scalars. */
  readonly scalarResult: Type;
  /** Sizes of all containers. */
  readonly sizes: readonly number[];
  readonly combination: Combination;
}

/** Functions of matrices that share a name with functions of scalars: their product is that of linear algebra. */
const OF_MATRICES: ReadonlySet<string> = new Set(['multiply']);

/**
 * The signatures of a function that take containers of one shape, with or without scalars, and whose value follows from a signature
 * of scalars: element by element, as the sum of logarithms, or as the product of probabilities. Empty for all others.
 */
export function elementwiseSignatures(name: string): readonly Elementwise[] {
  const all = FUNCTIONS.lookup(name);
  return all.flatMap((signature): Elementwise[] => {
    const types = signature.parameters.map(({ type }) => type);
    const ranks = new Set(types.map(containerRank).filter((rank) => rank > 0));
    if (ranks.size !== 1) return [];
    const [rank] = ranks;
    const scalars = types.map(scalarOf);
    if (scalars.some((type) => type === null)) return [];
    const known = scalars.filter((type) => type !== null);
    const scalar = all.find(
      ({ parameters, result }) =>
        containerRank(result) === 0 &&
        parameters.length === known.length &&
        parameters.every(({ type }, k) => sameType(type, known[k])),
    );
    const combination = combinationOf(name, signature, rank);
    if (scalar === undefined || combination === null) return [];
    return [{ signature, scalars: known, scalarResult: scalar.result, sizes: sizesOf(rank), combination }];
  });
}

function combinationOf(name: string, { parameters, result }: Signature, rank: number): Combination | null {
  if (/_(lpdf|lpmf|lcdf|lccdf)$/.test(name)) return 'sum';
  if (name.endsWith('_cdf')) return 'product';
  const matrices = parameters.filter(({ type }) => unwindArray(type).element.kind.endsWith('matrix'));
  if (OF_MATRICES.has(name) && matrices.length > 1) return null;
  return containerRank(result) === rank ? 'each' : null;
}

/** Number of indexes of an element; 0 for a scalar. */
export function containerRank(type: Type): number {
  const { element, depth } = unwindArray(type);
  return element.kind === 'complex' ? depth : rankOf(type);
}

/** The type of an element; null for tuples and functions. */
function scalarOf(type: Type): Type | null {
  const { kind } = unwindArray(type).element;
  if (kind === 'int') return INT;
  if (kind === 'real' || kind === 'vector' || kind === 'row_vector' || kind === 'matrix') return REAL;
  return kind.startsWith('complex') ? COMPLEX : null;
}

/** Two or three different sizes above 1, so that a wrong order of elements is detected. */
function sizesOf(rank: number): readonly number[] {
  if (rank === 1) return [6];
  return [2, ...Array.from({ length: rank - 2 }, () => 1), 3];
}

/** The indexes of all elements, from 1. */
export function indexesOf(sizes: readonly number[]): readonly (readonly number[])[] {
  return sizes.reduce<readonly (readonly number[])[]>(
    (before, size) => before.flatMap((head) => Array.from({ length: size }, (_, i) => [...head, i + 1])),
    [[]],
  );
}
