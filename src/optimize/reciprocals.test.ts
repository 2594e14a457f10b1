import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Builder, Names } from '../ir/builder.js';
import * as x from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import { printBlock } from '../ir/print.js';
import { verify } from '../ir/verify.js';
import { shareReciprocals } from './reciprocals.js';

/** The block after the pass, printed. */
function shared(write: (b: Builder, a: Expr) => void): string {
  const names = new Names();
  const b = new Builder(names);
  const v = b.newRef('real', 1, 'v', 'global');
  const block = b.capture(() => write(b, b.bind(x.load(v, x.int(0)), 'a')));
  const after = shareReciprocals(names, block);
  verify(after);
  return printBlock(after);
}

test('several quotients with one divisor become products with its reciprocal', () => {
  const text = shared((b, a) => {
    b.target(x.div(x.real(2), a));
    b.target(x.div(x.real(3), a));
  });
  assert.equal(text, 'a = v[0]\nreciprocal = 1.0 / a\ntarget += 2.0 * reciprocal\ntarget += 3.0 * reciprocal');
});

test('a quotient in two statements is divided again if its divisor has changed', () => {
  const text = shared((b, a) => {
    const divisor = b.newLocal('real', 'divisor');
    const quotients = [2, 3].map((k) => x.div(x.real(k), x.get(divisor)));
    b.assign(divisor, a);
    for (const quotient of quotients) b.target(quotient);
    b.assign(divisor, x.mul(a, a));
    for (const quotient of quotients) b.target(quotient);
  });
  const sums = 'target += 2.0 * reciprocal\ntarget += 3.0 * reciprocal';
  const again = sums.replaceAll('reciprocal', 'reciprocal.2');
  assert.equal(
    text,
    `a = v[0]\ndivisor = a\nreciprocal = 1.0 / divisor\n${sums}\ndivisor = a * a\nreciprocal.2 = 1.0 / divisor\n${again}`,
  );
});

test('a single quotient remains', () => {
  assert.equal(
    shared((b, a) => b.target(x.div(x.real(2), a))),
    'a = v[0]\ntarget += 2.0 / a',
  );
});
