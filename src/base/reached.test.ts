import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Reached } from './reached.js';

const union = (a: ReadonlySet<number>, b: ReadonlySet<number>): ReadonlySet<number> => new Set([...a, ...b]);

/** Vertices reached from a start, by breadth-first search. */
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

it('unites the marked vertices that are reached', () => {
  const even = (vertex: number): ReadonlySet<number> => (vertex % 2 === 0 ? new Set([vertex]) : new Set());
  const marked = (edges: readonly (readonly number[])[], start: number) =>
    [...walk(edges, start)].filter((vertex) => vertex % 2 === 0).sort();
  let state = 7;
  const below = (n: number): number => {
    state = (state * 48271) % 2147483647;
    return state % n;
  };
  for (let graph = 0; graph < 200; graph++) {
    const size = 1 + below(12);
    const edges = Array.from({ length: size }, () => Array.from({ length: below(4) }, () => below(size)));
    const reached = new Reached<number, ReadonlySet<number>>((vertex) => edges[vertex], even, union);
    for (let k = 0; k < size; k++) {
      const start = below(size);
      assert.deepEqual([...reached.from(start)].sort(), marked(edges, start));
      const both = union(reached.from(start), reached.from(0));
      assert.deepEqual(both, new Set([...marked(edges, start), ...marked(edges, 0)]));
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
