import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { common, isPartOf, joined, keysOf, lookUp, type NameMap, withoutValue, withValue } from './name-map.js';

const entries = fc.array(fc.tuple(fc.nat(40), fc.nat(3)));

function mapOf(pairs: readonly (readonly [number, number])[]): NameMap<number> {
  return pairs.reduce<NameMap<number>>((map, [key, value]) => withValue(map, key, value), undefined);
}

function contentOf(map: NameMap<number>): Map<number, number | undefined> {
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
