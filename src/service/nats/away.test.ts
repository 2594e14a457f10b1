import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { tryFor } from './away.js';

describe('what is tried again', () => {
  const failing = (failures: number, milliseconds = 0) => {
    let attempts = 0;
    return async () => {
      attempts++;
      await pause(milliseconds);
      if (attempts <= failures) throw new Error(`attempt ${attempts}`);
      return attempts;
    };
  };

  it('succeeds when it does so in time', async () => {
    assert.equal(await tryFor({ time: 60_000, interval: 1 }, () => true, failing(3)), 4);
  });

  it('is tried once more when the first attempt takes longer than the time', async () => {
    assert.equal(await tryFor({ time: 5, interval: 1 }, () => true, failing(1, 20)), 2);
  });

  it('fails as the last attempt does when the time is over', async () => {
    await assert.rejects(
      tryFor({ time: 5, interval: 1 }, () => true, failing(9, 20)),
      { message: 'attempt 2' },
    );
  });

  it('fails at once when the reason does not pass', async () => {
    await assert.rejects(
      tryFor({ time: 60_000, interval: 1 }, () => false, failing(1)),
      { message: 'attempt 1' },
    );
  });
});
