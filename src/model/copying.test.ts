import assert from 'node:assert/strict';
import test from 'node:test';
import { copyElements } from './copying.js';

test('copies all elements and no others, for every remainder of the unrolled loop and beyond it', () => {
  for (let length = 0; length <= 30; length++) {
    const from = Float64Array.from({ length }, (_, k) => k + 1);
    const to = new Float64Array(length + 5).fill(-1);
    copyElements(from, to);
    assert.deepEqual([...to.subarray(0, length)], [...from], `${length} elements`);
    assert.deepEqual([...to.subarray(length)], [-1, -1, -1, -1, -1], `after ${length} elements`);
  }
});
