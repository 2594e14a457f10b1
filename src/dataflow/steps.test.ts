import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Builder, Names } from '../ir/builder.js';
import * as x from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import { isQuotientStepped } from './steps.js';

/** Whether a step function reads a quotient in the block, whose parameter is `a`. */
function isStepped(write: (b: Builder, a: Expr) => void): boolean {
  const b = new Builder(new Names());
  const v = b.newRef('real', 1, 'v', 'global');
  return isQuotientStepped(b.capture(() => write(b, b.bind(x.load(v, x.int(0)), 'a'))));
}

const truncated = (e: Expr): Expr => x.call1('trunc', e);
const quotient = (a: Expr): Expr => x.div(x.real(-0.3), a);

test('a step function depends on a quotient', () => {
  assert.ok(isStepped((b, a) => b.target(truncated(x.add(x.real(1), quotient(a))))));
});

test('a step function depends on a quotient through a local, an element and a loop', () => {
  assert.ok(
    isStepped((b, a) => {
      const w = b.allocate('real', [x.int(3)], 'w');
      b.each(x.int(3), (n) => b.store(w, n, b.bind(quotient(a), 'quotient')));
      b.target(truncated(x.load(w, x.int(0))));
    }),
  );
});

test('a step function does not depend on a quotient next to it, nor on parts of a constant', () => {
  assert.ok(!isStepped((b, a) => b.target(x.add(truncated(a), quotient(a)))));
  assert.ok(!isStepped((b, a) => b.target(truncated(x.div(a, x.real(3))))));
});
