/**
 * Immutable maps over numbered names that share what they have in common, so that a step that changes one name costs little
 * and maps that went different ways are compared and joined only where they differ: Patricia tries by the highest bit first. Names that a
 * scope adds have numbers that follow one another, so that maps from before and after the scope differ in few places.
 * Source: Okasaki, Gill, Fast mergeable integer maps, Workshop on ML, 1998.
 */
export type NameMap<V> = Leaf<V> | Fork<V> | undefined;

interface Leaf<V> {
  readonly key: number;
  readonly value: V;
}

/** A node with at least two names. */
interface Fork<V> {
  /** The bit of the names' numbers in which the halves differ. Higher bits are those of `prefix`. */
  readonly bit: number;
  readonly prefix: number;
  readonly low: NameMap<V>;
  readonly high: NameMap<V>;
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
  while (at !== undefined && !isLeaf(at)) at = ((key >>> at.bit) & 1) === 0 ? at.low : at.high;
  return at !== undefined && at.key === key ? at.value : undefined;
}

export function withValue<V>(map: NameMap<V>, key: number, value: V): NameMap<V> {
  return joined(map, { key, value }, (_, given) => given);
}

export function withoutValue<V>(map: NameMap<V>, key: number): NameMap<V> {
  if (map === undefined) return undefined;
  if (isLeaf(map)) return map.key === key ? undefined : map;
  return ((key >>> map.bit) & 1) === 0
    ? fork(map, map.bit, withoutValue(map.low, key), map.high)
    : fork(map, map.bit, map.low, withoutValue(map.high, key));
}

/** The union of two maps; `combine` computes the value of a name that has different values in both. */
export function joined<V>(a: NameMap<V>, b: NameMap<V>, combine: (a: V, b: V) => V): NameMap<V> {
  if (a === b || b === undefined) return a;
  if (a === undefined) return b;
  if (isLeaf(a) && isLeaf(b) && a.key === b.key) {
    if (a.value === b.value) return a;
    const value = combine(a.value, b.value);
    return value === a.value ? a : { key: a.key, value };
  }
  const bit = branchOf(a, b);
  const low = joined(half(a, 0, bit), half(b, 0, bit), combine);
  const high = joined(half(a, 1, bit), half(b, 1, bit), combine);
  // Reuses an equal map, so that later comparisons find it identical.
  return isForkOf(a, low, high) ? a : fork(b, bit, low, high);
}

/** What `a` has of the names in `b` whose values there agree with its own. */
export function common<V>(a: NameMap<V>, b: NameMap<V>, agree: (a: V, b: V) => boolean): NameMap<V> {
  if (a === b || a === undefined) return a;
  if (b === undefined) return undefined;
  if (isLeaf(a) && isLeaf(b))
    return a.key === b.key && (a.value === b.value || agree(a.value, b.value)) ? a : undefined;
  const bit = branchOf(a, b);
  const low = common(half(a, 0, bit), half(b, 0, bit), agree);
  const high = common(half(a, 1, bit), half(b, 1, bit), agree);
  return fork(a, bit, low, high);
}

/** What `a` has of the names that are not in `b`. */
export function difference<V>(a: NameMap<V>, b: NameMap<V>): NameMap<V> {
  if (a === b || a === undefined) return undefined;
  if (b === undefined) return a;
  if (isLeaf(a) && isLeaf(b)) return a.key === b.key ? undefined : a;
  const bit = branchOf(a, b);
  const low = difference(half(a, 0, bit), half(b, 0, bit));
  const high = difference(half(a, 1, bit), half(b, 1, bit));
  return fork(a, bit, low, high);
}

/** Whether all names in `a` are in `b`, with values that agree. */
export function isPartOf<V>(a: NameMap<V>, b: NameMap<V>, agree: (a: V, b: V) => boolean): boolean {
  if (a === b || a === undefined) return true;
  if (b === undefined) return false;
  if (isLeaf(a) && isLeaf(b)) return a.key === b.key && (a.value === b.value || agree(a.value, b.value));
  const bit = branchOf(a, b);
  return isPartOf(half(a, 0, bit), half(b, 0, bit), agree) && isPartOf(half(a, 1, bit), half(b, 1, bit), agree);
}

/** The names, in ascending order. */
export function keysOf<V>(map: NameMap<V>, into: number[] = []): number[] {
  if (map === undefined) return into;
  if (isLeaf(map)) into.push(map.key);
  else keysOf(map.high, keysOf(map.low, into));
  return into;
}

/** The highest bit in which names of the two maps differ, given that they are not the same single name. */
function branchOf<V>(a: Leaf<V> | Fork<V>, b: Leaf<V> | Fork<V>): number {
  const apart = 31 - Math.clz32(prefixOf(a) ^ prefixOf(b));
  return Math.max(apart, isLeaf(a) ? -1 : a.bit, isLeaf(b) ? -1 : b.bit);
}

function prefixOf<V>(map: Leaf<V> | Fork<V>): number {
  return isLeaf(map) ? map.key : map.prefix;
}

/** The names that have 0 or 1 at the bit, if it is not below that of the map. */
function half<V>(map: Leaf<V> | Fork<V>, value: 0 | 1, bit: number): NameMap<V> {
  if (!isLeaf(map) && map.bit === bit) return value === 0 ? map.low : map.high;
  return ((prefixOf(map) >>> bit) & 1) === value ? map : undefined;
}

function isForkOf<V>(map: Leaf<V> | Fork<V>, low: NameMap<V>, high: NameMap<V>): boolean {
  return !isLeaf(map) && map.low === low && map.high === high;
}

/** A map of two halves: `known` if it is that, and no fork around one half alone. */
function fork<V>(known: Leaf<V> | Fork<V>, bit: number, low: NameMap<V>, high: NameMap<V>): NameMap<V> {
  if (isForkOf(known, low, high)) return known;
  if (low === undefined || high === undefined) return low ?? high;
  return { bit, prefix: (prefixOf(low) >>> (bit + 1)) << (bit + 1), low, high };
}
