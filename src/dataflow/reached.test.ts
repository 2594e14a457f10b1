import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Reached } from './reached.js';

describe('Reached', () => {
  it('equals a search from each node of random graphs', () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 48271) % 2147483647;
      return seed % below;
    };
    for (let graph = 0; graph < 200; graph++) {
      const size = 1 + random(12);
      const edges = Array.from({ length: size }, () => Array.from({ length: random(4) }, () => random(size)));
      const isMarked = (node: number): boolean => node % 2 === 0;
      const reached = new Reached<number>((node) => edges[node], isMarked);
      for (let k = 0; k < size; k++) {
        const node = random(size);
        const all = new Set([node]);
        for (const each of all) for (const next of edges[each]) all.add(next);
        const expected = [...all].filter(isMarked).sort((a, b) => a - b);
        assert.deepEqual(
          [...reached.from(node)].sort((a, b) => a - b),
          expected,
        );
        const both = new Set([...expected, ...reached.from(0)]);
        assert.deepEqual(new Set(reached.union([node, 0])), both);
      }
    }
  });
});
