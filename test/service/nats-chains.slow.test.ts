import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ChainResult, ChainTask } from '../../src/service/queue/queue.js';
import { attemptOf } from '../../src/service/store/operation-record.js';
import { withoutNats } from '../support/nats.js';
import { type JoinedCluster, joinNewCluster } from '../support/nats-cluster.js';
import { sampleRecord } from './pairs/records.js';

const FINISHED: ChainResult = { kind: 'finished' };
/** Longer than the maximum size of a message. */
const LONG: ChainResult = {
  kind: 'finished',
  adaptation: { stepsize: 0.5, inv_metric: Array.from({ length: 250 }, () => Array(250).fill(1.25)) },
};
const OWNER = 'x'.repeat(22);

describe('chains of a cluster', { skip: withoutNats }, () => {
  let joined: JoinedCluster;
  let cluster: JoinedCluster['cluster'];
  let pair: JoinedCluster['pair'];
  before(async () => {
    joined = await joinNewCluster();
    ({ cluster, pair } = joined);
  });
  after(() => joined.close());

  const ask = async (): Promise<{ readonly task: ChainTask; readonly ended: Promise<ChainResult> }> => {
    const record = sampleRecord();
    await pair.store.operations.save('running', record.id, JSON.stringify(record));
    const task = { record, index: 0 };
    const ended = pair.queue.run(task, {});
    // Rejects if the test ends early.
    ended.catch(() => undefined);
    return { task, ended };
  };

  it('have complete results even if these are longer than a message', async () => {
    const { task, ended } = await ask();
    const lease = await pair.queue.take();
    assert.equal(await lease?.acknowledge(LONG), true);
    assert.deepEqual(await ended, LONG);
    await pair.queue.remove(task.record.id);
  });

  it('are removed with their operation, even if their results cannot be read', async () => {
    const { task, ended } = await ask();
    const removed = assert.rejects(ended);
    await pair.queue.take();
    await write(task, '@value.nowhere');
    await pair.queue.remove(task.record.id);
    await removed;
    await pair.queue.catchUp();
    assert.deepEqual(pair.queue.chains(), { waiting: 0, running: 0 });
  });

  for (const [what, text] of [
    ['is not a state', `=${OWNER}{"kind":"lost"}`],
    ['is not text', 'anything'],
    ['names a file that is gone', '@value.nowhere'],
  ])
    it(`run again if their stored record ${what}`, async () => {
      const { task, ended } = await ask();
      const first = await pair.queue.take();
      assert.deepEqual(first?.task, task);
      await write(task, text);
      const second = await pair.queue.take();
      assert.deepEqual(second?.task, task);
      assert.equal(await second?.acknowledge(FINISHED), true);
      assert.deepEqual(await ended, FINISHED);
      assert.equal(await first?.acknowledge(LONG), false);
      await pair.queue.remove(task.record.id);
    });

  /** Replaces the stored record of a chain. */
  const write = async ({ record, index }: ChainTask, text: string): Promise<void> => {
    await cluster.buckets.chains.put(`${attemptOf(record)}.${index}`, text);
  };
});
