/** Requirements on every implementation of a queue. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type {
  ChainBlock,
  ChainFollower,
  ChainResult,
  ChainTask,
  Lease,
  Queue,
} from '../../../src/service/queue/queue.js';
import type { OperationRecord } from '../../../src/service/store/operation-record.js';
import { JobStopped, type StopReason } from '../../../src/service/threads/job-stopped.js';
import { sampleRecord } from './records.js';

/** The queue as seen by two processes, which may be the same one. */
export interface QueuePair {
  /** Milliseconds. */
  readonly leaseTime: number;
  /** Lets time pass. */
  readonly pass: (milliseconds: number) => Promise<void>;
  readonly asking: Queue;
  readonly working: Queue;
  /** Records an operation, which must precede requests for its chains. */
  readonly record: (record: OperationRecord) => Promise<void>;
  close(): Promise<void>;
}

const FINISHED: ChainResult = { kind: 'finished' };
const REFUSED: ChainResult = { kind: 'refused', message: 'no', detail: { code: 'run-failed' } };

export function queueContract(name: string, skip: string | false, open: () => Promise<QueuePair>): void {
  describe(`the queue ${name}`, { skip }, () => {
    let pair: QueuePair;
    before(async () => {
      pair = await open();
    });
    after(() => pair.close());

    const ask = async (task: ChainTask, follower: ChainFollower = {}) => {
      await pair.record(task.record);
      return pair.asking.run(task, follower);
    };
    const take = async (): Promise<Lease> => {
      const lease = await pair.working.take();
      assert.ok(lease);
      return lease;
    };

    const until = async (holds: () => boolean): Promise<void> => {
      while (!holds()) await pair.pass(1);
    };

    test('passes a chain to a worker and reports its progress and result to the caller', async () => {
      const task = { record: sampleRecord({ chains: [{ chain: 3 }, { chain: 4 }] }), index: 1 };
      const told: string[] = [];
      const ended = ask(task, {
        onStart: () => told.push('start'),
        onProgress: ({ draws }) => told.push(`${draws} draws`),
      });
      const lease = await take();
      assert.deepEqual(lease.task, task);
      lease.begin('journal');
      // Progress received before the start is lost.
      await until(() => told.length === 1);
      lease.report({ draws: 7, gradients: 20 });
      await until(() => told.length === 2);
      const result: ChainResult = { kind: 'finished', adaptation: { stepsize: 0.5 } };
      assert.equal(await lease.acknowledge(result), true);
      assert.deepEqual(await ended, result);
      assert.deepEqual(told, ['start', '7 draws']);
      await pair.asking.remove(task.record.id);
    });

    test('keeps an extended lease', async () => {
      const task = { record: sampleRecord(), index: 0 };
      const ended = ask(task);
      const lease = await take();
      for (let k = 0; k < 7; k++) {
        await pair.pass(pair.leaseTime / 5);
        assert.equal(await lease.extend(), true);
      }
      assert.equal(lease.signal.aborted, false);
      assert.equal(await lease.acknowledge(FINISHED), true);
      assert.deepEqual(await ended, FINISHED);
      await pair.asking.remove(task.record.id);
    });

    test('passes a chain to another worker when its lease expires; later messages of the first one have no effect', async () => {
      const task = { record: sampleRecord(), index: 0 };
      const ended = ask(task);
      const first = await take();
      const [second] = await Promise.all([take(), pair.pass(pair.leaseTime)]);
      assert.deepEqual(second.task, task);
      assert.equal(first.signal.aborted, true);
      assert.equal(await first.extend(), false);
      assert.equal(await first.acknowledge(REFUSED), false);
      await first.release();
      assert.equal(await second.acknowledge(FINISHED), true);
      assert.deepEqual(await ended, FINISHED);
      await pair.asking.remove(task.record.id);
    });

    test('passes a returned chain to another worker', async () => {
      const task = { record: sampleRecord(), index: 0 };
      const ended = ask(task);
      await (await take()).release();
      const again = await take();
      assert.deepEqual(again.task, task);
      assert.equal(await again.acknowledge(FINISHED), true);
      assert.deepEqual(await ended, FINISHED);
      await pair.asking.remove(task.record.id);
    });

    test('runs a chain once that is requested twice, even if it has finished in between', async () => {
      const task = { record: sampleRecord(), index: 0 };
      const other = { record: sampleRecord(), index: 0 };
      const ended = [ask(task), ask(task)];
      const lease = await take();
      assert.equal(await lease.acknowledge(FINISHED), true);
      assert.deepEqual(await Promise.all(ended), [FINISHED, FINISHED]);
      assert.deepEqual(await ask(task), FINISHED);
      const otherEnded = ask(other);
      const next = await take();
      assert.equal(next.task.record.id, other.record.id);
      assert.equal(await next.acknowledge(FINISHED), true);
      await otherEnded;
      for (const { record } of [task, other]) await pair.asking.remove(record.id);
    });

    test('ends the chains of a removed operation, both running and waiting', async () => {
      const record = sampleRecord({ chains: [{ chain: 1 }, { chain: 2 }] });
      const ended = [0, 1].map((index) => stopOf(ask({ record, index })));
      const lease = await take();
      await pair.asking.remove(record.id);
      assert.deepEqual(await Promise.all(ended), ['cancelled', 'cancelled']);
      await until(() => lease.signal.aborted);
      assert.equal(await lease.acknowledge(FINISHED), false);
      const next = { record: sampleRecord(), index: 0 };
      const nextEnded = ask(next);
      const other = await take();
      assert.equal(other.task.record.id, next.record.id);
      await other.acknowledge(FINISHED);
      await nextEnded;
      await pair.asking.remove(next.record.id);
    });

    test('runs an operation again that was removed and requested again', async () => {
      const task = { record: sampleRecord(), index: 0 };
      const again = {
        record: { ...task.record, created: new Date(Date.parse(task.record.created) + 1).toISOString() },
        index: 0,
      };
      const ended = ask(task);
      const lease = await take();
      await lease.acknowledge(REFUSED);
      assert.deepEqual(await ended, REFUSED);
      await pair.asking.remove(task.record.id);
      const endedAgain = ask(again);
      const second = await take();
      assert.equal(await second.acknowledge(FINISHED), true);
      assert.deepEqual(await endedAgain, FINISHED);
      await pair.asking.remove(task.record.id);
    });

    test('runs the blocks of a chain in order, and returns at once for a repeated request for an earlier block', async () => {
      const { record } = { record: sampleRecord() };
      const seconds = { warmup: 0.5, sampling: 0.25 };
      const stopped = { reason: 'precise', iterations: 20, message: 'Stopped.' } as const;
      const blocks: readonly ChainBlock[] = [
        { index: 0 },
        { index: 1, seconds, before: { draws: 10, gradients: 30, divergences: 1 } },
        { index: 2, stopped },
      ];
      for (const block of blocks) {
        const ended = ask({ record, index: 0, block });
        await (await take()).release();
        const lease = await take();
        assert.deepEqual(lease.task, { record, index: 0, block });
        const result: ChainResult = { kind: 'finished', seconds };
        assert.equal(await lease.acknowledge(result), true);
        assert.deepEqual(await ended, result);
      }
      const [first, second] = blocks.map((block) => ask({ record, index: 0, block }));
      assert.deepEqual(await first, { kind: 'passed', blocks: 2 });
      assert.deepEqual(await second, { kind: 'passed', blocks: 2, stopped });
      await pair.asking.remove(record.id);
    });

    test('keeps the result of a chain whose lease is extended while it is acknowledged', async () => {
      const { record } = { record: sampleRecord() };
      const first = ask({ record, index: 0, block: { index: 0 } });
      const lease = await take();
      const [isKnown] = await Promise.all([lease.acknowledge(FINISHED), lease.extend()]);
      assert.equal(isKnown, true);
      assert.deepEqual(await first, FINISHED);
      const second = ask({ record, index: 0, block: { index: 1 } });
      const next = await take();
      assert.deepEqual(next.task.block, { index: 1 });
      await next.acknowledge(FINISHED);
      assert.deepEqual(await second, FINISHED);
      await pair.asking.remove(record.id);
    });

    test('passes a block on if another process has submitted later ones', async () => {
      const { record } = { record: sampleRecord() };
      for (const index of [0, 1]) {
        const ended = ask({ record, index: 0, block: { index } });
        await (await take()).acknowledge(FINISHED);
        assert.deepEqual(await ended, FINISHED);
      }
      await pair.record(record);
      const other = pair.working;
      assert.deepEqual(await other.run({ record, index: 0, block: { index: 0 } }, {}), { kind: 'passed', blocks: 1 });
      assert.deepEqual(await other.run({ record, index: 0, block: { index: 1 } }, {}), FINISHED);
      await pair.asking.remove(record.id);
    });

    test('rejects waiting requests when it is closed', async () => {
      const { record } = { record: sampleRecord() };
      const ended = stopOf(ask({ record, index: 0 }));
      const lease = await take();
      const taking = pair.working.take();
      await pair.asking.close();
      await pair.working.close();
      assert.equal(await ended, 'closed');
      assert.equal(await taking, undefined);
      assert.equal(await pair.working.take(), undefined);
      await lease.release();
    });
  });
}

async function stopOf(ended: Promise<ChainResult>): Promise<StopReason | ChainResult> {
  try {
    return await ended;
  } catch (error) {
    if (error instanceof JobStopped) return error.reason;
    throw error;
  }
}
