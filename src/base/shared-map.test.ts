import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  common,
  difference,
  ItemSets,
  isPartOf,
  joined,
  keysOf,
  lookUp,
  type SharedMap,
  unionBeyond,
  unionOf,
  valuesOf,
  visitCommon,
  withoutValue,
  withValue,
} from './shared-map.js';

const entries = fc.array(fc.tuple(fc.nat(40), fc.nat(3)));

function mapOf(pairs: readonly (readonly [number, number])[]): SharedMap<number> {
  return pairs.reduce<SharedMap<number>>((map, [key, value]) => withValue(map, key, value), undefined);
}

function contentOf(map: SharedMap<number>): Map<number, number | undefined> {
  return new Map(
    keysOf(map)
      .sort((a, b) => a - b)
      .map((key) => [key, lookUp(map, key)]),
  );
}

function sorted(map: Map<number, number>): Map<number, number> {
  return new Map([...map].sort(([a], [b]) => a - b));
}

const equal = (a: number, b: number): boolean => a === b;

test('it contains what a Map contains', () => {
  fc.assert(
    fc.property(entries, fc.nat(40), (pairs, removed) => {
      const map = withoutValue(mapOf(pairs), removed);
      const expected = new Map(pairs);
      expected.delete(removed);
      assert.deepEqual(contentOf(map), sorted(expected));
    }),
  );
});

test('adding an item to a set gives the union with it, and the same set if it contains the item', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40)), fc.array(fc.nat(40)), (numbered, items) => {
      const sets = new ItemSets<number>();
      for (const item of numbered) sets.of([item]);
      const set = sets.of(items);
      assert.deepEqual(new Set(valuesOf(set)), new Set(items));
      for (const item of [...numbered, ...items]) {
        assert.deepEqual(sets.with(set, item), unionOf(set, sets.of([item])));
        if (items.includes(item)) assert.equal(sets.with(set, item), set);
      }
    }),
  );
});

test('joining, intersecting and comparing work as for sets of pairs', () => {
  fc.assert(
    fc.property(entries, entries, (left, right) => {
      const [a, b] = [mapOf(left), mapOf(right)];
      const [x, y] = [new Map(left), new Map(right)];
      const both = new Map(x);
      for (const [key, value] of y) both.set(key, Math.max(value, x.get(key) ?? 0));
      const shared = [...x].filter(([key, value]) => y.get(key) === value);
      assert.deepEqual(contentOf(joined(a, b, Math.max)), sorted(both));
      assert.deepEqual(contentOf(common(a, b, equal)), sorted(new Map(shared)));
      assert.equal(isPartOf(a, b, equal), shared.length === x.size);
    }),
  );
});

test('maps share unchanged parts', () => {
  const map = mapOf([
    [1, 0],
    [2, 0],
    [3, 0],
  ]);
  assert.equal(withValue(map, 2, 0), map);
  assert.equal(withoutValue(map, 9), map);
  assert.equal(joined(map, mapOf([[2, 0]]), Math.max), map);
});

test('names in both maps are visited, except where both are as in two others', () => {
  fc.assert(
    fc.property(entries, entries, entries, entries, (left, right, more, others) => {
      const [a, b] = [mapOf(left), mapOf(right)];
      const except = [joined(a, mapOf(more), Math.max), joined(b, mapOf(others), Math.max)] as const;
      const visited: (readonly [number, number, number])[] = [];
      visitCommon([a, b], except, (key, first, second) => visited.push([key, first, second]));
      const isSame = (key: number): boolean =>
        lookUp(a, key) === lookUp(except[0], key) && lookUp(b, key) === lookUp(except[1], key);
      const expected = keysOf(a).filter((key) => lookUp(b, key) !== undefined && !isSame(key));
      assert.deepEqual(
        visited.sort(([x], [y]) => x - y),
        expected.sort((x, y) => x - y).map((key) => [key, lookUp(a, key), lookUp(b, key)]),
      );
    }),
  );
});

const items = fc.array(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'));

test('sets of items are sets', () => {
  fc.assert(
    fc.property(items, items, items, (left, right, apart) => {
      const sets = new ItemSets<string>();
      const [a, b, c] = [left, right, apart].map((some) => sets.of(some));
      const contentOfSet = (set: SharedMap<string>): ReadonlySet<string> => new Set(valuesOf(set));
      const both = new Set([...left, ...right]);
      assert.deepEqual(contentOfSet(unionOf(a, b)), both);
      assert.deepEqual(contentOfSet(difference(a, b)), new Set(left.filter((item) => !right.includes(item))));
      const withA = unionOf(a, c);
      assert.deepEqual(contentOfSet(unionBeyond([withA, a], unionOf(withA, b), a)), new Set([...both, ...apart]));
      assert.deepEqual(contentOfSet(unionBeyond([withA, a], a, b)), both);
      for (const item of left) assert.equal(sets.has(sets.without(a, item), item), false);
      assert.equal(
        left.reduce((set, item) => sets.with(set, item), a),
        a,
      );
    }),
  );
});
