import assert from 'node:assert/strict';
import { it } from 'node:test';
import { callAll, someSignatures } from './canaries.js';

it('calls of the library with any arguments access only their own memory', () => {
  const { evaluations, findings } = callAll(someSignatures(7), 1, 7);
  assert.deepEqual(findings, []);
  assert.ok(evaluations > 2000);
});
