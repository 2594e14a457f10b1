import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SmallMap, SmallSet } from './small.js';

const KEYS = Array.from({ length: 30 }, (_, id) => ({ id }));

test('a small set reports new elements at any size', () => {
  const set = new SmallSet<object>();
  for (const key of KEYS) {
    assert.equal(set.add(key), true);
    assert.equal(set.add(key), false);
    assert.equal(set.add(KEYS[0]), false);
  }
  assert.deepEqual(
    KEYS.map((key) => set.add(key)),
    KEYS.map(() => false),
  );
});

test('a small map returns its values at any size', () => {
  const map = new SmallMap<object, number>();
  for (const [k, key] of KEYS.entries()) {
    assert.equal(map.get(key), undefined);
    map.set(key, k);
    assert.deepEqual([map.get(KEYS[0]), map.get(key)], [0, k]);
  }
  assert.deepEqual(
    KEYS.map((key) => map.get(key)),
    KEYS.map((_, k) => k),
  );
});
