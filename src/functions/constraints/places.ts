import { indexesOf } from '../../ir/builder.js';
import { add, int, mul } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { type Type, unwindArray } from '../../language/types.js';
import type { MessagePart } from '../ensure.js';

/** Stan's index suffix of the element at a linear position: `[2][3]` in arrays, `[2]` in vectors, `[1, 2]` in matrices. */
export function placeOf(type: Type, sizes: readonly Expr[], linear: Expr): MessagePart[] {
  const { depth } = unwindArray(type);
  const indexes = oneBased(type, sizes, linear);
  return [...indexes.slice(0, depth).flatMap((index) => ['[', index, ']']), ...within(type, indexes)];
}

/** The index inside the vector or matrix, without the array indexes. */
export function placeInside(type: Type, sizes: readonly Expr[], linear: Expr): MessagePart[] {
  return within(type, oneBased(type, sizes, linear));
}

/** Like `placeInside`, with a column-major linear index for matrices: `[3]`. */
export function linearPlaceInside(type: Type, sizes: readonly Expr[], linear: Expr): MessagePart[] {
  const { element, depth } = unwindArray(type);
  if (element.kind !== 'matrix') return placeInside(type, sizes, linear);
  const [i, j] = indexesOf(type, sizes, linear).slice(depth);
  return ['[', add(add(mul(j, sizes[depth]), i), int(1)), ']'];
}

/** Stan's index suffix of the array element with linear index `k`, for elements of any type. */
export function placeInArray(sizes: readonly Expr[], k: Expr): MessagePart[] {
  const type: Type = sizes.reduce<Type>((element) => ({ kind: 'array', element }), { kind: 'real' });
  return placeOf(type, sizes, k);
}

function oneBased(type: Type, sizes: readonly Expr[], linear: Expr): Expr[] {
  return indexesOf(type, sizes, linear).map((index) => add(index, int(1)));
}

function within(type: Type, indexes: readonly Expr[]): MessagePart[] {
  const { element, depth } = unwindArray(type);
  const inner = indexes.slice(depth);
  if (element.kind === 'matrix') return ['[', inner[0], ', ', inner[1], ']'];
  return inner.length === 0 ? [] : ['[', inner[0], ']'];
}
