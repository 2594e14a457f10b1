import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PastBlock } from '../store/store.js';
import { type EndedBlock, endOfBlock } from './block-runs.js';

const FINISHED: EndedBlock = { result: { kind: 'finished' } };
const STOPPED = { reason: 'precise', iterations: 50, message: 'Stopped after 50 iterations.' } as const;

/** Returns the results, one per call. */
function inTurn(...results: readonly EndedBlock[][]): () => Promise<readonly EndedBlock[]> {
  const left = [...results];
  return () => Promise.resolve(left.shift() ?? assert.fail('runs the block again'));
}

describe('the end of a block', () => {
  const gone = new PastBlock('block 0 of chain 2 has not been stored');

  it('is decided by the files of the block', async () => {
    const { decision } = await endOfBlock(inTurn([FINISHED, FINISHED]), () => Promise.resolve({ stopped: STOPPED }));
    assert.deepEqual(decision, { stopped: STOPPED });
  });

  it('repeats the decision of another process whose chains are so far ahead that the files no longer exist', async () => {
    for (const decision of [{}, { stopped: STOPPED }]) {
      const passed: EndedBlock = { result: { kind: 'passed', blocks: 1, ...decision } };
      const found = await endOfBlock(inTurn([FINISHED, FINISHED], [FINISHED, passed]), () => Promise.reject(gone));
      assert.deepEqual(found, { decision, ended: [FINISHED, passed] });
    }
  });

  it('fails if the files are missing although no chain is ahead, and for other errors', async () => {
    const run = () => inTurn([FINISHED], [FINISHED]);
    await assert.rejects(
      endOfBlock(run(), () => Promise.reject(gone)),
      gone,
    );
    const other = new Error('another reason');
    await assert.rejects(
      endOfBlock(inTurn([FINISHED]), () => Promise.reject(other)),
      other,
    );
  });
});
