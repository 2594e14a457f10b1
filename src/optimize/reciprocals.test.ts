import assert from 'node:assert/strict';
import { test } from 'node:test';
import { targetOf } from '../../test/support/interpreter.js';
import { Builder, Names } from '../ir/builder.js';
import * as x from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import { printBlock } from '../ir/print.js';
import { verify } from '../ir/verify.js';
import { shareReciprocals } from './reciprocals.js';

/** The block after the pass, printed, and the target that it gives at a = 0.1, where -0.3 / a is not -3. */
function shared(write: (b: Builder, a: Expr) => void): { readonly text: string; readonly target: number } {
  const names = new Names();
  const b = new Builder(names);
  const v = b.newRef('real', 1, 'v', 'global');
  const block = b.capture(() => write(b, b.bind(x.load(v, x.int(0)), 'a')));
  const after = shareReciprocals(names, block);
  verify(after);
  return { text: printBlock(after), target: targetOf([after], [{ ref: v, elements: [0.1] }]) };
}

const truncated = (e: Expr): Expr => x.call1('trunc', e);

test('several quotients of one divisor become products with its reciprocal', () => {
  const { text } = shared((b, a) => {
    b.target(x.div(x.real(2), a));
    b.target(x.div(x.real(3), a));
  });
  assert.equal(text, 'a = v[0]\nreciprocal = 1.0 / a\ntarget += 2.0 * reciprocal\ntarget += 3.0 * reciprocal');
});

test('one quotient stays', () => {
  assert.equal(shared((b, a) => b.target(x.div(x.real(2), a))).text, 'a = v[0]\ntarget += 2.0 / a');
});

test('a quotient that a step reads stays exact', () => {
  const { target } = shared((b, a) => {
    b.target(truncated(x.div(x.real(-0.3), a)));
    b.target(x.div(x.real(2), a));
    b.target(x.div(x.real(3), a));
  });
  assert.equal(target, -2 + 20 + 30);
});

test('a quotient that a step reads through a local and an element stays exact', () => {
  const { target } = shared((b, a) => {
    const w = b.allocate('real', [x.int(1)], 'w');
    const quotient = b.bind(x.div(x.real(-0.3), a), 'quotient');
    b.store(w, x.int(0), quotient);
    b.target(truncated(x.load(w, x.int(0))));
    b.target(x.div(x.real(2), a));
    b.target(x.div(x.real(3), a));
  });
  assert.equal(target, -2 + 20 + 30);
});
