import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FairQueue } from '../threads/fair-queue.js';

function filled(maximumShare?: number): FairQueue<string> {
  const queue = new FairQueue<string>(maximumShare);
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1']) queue.add(item.slice(0, 1), item);
  return queue;
}

describe('a fair queue', () => {
  it('serves the share with the fewest taken items, and equal shares in turn', () => {
    const queue = filled();
    assert.deepEqual(
      Array.from({ length: 6 }, () => queue.take()),
      ['a1', 'b1', 'c1', 'a2', 'a3', undefined],
    );
  });

  it('does not count released items', () => {
    const queue = filled();
    assert.equal(queue.take(), 'a1');
    queue.release('a');
    queue.remove('b', 'b1');
    queue.remove('c', 'c1');
    queue.add('d', 'd1');
    assert.equal(queue.take(), 'a2');
    assert.equal(queue.take(), 'd1');
  });

  it('limits the items of a share', () => {
    const queue = filled(1);
    assert.deepEqual([queue.take(), queue.take(), queue.take(), queue.take()], ['a1', 'b1', 'c1', undefined]);
    queue.release('a');
    assert.equal(queue.take(), 'a2');
  });

  it('removes items that wait', () => {
    const queue = filled();
    assert.equal(queue.remove('a', 'a2'), true);
    assert.equal(queue.remove('a', 'a2'), false);
    assert.equal(queue.length, 4);
    assert.deepEqual([...queue], ['a1', 'a3', 'b1', 'c1']);
  });

  it('returns several items of a share as one, and puts returned items before the others', () => {
    const queue = filled(1);
    assert.equal(queue.takeable, 3);
    assert.equal(queue.take(), 'a1');
    assert.deepEqual(
      queue.takeAlong('a', 5, (item) => item !== 'a3'),
      ['a2'],
    );
    assert.deepEqual(
      queue.takeAlong('a', 0, () => true),
      [],
    );
    assert.deepEqual([queue.length, queue.takeable], [3, 2]);
    queue.putBack('a', ['a2']);
    queue.release('a');
    assert.deepEqual([...queue].sort(), ['a2', 'a3', 'b1', 'c1']);
    queue.release('b');
    assert.deepEqual([queue.take(), queue.take(), queue.take()].sort(), ['a2', 'b1', 'c1']);
  });
});
