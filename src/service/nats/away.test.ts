import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { tryFor } from './away.js';

describe('a retried request', () => {
  const failing = (failures: number, milliseconds = 0) => {
    let attempts = 0;
    return async () => {
      attempts++;
      await pause(milliseconds);
      if (attempts <= failures) throw new Error(`attempt ${attempts}`);
      return attempts;
    };
  };

  it('succeeds if it does so within the time limit', async () => {
    assert.equal(await tryFor({ time: 60_000, interval: 1 }, () => true, failing(3)), 4);
  });

  it('is retried once if the first attempt takes longer than the time limit', async () => {
    assert.equal(await tryFor({ time: 5, interval: 1 }, () => true, failing(1, 20)), 2);
  });

  it('fails with the last error when the time is over', async () => {
    await assert.rejects(
      tryFor({ time: 5, interval: 1 }, () => true, failing(9, 20)),
      { message: 'attempt 2' },
    );
  });

  it('fails immediately if the reason is permanent', async () => {
    await assert.rejects(
      tryFor({ time: 60_000, interval: 1 }, () => false, failing(1)),
      { message: 'attempt 1' },
    );
  });
});
