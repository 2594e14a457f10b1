import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { MemoryAccount, MemoryBudget } from './memory-budget.js';

const MEBIBYTE = 2 ** 20;

describe('a memory budget', () => {
  it('grants at most its limit, to any number of threads', () => {
    const budget = new MemoryBudget(10 * MEBIBYTE);
    const [first, second] = [1, 2].map(() => new MemoryAccount(budget.openAccount()));
    assert.ok(first.take(6 * MEBIBYTE));
    assert.ok(!second.take(5 * MEBIBYTE));
    assert.ok(second.take(4 * MEBIBYTE));
    assert.equal(budget.used, 10 * MEBIBYTE);
    assert.ok(!first.take(1));
    first.settle(MEBIBYTE);
    assert.equal(first.bytes, MEBIBYTE);
    assert.ok(second.take(5 * MEBIBYTE));
  });

  it('recovers the memory of a thread that has ended', () => {
    const budget = new MemoryBudget(MEBIBYTE);
    const setup = budget.openAccount();
    assert.ok(new MemoryAccount(setup).take(MEBIBYTE));
    budget.closeAccount(setup);
    assert.equal(budget.used, 0);
    assert.equal(budget.openAccount().account, setup.account);
  });

  it('makes a thread wait until another one returns memory', async () => {
    const budget = new MemoryBudget(MEBIBYTE);
    const account = new MemoryAccount(budget.openAccount());
    assert.ok(account.take(MEBIBYTE));
    assert.ok(!account.takeWithin(1, 10));
    const code = `
      const { parentPort, workerData } = require('node:worker_threads');
      import(workerData.module).then(({ MemoryAccount }) => {
        parentPort.postMessage('asks');
        parentPort.postMessage(new MemoryAccount(workerData.setup).takeWithin(${MEBIBYTE}, 60_000));
      });`;
    const module = new URL('./memory-budget.js', import.meta.url).href;
    const worker = new Worker(code, { eval: true, workerData: { module, setup: budget.openAccount() } });
    const messages: unknown[] = [];
    await new Promise<void>((resolve, reject) => {
      worker.on('error', reject);
      worker.on('message', (message) => {
        messages.push(message);
        if (message === 'asks') setTimeout(() => account.settle(0), 20);
        else resolve();
      });
    });
    await worker.terminate();
    assert.deepEqual(messages, ['asks', true]);
    assert.equal(budget.used, MEBIBYTE);
  });
});
