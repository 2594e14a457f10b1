import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exponential } from '../../numbers/elementary.js';
import { createRng } from '../random/random-stream.js';
import { ModuleWriter } from './assembler.js';
import { defineExponential } from './exponential-routine.js';

describe('the exponential of the kernel', () => {
  const writer = new ModuleWriter();
  defineExponential(writer);
  const memory = new WebAssembly.Memory({ initial: 1 });
  const { exports } = new WebAssembly.Instance(writer.compile(), { host: { memory } });
  const inKernel = exports.exponential;
  assert.ok(typeof inKernel === 'function');

  it('is bitwise equal to the JavaScript implementation', () => {
    const rng = createRng(1, 1);
    const ends = [0, -0, 1, -1, 709.7, 709.79, -745.1, -745.2, 1e9, -1e9, 1e-300, Infinity, -Infinity, NaN];
    const places = [...ends, ...Array.from({ length: 20_000 }, (_, k) => 10 ** ((k % 7) - 4) * rng.normal())];
    for (const x of places) assert.ok(Object.is(inKernel(x), exponential(x)), `at ${x}`);
  });
});
