import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Separation } from './separation.js';

const SIZE = 9;
const edges = fc.array(fc.tuple(fc.nat(SIZE - 1), fc.nat(SIZE - 1)), { maxLength: 14 });

function reaches(neighbors: readonly (readonly number[])[], start: number, except: number): boolean {
  const met = new Set([start, except]);
  const waiting = [start];
  for (let vertex = waiting.pop(); vertex !== undefined; vertex = waiting.pop()) {
    if (vertex === 0) return true;
    for (const next of neighbors[vertex]) {
      if (met.has(next)) continue;
      met.add(next);
      waiting.push(next);
    }
  }
  return false;
}

test('it agrees with a search without the vertex', () => {
  fc.assert(
    fc.property(edges, (pairs) => {
      const neighbors = Array.from({ length: SIZE }, (): number[] => []);
      for (const [a, b] of pairs) {
        neighbors[a].push(b);
        neighbors[b].push(a);
      }
      const separation = new Separation(neighbors);
      for (let vertex = 1; vertex < SIZE; vertex++) {
        for (let except = 1; except < SIZE; except++) {
          if (vertex !== except)
            assert.equal(separation.isConnected(vertex, except), reaches(neighbors, vertex, except));
        }
      }
    }),
    { numRuns: 500 },
  );
});
