import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FairQueue } from './fair-queue.js';

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

describe('a fair queue with several clients', () => {
  /** The next items, each released as soon as it is taken. */
  function served(queue: FairQueue<string>, count: number): (string | undefined)[] {
    return Array.from({ length: count }, () => {
      const item = queue.take();
      if (item !== undefined) queue.release(item.slice(1), item.slice(0, 1));
      return item;
    });
  }

  it('serves them in turn, however many items one has', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a1', 'a2', 'a3', 'a4', 'b5', 'b6', 'c7']) queue.add(item.slice(1), item, item.slice(0, 1));
    assert.deepEqual(served(queue, 8), ['a1', 'b5', 'c7', 'a2', 'b6', 'a3', 'a4', undefined]);
  });

  it('serves the one with the fewest taken items first', () => {
    const queue = new FairQueue<string>();
    for (let k = 0; k < 5; k++) queue.add(`a${k}`, `a${k}`, 'a');
    assert.deepEqual([queue.take(), queue.take(), queue.take()], ['a0', 'a1', 'a2']);
    queue.add('b', 'b0', 'b');
    queue.add('b', 'b1', 'b');
    queue.add('b', 'b2', 'b');
    assert.deepEqual([queue.take(), queue.take(), queue.take()], ['b0', 'b1', 'b2']);
    assert.equal(queue.take(), 'a3');
  });

  it('prefers the one that was not served, although the other has waited longer', () => {
    const queue = new FairQueue<string>();
    queue.add('s', 'a0', 'a');
    assert.equal(queue.take(), 'a0');
    queue.add('s', 'a1', 'a');
    queue.add('s', 'b0', 'b');
    queue.release('s', 'a');
    assert.equal(queue.take(), 'b0');
  });

  it('limits the items of a share over all clients', () => {
    const queue = new FairQueue<string>(1);
    queue.add('s', 'a0', 'a');
    queue.add('s', 'b0', 'b');
    assert.deepEqual([queue.takeable, queue.take(), queue.take()], [1, 'a0', undefined]);
    queue.release('s', 'a');
    assert.equal(queue.take(), 'b0');
  });

  it('admits one client up to the limit, and others below an equal share even if it is full', () => {
    const queue = new FairQueue<string>();
    const added: Record<string, number> = {};
    const fill = (client: string) => {
      for (added[client] = 0; queue.admits(client, 12); added[client]++) queue.add('s', client, client);
    };
    for (const client of ['a', 'b', 'c', 'd']) fill(client);
    assert.deepEqual(added, { a: 12, b: 6, c: 4, d: 2 });
    assert.equal(queue.length, 24);
  });
});
