import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Builder, Names } from '../../ir/builder.js';
import * as x from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { printBlock } from '../../ir/print.js';
import { verify } from '../../ir/verify.js';
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

test('a divisor that occurs once is not replaced next to one that is shared', () => {
  const text = shared((b, a) => {
    const other = b.bind(x.exp(a), 'other');
    b.target(x.add(x.div(x.real(2), a), x.exp(x.div(x.real(3), a))));
    b.target(x.div(x.real(5), other));
  });
  assert.equal(
    text,
    'a = v[0]\nother = exp(a)\nreciprocal = 1.0 / a\ntarget += (2.0 * reciprocal) + exp(3.0 * reciprocal)\ntarget += 5.0 / other',
  );
});

test('1 / x becomes the reciprocal itself, and quotients of other numbers products', () => {
  const text = shared((b, a) => {
    b.target(x.div(x.ONE, a));
    b.target(x.div(x.ZERO, a));
    b.target(x.div(a, a));
  });
  assert.match(text, /\ntarget \+= reciprocal\n/);
  assert.doesNotMatch(text, /target \+= .* \/ /);
});

test('quotients by constants remain', () => {
  const text = shared((b, a) => {
    b.target(x.div(a, x.real(3)));
    b.target(x.div(x.exp(a), x.real(3)));
  });
  assert.equal(text, 'a = v[0]\ntarget += a / 3.0\ntarget += exp(a) / 3.0');
});

test('quotients in an index are replaced', () => {
  const text = shared((b, a) => {
    const w = b.newRef('real', 1, 'w', 'global');
    b.target(x.div(x.real(2), a));
    b.target(x.load(w, x.compare('gt', x.div(x.real(3), a), x.ONE)));
    b.target(x.load(w, x.compare('gt', a, x.ONE)));
  });
  assert.equal(
    text,
    'a = v[0]\nreciprocal = 1.0 / a\ntarget += 2.0 * reciprocal\ntarget += w[(3.0 * reciprocal) > 1.0]\ntarget += w[a > 1.0]',
  );
});
