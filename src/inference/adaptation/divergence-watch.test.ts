import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DivergenceWatch } from './divergence-watch.js';

/** The iterations of a warmup of 100 iterations after which the watch reports too many divergences. */
function alarms(diverges: (iteration: number) => boolean): number[] {
  const watch = new DivergenceWatch(100);
  return Array.from({ length: 100 }, (_, k) => k).filter((k) => watch.update(diverges(k)));
}

describe('the watch over divergent transitions', () => {
  it('returns true once, at the third one', () => {
    assert.deepEqual(
      alarms((k) => k % 10 === 0),
      [50],
    );
    assert.deepEqual(
      alarms((k) => k === 40 || k === 60),
      [],
    );
  });

  it('does not count the early and the last part of warmup', () => {
    assert.deepEqual(
      alarms((k) => k < 30 || k >= 85),
      [],
    );
    assert.deepEqual(
      alarms((k) => k < 32 || k === 84),
      [84],
    );
  });
});
