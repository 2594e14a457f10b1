import assert from 'node:assert/strict';
import { test } from 'node:test';
import { targetOf } from '../../../test/support/interpreter.js';
import { Builder, Names } from '../../ir/builder.js';
import * as x from '../../ir/expressions.js';
import type { Expr, Ref } from '../../ir/nodes.js';
import { printBlock } from '../../ir/print.js';
import { verify } from '../../ir/verify.js';
import { propagateConstants } from './constants.js';

/** The block after the pass, printed; asserts that it computes exactly the same target. */
function propagated(write: (b: Builder, v: Ref) => void): string {
  const names = new Names();
  const b = new Builder(names);
  const v = b.newRef('real', 1, 'v', 'global');
  const block = b.capture(() => write(b, v));
  const after = propagateConstants(block);
  verify(after);
  const inputs = [{ ref: v, elements: [0.7, 1.9, 0.2, 1.1] }];
  assert.equal(targetOf([after], inputs), targetOf([block], inputs));
  return printBlock(after);
}

const at = (v: Ref, index: Expr | number): Expr => x.load(v, typeof index === 'number' ? x.int(index) : index);

test('a constant replaces a local that is assigned once, and operations on it are folded', () => {
  const text = propagated((b, v) => {
    const n = b.newLocal('int', 'n');
    b.assign(n, x.int(2));
    b.if(
      x.compare('gt', x.get(n), x.int(1)),
      () => b.target(at(v, x.add(x.get(n), x.int(1)))),
      () => b.target(at(v, 0)),
    );
  });
  assert.equal(text, 'n = 2\ntarget += v[3]');
});

test('a local that is assigned twice remains', () => {
  const text = propagated((b, v) => {
    const n = b.newLocal('int', 'n');
    b.assign(n, x.int(2));
    b.target(at(v, x.get(n)));
    b.assign(n, x.int(1));
    b.target(at(v, x.get(n)));
  });
  assert.equal(text, 'n = 2\ntarget += v[n]\nn = 1\ntarget += v[n]');
});

test('a copy is replaced if neither it nor its source changes', () => {
  const text = propagated((b, v) => {
    b.each(x.int(3), (i) => {
      const a = b.bind(x.exp(at(v, i)), 'a');
      const copy = b.newLocal('real', 'copy');
      b.assign(copy, a);
      b.target(x.get(copy));
    });
  });
  assert.equal(text, 'for i in 0 .. 3 {\n  a = exp(v[i])\n  copy = a\n  target += a\n}');
});

test('a copy of a value that changes while the copy is in use remains', () => {
  const text = propagated((b, v) => {
    const a = b.newLocal('real', 'a');
    b.assign(a, at(v, 0));
    const copy = b.newLocal('real', 'copy');
    b.each(x.int(2), () => {
      b.assign(copy, x.get(a));
      b.assign(a, at(v, 1));
      b.target(x.get(copy));
    });
  });
  assert.match(text, /target \+= copy/);
});

test('a real zero stays in its local, because its product with a non-finite derivative is NaN', () => {
  const text = propagated((b, v) => {
    const zero = b.newLocal('real', 'zero');
    b.assign(zero, x.real(0));
    b.target(x.mul(x.get(zero), at(v, 0)));
  });
  assert.equal(text, 'zero = 0.0\ntarget += zero * v[0]');
});
