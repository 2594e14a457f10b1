import assert from 'node:assert/strict';
import { test } from 'node:test';
import { targetOf } from '../../../test/support/interpreter.js';
import { Builder, Names } from '../../ir/builder.js';
import * as x from '../../ir/expressions.js';
import type { Ref } from '../../ir/nodes.js';
import { printBlock } from '../../ir/print.js';
import { verify } from '../../ir/verify.js';
import { hoistInvariants } from './invariant.js';

/** The block after the pass, printed; asserts that it computes the same target. */
function hoisted(write: (b: Builder, v: Ref) => void): string {
  const names = new Names();
  const b = new Builder(names);
  const v = b.newRef('real', 1, 'v', 'global');
  const block = b.capture(() => write(b, v));
  const after = hoistInvariants(names, block);
  verify(after);
  const inputs = [{ ref: v, elements: [0.7, 1.9, 0.2, 1.1] }];
  const [expected, found] = [targetOf([block], inputs), targetOf([after], inputs)];
  assert.ok(Math.abs(found - expected) <= 1e-14 * Math.max(1, Math.abs(expected)), `${found}, not ${expected}`);
  return printBlock(after);
}

test('loop-invariant values are computed once before the loop', () => {
  const text = hoisted((b, v) => b.each(x.int(3), (i) => b.target(x.mul(x.exp(x.load(v, x.int(3))), x.load(v, i)))));
  assert.equal(text, 'fixed = exp(v[3])\nfor i in 0 .. 3 {\n  target += fixed * v[i]\n}');
});

test('a division by an invariant becomes a multiplication by its reciprocal', () => {
  const text = hoisted((b, v) => b.each(x.int(3), (i) => b.target(x.div(x.load(v, i), x.load(v, x.int(3))))));
  assert.equal(text, 'fixed = 1.0 / v[3]\nfor i in 0 .. 3 {\n  target += v[i] * fixed\n}');
});

test('a power of an invariant is computed from the logarithm of the invariant', () => {
  const text = hoisted((b, v) =>
    b.each(x.int(3), (i) => {
      b.target(x.apply('pow', 'real', x.load(v, x.int(3)), x.load(v, i)));
      b.target(x.apply('pow', 'real', x.load(v, i), x.load(v, x.int(3))));
    }),
  );
  assert.equal(
    text,
    `fixed = log_high(v[3])
fixed.2 = log_low(v[3])
fixed.3 = v[3]
for i in 0 .. 3 {
  target += pow_of_log(fixed.3, v[i], fixed, fixed.2)
  target += pow(v[i], fixed.3)
}`,
  );
});

test('invariants move out of nested loops as far as possible', () => {
  const text = hoisted((b, v) =>
    b.each(x.int(2), (i) =>
      b.each(x.int(2), (j) => b.target(x.add(x.exp(x.load(v, i)), x.mul(x.exp(x.load(v, x.int(3))), x.load(v, j))))),
    ),
  );
  assert.equal(
    text,
    `fixed = exp(v[3])
for i in 0 .. 2 {
  fixed.2 = exp(v[i])
  for i.2 in 0 .. 2 {
    target += fixed.2 + (fixed * v[i.2])
  }
}`,
  );
});

test('values that the loop writes stay: scalars, elements, sizes', () => {
  const text = hoisted((b, v) => {
    const s = b.newLocal('real', 's');
    b.assign(s, x.ONE);
    b.each(x.int(3), (i) => {
      b.target(x.exp(x.get(s)));
      b.target(x.exp(x.load(v, x.int(0))));
      b.assign(s, x.load(v, i));
      b.store(v, x.int(0), x.get(s));
      const w = b.allocate('real', [x.add(i, x.int(1))], 'w');
      b.target(x.exp(x.toReal(x.size(w, 0))));
    });
  });
  assert.doesNotMatch(text, /fixed/);
});

test('an expression under a condition stays there', () => {
  const text = hoisted((b, v) =>
    b.each(x.int(3), (i) => b.if(x.compare('gt', i, x.int(7)), () => b.target(x.load(v, x.int(9999999))))),
  );
  assert.doesNotMatch(text, /fixed/);
});
