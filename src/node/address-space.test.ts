import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { it } from 'node:test';
import { LEAST_ADDRESS_SPACE, threadsAvailable } from './address-space.js';

it('starts the threads for which address space suffices', () => {
  assert.equal(threadsAvailable(LEAST_ADDRESS_SPACE), 1);
  assert.equal(threadsAvailable(4e9), Math.min(3, availableParallelism()));
  assert.equal(threadsAvailable(1e15), availableParallelism());
  assert.equal(threadsAvailable(undefined), availableParallelism());
});
