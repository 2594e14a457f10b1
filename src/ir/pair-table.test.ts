import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PairTable } from './pair-table.js';

test('each pair keeps its number while the table grows', () => {
  const table = new PairTable();
  const numbers = new Map<string, number>();
  for (let k = 0; k < 5000; k++) {
    const pair = [(k * 37) % 101, -((k * 53) % 97)] as const;
    const known = numbers.get(pair.join()) ?? numbers.size;
    assert.equal(table.numberOf(...pair, numbers.size), known);
    numbers.set(pair.join(), known);
  }
  assert.equal(table.numberOf(1, 2, -7), -7);
  assert.notEqual(table.numberOf(2, 1, 8), table.numberOf(1, 2, 9));
});
