/**
 * Immutable maps from numbered names to values: big-endian Patricia tries. Maps share common subtrees, so changing one name is cheap, and
 * maps with a common origin are compared and joined only where they differ. The names that a scope adds have consecutive numbers, so the
 * maps before and after the scope differ in few subtrees.
 * Source: Okasaki, Gill, Fast mergeable integer maps, Workshop on ML, 1998.
 */
export type SharedMap<V> = Leaf<V> | Fork<V> | undefined;

interface Leaf<V> {
  readonly key: number;
  readonly value: V;
}

/** An inner node: at least two names. */
interface Fork<V> {
  /** The bit of the names' numbers in which the halves differ. The higher bits equal those of `prefix`. */
  readonly bit: number;
  readonly prefix: number;
  readonly low: SharedMap<V>;
  readonly high: SharedMap<V>;
}

/** Assigns numbers to names in the order of their first use. */
export class Numbering<Name> {
  readonly #numbers = new Map<Name, number>();

  of(name: Name): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(name, number);
    }
    return number;
  }
}

/** Sets of items, as maps from the items' numbers to the items. A set of one item is always the same object. */
export class ItemSets<Item> {
  readonly #single = new Map<Item, Leaf<Item>>();

  #only(item: Item): Leaf<Item> {
    let only = this.#single.get(item);
    if (only === undefined) {
      only = { key: this.#single.size, value: item };
      this.#single.set(item, only);
    }
    return only;
  }

  has(set: SharedMap<Item>, item: Item): boolean {
    return lookUp(set, this.#only(item).key) !== undefined;
  }

  with(set: SharedMap<Item>, item: Item): SharedMap<Item> {
    return withLeaf(set, this.#only(item));
  }

  without(set: SharedMap<Item>, item: Item): SharedMap<Item> {
    return withoutValue(set, this.#only(item).key);
  }

  of(items: Iterable<Item>): SharedMap<Item> {
    let set: SharedMap<Item>;
    for (const item of items) set = this.with(set, item);
    return set;
  }
}

/** The union of two sets. */
export function unionOf<Item>(a: SharedMap<Item>, b: SharedMap<Item>): SharedMap<Item> {
  return joined(a, b, first);
}

/**
 * The union of `a` and `b`, given that `contains` is a superset of `contained`. Subtrees that `a` shares with `contains` and `b` with
 * `contained` are not visited.
 */
export function unionBeyond<Item>(
  [contains, contained]: readonly [SharedMap<Item>, SharedMap<Item>],
  a: SharedMap<Item>,
  b: SharedMap<Item>,
): SharedMap<Item> {
  if (b === undefined || (a === contains && b === contained)) return a;
  if (a === undefined || a === b || contained === undefined || contains === undefined || isLeaf(b))
    return unionOf(a, b);
  const bit = Math.max(branchOf(a, b), branchOf(a, contains), branchOf(a, contained));
  const [low, high] = ([0, 1] as const).map((value) =>
    unionBeyond([half(contains, value, bit), half(contained, value, bit)], half(a, value, bit), half(b, value, bit)),
  );
  return isForkOf(a, low, high) ? a : fork(b, bit, low, high);
}

/** The set with an item; the same set if it contains the item. */
function withLeaf<Item>(set: SharedMap<Item>, leaf: Leaf<Item>): Leaf<Item> | Fork<Item> {
  if (set === undefined) return leaf;
  if (isLeaf(set)) return set.key === leaf.key ? set : apart(set, leaf);
  const { bit, prefix, low, high } = set;
  if ((prefix ^ leaf.key) >>> bit > 1) return apart(set, leaf);
  if (((leaf.key >>> bit) & 1) === 0) {
    const wider = withLeaf(low, leaf);
    return wider === low ? set : { bit, prefix, low: wider, high };
  }
  const wider = withLeaf(high, leaf);
  return wider === high ? set : { bit, prefix, low, high: wider };
}

/** The union of a set and an item whose numbers differ above the set's own bit. */
function apart<Item>(set: Leaf<Item> | Fork<Item>, leaf: Leaf<Item>): Fork<Item> {
  const bit = branchOf(set, leaf);
  return {
    bit,
    prefix: (leaf.key >>> (bit + 1)) << (bit + 1),
    low: half(leaf, 0, bit) ?? set,
    high: half(leaf, 1, bit) ?? set,
  };
}

function first<V>(value: V): V {
  return value;
}

function isLeaf<V>(map: Leaf<V> | Fork<V>): map is Leaf<V> {
  return 'key' in map;
}

export function lookUp<V>(map: SharedMap<V>, key: number): V | undefined {
  let at = map;
  while (at !== undefined && !isLeaf(at)) at = ((key >>> at.bit) & 1) === 0 ? at.low : at.high;
  return at !== undefined && at.key === key ? at.value : undefined;
}

export function withValue<V>(map: SharedMap<V>, key: number, value: V): SharedMap<V> {
  return joined(map, { key, value }, (_, given) => given);
}

export function withoutValue<V>(map: SharedMap<V>, key: number): SharedMap<V> {
  if (map === undefined) return undefined;
  if (isLeaf(map)) return map.key === key ? undefined : map;
  return ((key >>> map.bit) & 1) === 0
    ? fork(map, map.bit, withoutValue(map.low, key), map.high)
    : fork(map, map.bit, map.low, withoutValue(map.high, key));
}

/** The union of two maps; `combine` computes the value of a name that has different values in both. */
export function joined<V>(a: SharedMap<V>, b: SharedMap<V>, combine: (a: V, b: V) => V): SharedMap<V> {
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

/** The entries of `a` whose names have equal values in `b`. */
export function common<V>(a: SharedMap<V>, b: SharedMap<V>, agree: (a: V, b: V) => boolean): SharedMap<V> {
  if (a === b || a === undefined) return a;
  if (b === undefined) return undefined;
  if (isLeaf(a) && isLeaf(b))
    return a.key === b.key && (a.value === b.value || agree(a.value, b.value)) ? a : undefined;
  const bit = branchOf(a, b);
  const low = common(half(a, 0, bit), half(b, 0, bit), agree);
  const high = common(half(a, 1, bit), half(b, 1, bit), agree);
  return fork(a, bit, low, high);
}

/** The entries of `a` whose names are not in `b`. */
export function difference<V, W>(a: SharedMap<V>, b: SharedMap<W>): SharedMap<V> {
  if (a === undefined || Object.is(a, b)) return undefined;
  if (b === undefined) return a;
  if (isLeaf(a) && isLeaf(b)) return a.key === b.key ? undefined : a;
  const bit = branchOf(a, b);
  const low = difference(half(a, 0, bit), half(b, 0, bit));
  const high = difference(half(a, 1, bit), half(b, 1, bit));
  return fork(a, bit, low, high);
}

/** Whether `b` contains all names of `a`, with values that agree. */
export function isPartOf<V>(a: SharedMap<V>, b: SharedMap<V>, agree: (a: V, b: V) => boolean): boolean {
  if (a === b || a === undefined) return true;
  if (b === undefined) return false;
  if (isLeaf(a) && isLeaf(b)) return a.key === b.key && (a.value === b.value || agree(a.value, b.value));
  const bit = branchOf(a, b);
  return isPartOf(half(a, 0, bit), half(b, 0, bit), agree) && isPartOf(half(a, 1, bit), half(b, 1, bit), agree);
}

/** Calls `visit` for each name that is in both maps, except for names whose values are the same as in the two maps `except`. */
export function visitCommon<V, W>(
  [a, b]: readonly [SharedMap<V>, SharedMap<W>],
  except: readonly [SharedMap<V>, SharedMap<W>] | undefined,
  visit: (key: number, a: V, b: W) => void,
): void {
  if (a === undefined || b === undefined || (a === except?.[0] && b === except[1])) return;
  const [c, d] = except ?? [];
  if (isLeaf(a) && isLeaf(b)) {
    const isKnown = lookUp(c, a.key) === a.value && lookUp(d, b.key) === b.value;
    if (a.key === b.key && !isKnown) visit(a.key, a.value, b.value);
    return;
  }
  const bit = Math.max(branchOf(a, b), c === undefined ? -1 : branchOf(a, c), d === undefined ? -1 : branchOf(a, d));
  for (const value of [0, 1] as const) {
    const rest = except && ([c && half(c, value, bit), d && half(d, value, bit)] as const);
    visitCommon([half(a, value, bit), half(b, value, bit)], rest, visit);
  }
}

/** The values, in the order of their names. */
export function* valuesOf<V>(map: SharedMap<V>): Iterable<V> {
  if (map === undefined) return;
  if (isLeaf(map)) yield map.value;
  else {
    yield* valuesOf(map.low);
    yield* valuesOf(map.high);
  }
}

/** The names, in ascending order. */
export function keysOf<V>(map: SharedMap<V>, into: number[] = []): number[] {
  if (map === undefined) return into;
  if (isLeaf(map)) into.push(map.key);
  else keysOf(map.high, keysOf(map.low, into));
  return into;
}

/** The highest bit in which names of the two maps differ, given that they are not the same single name. */
function branchOf<V, W>(a: Leaf<V> | Fork<V>, b: Leaf<W> | Fork<W>): number {
  const apart = 31 - Math.clz32(prefixOf(a) ^ prefixOf(b));
  return Math.max(apart, isLeaf(a) ? -1 : a.bit, isLeaf(b) ? -1 : b.bit);
}

function prefixOf<V>(map: Leaf<V> | Fork<V>): number {
  return isLeaf(map) ? map.key : map.prefix;
}

/** The names in which the bit is `value`. The bit must not be lower than that of the map. */
function half<V>(map: Leaf<V> | Fork<V>, value: 0 | 1, bit: number): SharedMap<V> {
  if (!isLeaf(map) && map.bit === bit) return value === 0 ? map.low : map.high;
  return ((prefixOf(map) >>> bit) & 1) === value ? map : undefined;
}

function isForkOf<V>(map: Leaf<V> | Fork<V>, low: SharedMap<V>, high: SharedMap<V>): boolean {
  return !isLeaf(map) && map.low === low && map.high === high;
}

/** A map of two halves: `known` if it consists of them, and the other half if one is empty. */
function fork<V>(known: Leaf<V> | Fork<V>, bit: number, low: SharedMap<V>, high: SharedMap<V>): SharedMap<V> {
  if (isForkOf(known, low, high)) return known;
  if (low === undefined || high === undefined) return low ?? high;
  return { bit, prefix: (prefixOf(low) >>> (bit + 1)) << (bit + 1), low, high };
}
