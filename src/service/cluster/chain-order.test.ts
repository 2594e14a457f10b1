import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChainOrder, type ChainStage, type OrderedChain } from './chain-order.js';

const STAGES: readonly ChainStage[] = ['waiting', 'taken', 'left', 'ended'];

function chain(operation: string, place = 0, attempt = 0): OrderedChain {
  return { key: `${operation}.${attempt}.${place}`, operation, attempt, place };
}

/** The chain to take next, found by a linear search. */
function expectedNext(states: ReadonlyMap<OrderedChain, ChainStage>, except: ReadonlySet<string>): string | undefined {
  const groupOf = ({ operation, attempt }: OrderedChain) => `${operation}.${attempt}`;
  const takenOf = (each: OrderedChain) =>
    [...states].filter(([other, stage]) => stage === 'taken' && groupOf(other) === groupOf(each)).length;
  const free = [...states].flatMap(([each, stage]) => (stage === 'waiting' || stage === 'left' ? [each] : []));
  const [first] = free
    .filter(({ key }) => !except.has(key))
    .sort(
      (a, b) =>
        takenOf(a) - takenOf(b) || a.attempt - b.attempt || a.operation.localeCompare(b.operation) || a.place - b.place,
    );
  return first?.key;
}

describe('the order in which workers take chains', () => {
  it('begins with the operation that has the fewest running chains, and then with the oldest', () => {
    const order = new ChainOrder();
    for (const place of [0, 1]) order.set(chain('first', place, 1), 'waiting');
    order.set(chain('second', 0, 2), 'waiting');
    const taken: string[] = [];
    for (let key = order.next(new Set()); key !== undefined; key = order.next(new Set())) {
      taken.push(key);
      const [operation = '', attempt, place] = key.split('.');
      order.set(chain(operation, Number(place), Number(attempt)), 'taken');
    }
    assert.deepEqual(taken, ['first.1.0', 'second.2.0', 'first.1.1']);
  });

  it('counts the operations without a started chain, and returns their positions', () => {
    const order = new ChainOrder();
    for (const [k, name] of ['a', 'b', 'c'].entries()) order.set(chain(name, 0, k), 'waiting');
    order.set(chain('a', 0, 0), 'taken');
    assert.equal(order.waiting, 2);
    assert.deepEqual([order.placeOf('a', 0), order.placeOf('b', 1), order.placeOf('c', 2)], [undefined, 1, 2]);
  });

  it('agrees with its definition after any changes', () => {
    let state = 1;
    const random = (count: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * count);
    };
    const chains = Array.from({ length: 24 }, (_, k) => chain('abcd'[k % 4] ?? '', k % 3, random(4)));
    const unique = [...new Map(chains.map((each) => [each.key, each])).values()];
    const order = new ChainOrder();
    const states = new Map<OrderedChain, ChainStage>();
    for (let step = 0; step < 5000; step++) {
      const each = unique[random(unique.length)];
      assert.ok(each !== undefined);
      const stage = STAGES[random(STAGES.length + 1)];
      if (stage === undefined) {
        order.delete(each.key);
        states.delete(each);
      } else {
        order.set(each, stage);
        states.set(each, stage);
      }
      const except = new Set(unique.filter(() => random(4) === 0).map(({ key }) => key));
      assert.equal(order.next(except), expectedNext(states, except));
      assert.deepEqual(
        [...order.taken].map(({ key }) => key).sort(),
        [...states].flatMap(([{ key }, now]) => (now === 'taken' ? [key] : [])).sort(),
      );
    }
  });
});
