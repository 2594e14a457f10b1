import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { arena, kernel } from './linear.js';

beforeEach(() => arena.reset());

describe('sorting', () => {
  const x = [3, -1, 3, 7.5, 0, -1, 12, 5, 5, -8];
  it('sorts numbers in both directions', () => {
    const out = arena.doubles(x.length);
    kernel('sort_asc')(out, arena.write(x), x.length);
    assert.deepEqual(
      [...arena.view(out, x.length)],
      [...x].sort((a, b) => a - b),
    );
    kernel('sort_desc')(out, arena.write(x), x.length);
    assert.deepEqual(
      [...arena.view(out, x.length)],
      [...x].sort((a, b) => b - a),
    );
  });
  it('returns 1-based indices, with ties in order of position', () => {
    const out = arena.bytes(4 * x.length);
    const up = x.map((_, i) => i).sort((a, b) => (x[a] ?? 0) - (x[b] ?? 0));
    const down = x.map((_, i) => i).sort((a, b) => (x[b] ?? 0) - (x[a] ?? 0));
    kernel('sort_indices_asc')(out, arena.write(x), x.length);
    assert.deepEqual(
      [...arena.ints(out, x.length)],
      up.map((i) => i + 1),
    );
    kernel('sort_indices_desc')(out, arena.write(x), x.length);
    assert.deepEqual(
      [...arena.ints(out, x.length)],
      down.map((i) => i + 1),
    );
  });
  it('sorts integers', () => {
    const k = x.map(Math.trunc);
    const out = arena.bytes(4 * k.length);
    kernel('sort_asc_int')(out, arena.writeInts(k), k.length);
    assert.deepEqual(
      [...arena.ints(out, k.length)],
      [...k].sort((a, b) => a - b),
    );
    kernel('sort_desc_int')(out, arena.writeInts(k), k.length);
    assert.deepEqual(
      [...arena.ints(out, k.length)],
      [...k].sort((a, b) => b - a),
    );
    kernel('sort_indices_desc_int')(out, arena.writeInts(k), k.length);
    const down = k.map((_, i) => i).sort((a, b) => (k[b] ?? 0) - (k[a] ?? 0));
    assert.deepEqual(
      [...arena.ints(out, k.length)],
      down.map((i) => i + 1),
    );
  });
});
