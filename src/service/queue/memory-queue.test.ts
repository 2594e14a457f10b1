import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomIdentifier } from '../store/identifiers.js';
import type { OperationRecord } from '../store/operation-record.js';
import { MemoryQueue } from './memory-queue.js';

const FINISHED = { kind: 'finished' } as const;

function operation(chains: number): OperationRecord {
  return {
    id: randomIdentifier(),
    modelId: randomIdentifier(),
    function: 'stan::services::sample::fixed_param',
    seed: 1,
    arguments: {},
    chains: Array.from({ length: chains }, (_, index) => ({ chain: index + 1 })),
    created: new Date().toISOString(),
  };
}

function requestAll(queue: MemoryQueue, record: OperationRecord): Promise<string>[] {
  return record.chains.map((_, index) =>
    queue.run({ record, index }, {}).then(
      ({ kind }) => kind,
      ({ reason }) => reason,
    ),
  );
}

test('a worker receives a chain from the operation with the fewest running chains', async () => {
  const queue = new MemoryQueue();
  const [first, second] = [operation(3), operation(1)];
  const ended = [...requestAll(queue, first), ...requestAll(queue, second)];
  const taken = [await queue.take(), await queue.take(), await queue.take()];
  assert.deepEqual(
    taken.map((lease) => [lease?.task.record.id, lease?.task.index]),
    [
      [first.id, 0],
      [second.id, 0],
      [first.id, 1],
    ],
  );
  await queue.close();
  assert.deepEqual(await Promise.all(ended), ['closed', 'closed', 'closed', 'closed']);
});

test('a drained queue lets started operations finish and stops the others', async () => {
  const queue = new MemoryQueue();
  const [first, second] = [operation(2), operation(1)];
  const ended = requestAll(queue, first);
  const left = requestAll(queue, second);
  const lease = await queue.take();
  queue.drain();
  assert.deepEqual(await Promise.all(left), ['closed']);
  assert.deepEqual(await Promise.all(requestAll(queue, operation(1))), ['closed']);
  const next = await queue.take();
  await lease?.acknowledge(FINISHED);
  await next?.acknowledge(FINISHED);
  assert.deepEqual(await Promise.all(ended), ['finished', 'finished']);
});

test('tasks and results are passed as the same objects', async () => {
  const queue = new MemoryQueue();
  const task = { record: operation(1), index: 0 };
  const ended = queue.run(task, {});
  const lease = await queue.take();
  assert.equal(lease?.task, task);
  await lease?.acknowledge(FINISHED);
  assert.equal(await ended, FINISHED);
});
