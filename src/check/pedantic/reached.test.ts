import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Reached } from './reached.js';

const union = (a: ReadonlySet<number>, b: ReadonlySet<number>): ReadonlySet<number> => new Set([...a, ...b]);

/** Vertices reached from a start, one after the other. */
function walk(edges: readonly (readonly number[])[], start: number): ReadonlySet<number> {
  const met = new Set([start]);
  for (const vertex of met) for (const next of edges[vertex]) met.add(next);
  return met;
}

it('unites the sets that the vertices of random graphs reach, in any order of queries', () => {
  let state = 7;
  const below = (n: number): number => {
    state = (Math.imul(state, 48271) >>> 0) % 2147483647;
    return state % n;
  };
  for (let trial = 0; trial < 300; trial++) {
    const size = 1 + below(9);
    const edges = Array.from({ length: size }, () => Array.from({ length: below(3) }, () => below(size)));
    const reached = new Reached<number, ReadonlySet<number>>(
      (vertex) => edges[vertex],
      (vertex) => new Set([vertex]),
      union,
    );
    for (let k = 0; k < size; k++) {
      const start = below(size);
      assert.deepEqual(
        [...reached.from(start)].sort(),
        [...walk(edges, start)].sort(),
        JSON.stringify({ edges, start }),
      );
    }
  }
});

it('follows a chain of 100,000 vertices', () => {
  const reached = new Reached<number, number>(
    (vertex) => (vertex === 0 ? [] : [vertex - 1]),
    (vertex) => vertex,
    Math.max,
  );
  assert.equal(reached.from(100_000), 100_000);
});
