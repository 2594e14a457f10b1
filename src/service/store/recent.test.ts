import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Recent } from './recent.js';

test('the oldest entries are removed, by number or by size', () => {
  const recent = new Recent(3, 100);
  for (const name of ['a', 'b', 'c']) recent.add(name, 20);
  assert.deepEqual(recent.takeSurplus(), []);
  recent.add('a', 20);
  recent.add('d', 20);
  assert.deepEqual(recent.takeSurplus(), ['b']);
  recent.add('c', 90);
  assert.deepEqual(recent.takeSurplus(), ['a', 'd']);
  assert.deepEqual(recent.names(), ['c']);
});

test('a single entry that is too large remains, and removed ones no longer count', () => {
  const recent = new Recent(3, 100);
  recent.add('large', 1000);
  assert.deepEqual(recent.takeSurplus(), []);
  recent.remove('large');
  for (const name of ['a', 'b']) recent.add(name, 50);
  assert.deepEqual(recent.takeSurplus(), []);
});
