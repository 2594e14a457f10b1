import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { arena, kernel } from './linear.js';

beforeEach(() => arena.reset());

/** The first positions of the distinct rows and the number of occurrences of each. */
function grouped(rows: readonly (readonly number[])[], limit: number): { first: number[]; counts: number[] } {
  const starts = [0];
  for (const row of rows) starts.push(starts[starts.length - 1] + row.length);
  const slots = limit + 1;
  const [first, counts, table] = [arena.bytes(4 * limit), arena.doubles(limit), arena.bytes(4 * slots)];
  const keys = arena.write(rows.flat());
  const width = rows.every(({ length }) => length === rows[0].length) && (rows[0]?.length ?? 0);
  const [at, each] = width === false ? [arena.writeInts(starts), 0] : [0, width];
  const found = kernel('group_rows')(first, counts, 0, keys, at, each, table, slots, rows.length, limit);
  return { first: [...arena.ints(first, found)], counts: [...arena.view(counts, found)] };
}

describe('equal rows', () => {
  it('are counted in the order of their first occurrences', () => {
    assert.deepEqual(grouped([[3, 1], [2, 1], [3, 1], [3], [], [2, 1], [3, 1], []], 5), {
      first: [0, 1, 3, 4],
      counts: [3, 2, 1, 2],
    });
  });
  it('have one length or several lengths', () => {
    const rows = [
      [3, 1],
      [2, 1],
      [3, 1],
      [1, 3],
      [2, 1],
    ];
    const expected = { first: [0, 1, 3], counts: [2, 2, 1] };
    assert.deepEqual(grouped(rows, 3), expected);
    assert.deepEqual(grouped([...rows, []], 4), { first: [0, 1, 3, 5], counts: [2, 2, 1, 1] });
  });
  it('have the same bits', () => {
    assert.deepEqual(grouped([[0], [-0], [Number.NaN], [0], [Number.NaN]], 5), { first: [0, 1, 2], counts: [2, 1, 2] });
  });
  it('are not searched for beyond the limit', () => {
    assert.deepEqual(grouped([[1], [2], [1], [3]], 2), { first: [], counts: [] });
    assert.deepEqual(grouped([[1]], 0), { first: [], counts: [] });
    assert.deepEqual(grouped([], 0), { first: [], counts: [] });
  });
  it('are found among 3,000 rows with 50 distinct ones', () => {
    const rows = Array.from({ length: 3000 }, (_, k) => [(k * k) % 50, 1 / (1 + ((k * k) % 50))]);
    const expected = new Map<number, number>();
    for (const [kind] of rows) expected.set(kind, (expected.get(kind) ?? 0) + 1);
    const { first, counts } = grouped(rows, 50);
    assert.deepEqual(
      first.map((k) => rows[k][0]),
      [...expected.keys()],
    );
    assert.deepEqual(counts, [...expected.values()]);
  });
});
