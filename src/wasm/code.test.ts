import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Code, FunctionTooLarge } from './code.js';
import { F64, I32, V128 } from './opcodes.js';

describe('locals', () => {
  it('of loops are reused by later loops, but never by temporaries', () => {
    const code = new Code([I32]);
    const first = code.ofLoop(V128);
    code.releaseOfLoop(V128, first);
    assert.notEqual(code.temporary(V128), first);
    assert.equal(code.ofLoop(V128), first);
  });

  it('with short lives are reused', () => {
    const code = new Code([]);
    const first = code.temporary(F64);
    code.release(F64, first);
    assert.equal(code.temporary(F64), first);
    assert.notEqual(code.temporary(F64), first);
  });
});

describe('a function', () => {
  it('with more locals than engines accept is rejected', () => {
    const code = new Code([I32]);
    for (let i = 1; i < 50_000; i++) code.local(F64);
    code.finish();
    code.local(F64);
    assert.throws(() => code.finish(), FunctionTooLarge);
  });
});
