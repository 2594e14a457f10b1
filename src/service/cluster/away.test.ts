import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { JetStreamApiError } from '@nats-io/jetstream';
import { LostStore } from '../store/store.js';
import { asLoss, tryFor } from './away.js';

describe('an error of JetStream', () => {
  const lossOf = (code: number, err_code: number, description: string): unknown =>
    asLoss(new JetStreamApiError({ code, err_code, description }));

  it('is a loss of the store with the reason if there is no space left, or if it is temporary', () => {
    for (const [code, err_code, description] of [
      [400, 10_002, 'resource limits exceeded for account'],
      [503, 10_023, 'insufficient resources'],
      [500, 10_047, 'insufficient storage resources available'],
    ] as const) {
      assert.deepEqual(lossOf(code, err_code, description), new LostStore(`NATS has no space left (${description})`));
    }
    assert.deepEqual(
      lossOf(503, 10_008, 'JetStream system temporarily unavailable'),
      new LostStore('NATS cannot be reached (JetStream system temporarily unavailable)'),
    );
  });

  it('is returned unchanged if it is permanent', () => {
    assert.ok(lossOf(400, 10_071, 'wrong last sequence: 7') instanceof JetStreamApiError);
  });
});

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
