import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { needThreads } from './thread-need.js';

const WAITING = { isOver: false };
const OVER = { isOver: true };
const spent = (processor: number, elapsed = processor) => ({ processor, elapsed });
const begun = (iteration: number, iterations: number) => ({ isOver: false, iteration, iterations });

describe('the need for threads', () => {
  it('is the time of the remaining iterations, extrapolated from those so far', () => {
    assert.equal(needThreads(spent(180), [begun(500, 2000), WAITING]), true);
    assert.equal(needThreads(spent(180), [begun(1000, 2000), WAITING]), false);
    assert.equal(needThreads(spent(180), [OVER, WAITING, WAITING, WAITING]), false);
    assert.equal(needThreads(spent(300), [OVER, WAITING, WAITING, WAITING]), true);
    assert.equal(needThreads(spent(300), [OVER, OVER, OVER, begun(1800, 2000)]), false);
  });

  it('is assumed for a run that has not reported an iteration for some time', () => {
    assert.equal(needThreads(spent(50), [WAITING, WAITING]), false);
    assert.equal(needThreads(spent(1000), [WAITING, WAITING]), true);
    assert.equal(needThreads(spent(1000), [begun(0, 2000), WAITING]), true);
  });

  it('is assumed for any run that takes long', () => {
    assert.equal(needThreads(spent(10, 5000), [begun(1000, 2000), WAITING]), false);
    assert.equal(needThreads(spent(10, 15_000), [begun(1000, 2000), WAITING]), true);
  });

  it('ends with the last chain', () => {
    assert.equal(needThreads(spent(10_000), [OVER, OVER]), false);
  });
});
