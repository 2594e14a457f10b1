import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { MemoryAccount, MemoryBudget } from './memory-budget.js';
import { type Keeper, ThreadMemory } from './thread-memory.js';

const MEBIBYTE = 2 ** 20;

/** A cache of models with these sizes. */
class Kept implements Keeper {
  noteDropped: (bytes: number) => void = () => {};
  sizes: number[];
  constructor(sizes: number[]) {
    this.sizes = sizes;
  }
  get bytes(): number {
    return this.sizes.reduce((sum, size) => sum + size, 0);
  }
  drop(largerThan: number): void {
    const before = this.bytes;
    this.sizes = this.sizes.filter((size) => size <= largerThan);
    this.noteDropped(before - this.bytes);
  }
}

function threadWith(sizes: number[], requestRelease = () => {}) {
  const budget = new MemoryBudget(100 * MEBIBYTE);
  const account = new MemoryAccount(budget.openAccount());
  const keeper = new Kept(sizes);
  assert.ok(account.take(keeper.bytes));
  const memory = new ThreadMemory(account, keeper, requestRelease);
  keeper.noteDropped = (bytes) => memory.noteDropped(bytes);
  return { budget, account, keeper, memory };
}

describe('the memory of a thread', () => {
  it('uses free memory first, then memory of the models that the thread caches', () => {
    const { budget, keeper, memory } = threadWith([40 * MEBIBYTE]);
    assert.ok(memory.claim(50 * MEBIBYTE));
    assert.equal(keeper.bytes, 40 * MEBIBYTE);
    assert.ok(memory.claim(20 * MEBIBYTE));
    assert.equal(keeper.bytes, 0);
    assert.equal(budget.used, 70 * MEBIBYTE);
  });

  it('requests memory from other threads if that is not enough, and fails if they have none', () => {
    let asked = 0;
    const { budget, memory } = threadWith([], () => asked++);
    const other = new MemoryAccount(budget.openAccount());
    assert.ok(other.take(90 * MEBIBYTE));
    assert.ok(!memory.claim(20 * MEBIBYTE));
    assert.equal(asked, 1);
    assert.equal(budget.used, 90 * MEBIBYTE);
  });

  it('returns unused memory after a job', () => {
    const { account, memory } = threadWith([MEBIBYTE]);
    assert.ok(memory.claim(30 * MEBIBYTE));
    memory.settle();
    assert.equal(account.bytes, MEBIBYTE);
  });

  it('drops large models after a time without work', () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const { account, keeper } = threadWith([MEBIBYTE, 60 * MEBIBYTE]);
      mock.timers.tick(60_000);
      assert.deepEqual(keeper.sizes, [MEBIBYTE]);
      assert.equal(account.bytes, MEBIBYTE);
    } finally {
      mock.timers.reset();
    }
  });
});
