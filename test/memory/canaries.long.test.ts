import assert from 'node:assert/strict';
import { it } from 'node:test';
import { allSignatures, callAll } from './canaries.js';

it('calls of every signature of the library with any arguments access only their own memory', () => {
  const { evaluations, findings } = callAll(allSignatures(), 2, 11);
  assert.deepEqual(findings, []);
  assert.ok(evaluations > 180_000);
});
