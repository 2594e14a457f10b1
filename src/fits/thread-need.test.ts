import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ChainProgress, type SpentTime, ThreadNeed } from './thread-need.js';

const WAITING = { isOver: false };
const OVER = { isOver: true };
const spent = (processor: number, elapsed = processor) => ({ processor, elapsed });
const begun = (iteration: number, iterations: number) => ({ isOver: false, iteration, iterations });

/** The last answer to a sequence of observations. */
function needAfter(...observed: readonly (readonly [SpentTime, readonly ChainProgress[]])[]): boolean | undefined {
  const need = new ThreadNeed();
  return observed.map(([time, chains]) => need.isGiven(time, chains)).at(-1);
}

describe('the need for threads', () => {
  it('is the time of the remaining iterations, extrapolated from those so far', () => {
    assert.equal(needAfter([spent(180), [begun(500, 2000), WAITING]]), true);
    assert.equal(needAfter([spent(180), [begun(1000, 2000), WAITING]]), false);
    assert.equal(needAfter([spent(180), [OVER, WAITING, WAITING, WAITING]]), false);
    assert.equal(needAfter([spent(300), [OVER, WAITING, WAITING, WAITING]]), true);
    assert.equal(needAfter([spent(300), [OVER, OVER, OVER, begun(1800, 2000)]]), false);
  });

  it('is extrapolated from the latest iterations if these are faster', () => {
    const first = [spent(250), [begun(1000, 2000), WAITING, WAITING, WAITING]] as const;
    assert.equal(needAfter(first), true);
    assert.equal(needAfter(first, [spent(280), [OVER, WAITING, WAITING, WAITING]]), false);
    assert.equal(needAfter(first, [spent(400), [OVER, WAITING, WAITING, WAITING]]), true);
  });

  it('does not follow from the time before the first iterations', () => {
    const start = [spent(150), [begun(1, 2000), WAITING, WAITING, WAITING]] as const;
    assert.equal(needAfter(start), false);
    assert.equal(needAfter(start, [spent(280), [OVER, WAITING, WAITING, WAITING]]), false);
    assert.equal(
      needAfter(
        start,
        [spent(280), [OVER, WAITING, WAITING, WAITING]],
        [spent(330), [OVER, begun(1, 2000), WAITING, WAITING]],
      ),
      false,
    );
  });

  it('is assumed for a run that has made no progress for some time', () => {
    assert.equal(needAfter([spent(50), [WAITING, WAITING]]), false);
    assert.equal(needAfter([spent(1000), [WAITING, WAITING]]), true);
    assert.equal(needAfter([spent(1000), [begun(0, 2000), WAITING]]), true);
    assert.equal(needAfter([spent(100), [begun(1, 2000), WAITING]], [spent(1000), [begun(1, 2000), WAITING]]), true);
  });

  it('is assumed for any run that takes long', () => {
    assert.equal(needAfter([spent(10, 5000), [begun(1000, 2000), WAITING]]), false);
    assert.equal(needAfter([spent(10, 15_000), [begun(1000, 2000), WAITING]]), true);
  });

  it('ends with the last chain', () => {
    assert.equal(needAfter([spent(10_000), [OVER, OVER]]), false);
  });
});
