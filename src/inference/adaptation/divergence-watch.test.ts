import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DivergenceWatch } from './divergence-watch.js';

/** The iterations of a warmup, as parts per thousand, after which the watch reports too many divergences. */
function alarms(numWarmup: number, diverges: (part: number) => boolean): number[] {
  const watch = new DivergenceWatch(numWarmup);
  const parts = Array.from({ length: numWarmup }, (_, k) => (k * 1000) / numWarmup);
  return parts.filter((part) => watch.update(diverges(part)));
}

describe('the watch over divergent transitions', () => {
  it('returns true once, at the third one of a long warmup', () => {
    assert.deepEqual(
      alarms(500, (part) => part % 100 === 0),
      [500],
    );
    assert.deepEqual(
      alarms(500, (part) => part === 400 || part === 600),
      [],
    );
  });

  it('returns true once, at the first one of a short warmup', () => {
    assert.deepEqual(
      alarms(250, (part) => part === 160 || part === 600),
      [160],
    );
  });

  it('does not count the early and the last part of warmup', () => {
    assert.deepEqual(
      alarms(500, (part) => part < 300 || part >= 850),
      [],
    );
    assert.deepEqual(
      alarms(500, (part) => part < 304 || part === 846 || part === 848),
      [846],
    );
    assert.deepEqual(
      alarms(250, (part) => part < 148 || part >= 952),
      [],
    );
  });
});
