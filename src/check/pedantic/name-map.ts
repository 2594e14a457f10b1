/**
 * Immutable maps over numbered names that share what they have in common, so that a step that changes one name costs little
 * and maps that went different ways are compared and joined only where they differ: binary tries by the lowest bit first.
 * Source: Okasaki, Gill, Fast mergeable integer maps, Workshop on ML, 1998.
 */
export type NameMap<V> = Leaf<V> | Fork<V> | undefined;

interface Leaf<V> {
  readonly key: number;
  readonly value: V;
}

/** A node with at least two names. */
interface Fork<V> {
  readonly even: NameMap<V>;
  readonly odd: NameMap<V>;
}

/** Numbers names in the order of their first use. */
export class Numbering {
  readonly #numbers = new Map<string, number>();

  of(name: string): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(name, number);
    }
    return number;
  }
}

function isLeaf<V>(map: Leaf<V> | Fork<V>): map is Leaf<V> {
  return 'key' in map;
}

export function lookUp<V>(map: NameMap<V>, key: number): V | undefined {
  let at = map;
  for (let rest = key; at !== undefined && !isLeaf(at); rest >>>= 1) at = (rest & 1) === 0 ? at.even : at.odd;
  return at !== undefined && at.key === key ? at.value : undefined;
}

export function withValue<V>(map: NameMap<V>, key: number, value: V): NameMap<V> {
  return joined(map, { key, value }, (_, given) => given);
}

export function withoutValue<V>(map: NameMap<V>, key: number, bit = 0): NameMap<V> {
  if (map === undefined) return undefined;
  if (isLeaf(map)) return map.key === key ? undefined : map;
  return ((key >>> bit) & 1) === 0
    ? fork(map, withoutValue(map.even, key, bit + 1), map.odd)
    : fork(map, map.even, withoutValue(map.odd, key, bit + 1));
}

/** The union of two maps; `combine` computes the value of a name that has different values in both. */
export function joined<V>(a: NameMap<V>, b: NameMap<V>, combine: (a: V, b: V) => V, bit = 0): NameMap<V> {
  if (a === b || b === undefined) return a;
  if (a === undefined) return b;
  if (isLeaf(a) && isLeaf(b) && a.key === b.key) {
    if (a.value === b.value) return a;
    const value = combine(a.value, b.value);
    return value === a.value ? a : { key: a.key, value };
  }
  const even = joined(half(a, 0, bit), half(b, 0, bit), combine, bit + 1);
  const odd = joined(half(a, 1, bit), half(b, 1, bit), combine, bit + 1);
  // Reuses an equal map, so that later comparisons find it identical.
  return isForkOf(a, even, odd) ? a : fork(b, even, odd);
}

/** What `a` has of the names in `b` whose values there agree with its own. */
export function common<V>(a: NameMap<V>, b: NameMap<V>, agree: (a: V, b: V) => boolean, bit = 0): NameMap<V> {
  if (a === b || a === undefined) return a;
  if (b === undefined) return undefined;
  if (isLeaf(a) && isLeaf(b))
    return a.key === b.key && (a.value === b.value || agree(a.value, b.value)) ? a : undefined;
  const even = common(half(a, 0, bit), half(b, 0, bit), agree, bit + 1);
  const odd = common(half(a, 1, bit), half(b, 1, bit), agree, bit + 1);
  return fork(a, even, odd);
}

/** What `a` has of the names that are not in `b`. */
export function difference<V>(a: NameMap<V>, b: NameMap<V>, bit = 0): NameMap<V> {
  if (a === b || a === undefined) return undefined;
  if (b === undefined) return a;
  if (isLeaf(a) && isLeaf(b)) return a.key === b.key ? undefined : a;
  const even = difference(half(a, 0, bit), half(b, 0, bit), bit + 1);
  const odd = difference(half(a, 1, bit), half(b, 1, bit), bit + 1);
  return fork(a, even, odd);
}

/** Whether all names in `a` are in `b`, with values that agree. */
export function isPartOf<V>(a: NameMap<V>, b: NameMap<V>, agree: (a: V, b: V) => boolean, bit = 0): boolean {
  if (a === b || a === undefined) return true;
  if (b === undefined) return false;
  if (isLeaf(a) && isLeaf(b)) return a.key === b.key && (a.value === b.value || agree(a.value, b.value));
  return (
    isPartOf(half(a, 0, bit), half(b, 0, bit), agree, bit + 1) &&
    isPartOf(half(a, 1, bit), half(b, 1, bit), agree, bit + 1)
  );
}

export function keysOf<V>(map: NameMap<V>, into: number[] = []): number[] {
  if (map === undefined) return into;
  if (isLeaf(map)) into.push(map.key);
  else keysOf(map.odd, keysOf(map.even, into));
  return into;
}

function half<V>(map: Leaf<V> | Fork<V>, parity: 0 | 1, bit: number): NameMap<V> {
  if (isLeaf(map)) return ((map.key >>> bit) & 1) === parity ? map : undefined;
  return parity === 0 ? map.even : map.odd;
}

function isForkOf<V>(map: Leaf<V> | Fork<V>, even: NameMap<V>, odd: NameMap<V>): boolean {
  return !isLeaf(map) && map.even === even && map.odd === odd;
}

/** A map of two halves: `known` if it is that, and no fork around a single name. */
function fork<V>(known: Leaf<V> | Fork<V>, even: NameMap<V>, odd: NameMap<V>): NameMap<V> {
  if (isForkOf(known, even, odd)) return known;
  if (even === undefined && (odd === undefined || isLeaf(odd))) return odd;
  if (odd === undefined && even !== undefined && isLeaf(even)) return even;
  return { even, odd };
}
