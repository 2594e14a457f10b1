import assert from 'node:assert/strict';
import { test } from 'node:test';
import { targetOf } from '../../../test/support/interpreter.js';
import { Builder, Names } from '../../ir/builder.js';
import * as x from '../../ir/expressions.js';
import type { Ref } from '../../ir/nodes.js';
import { printBlock } from '../../ir/print.js';
import { verify } from '../../ir/verify.js';
import { shareCommon } from './common.js';

/** The block after the pass, printed; asserts that it computes exactly the same target. */
function shared(write: (b: Builder, v: Ref) => void): string {
  const names = new Names();
  const b = new Builder(names);
  const v = b.newRef('real', 1, 'v', 'global');
  const block = b.capture(() => write(b, v));
  const after = shareCommon(names, block);
  verify(after);
  const inputs = [{ ref: v, elements: [0.7, 1.9, 0.2, 1.1] }];
  assert.equal(targetOf([after], inputs), targetOf([block], inputs));
  return printBlock(after);
}

const expOf = (ref: Ref, i: number): ReturnType<typeof x.exp> => x.exp(x.load(ref, x.int(i)));

test('repeated expressions are computed once', () => {
  const text = shared((b, v) => {
    b.target(expOf(v, 0));
    b.target(x.mul(expOf(v, 0), x.real(3)));
  });
  assert.equal(text, 'c = exp(v[0])\ntarget += c\ntarget += 3.0 * c');
});

test('a value computed outside is used in nested blocks', () => {
  const text = shared((b, v) => {
    b.target(expOf(v, 0));
    b.each(x.int(2), () => b.target(expOf(v, 0)));
  });
  assert.equal(text, 'c = exp(v[0])\ntarget += c\nfor i in 0 .. 2 {\n  target += c\n}');
});

test('a value computed in one branch is used neither in the other nor afterwards', () => {
  const text = shared((b, v) => {
    const positive = x.isPositive(x.load(v, x.int(1)));
    b.if(
      positive,
      () => b.target(expOf(v, 0)),
      () => b.target(expOf(v, 0)),
    );
    b.target(expOf(v, 0));
  });
  assert.doesNotMatch(text, /c = /);
});

test('a write creates a new version: of a scalar, of elements, of a view', () => {
  const text = shared((b, v) => {
    const s = b.newLocal('real', 's');
    b.assign(s, x.ONE);
    b.target(x.exp(x.get(s)));
    b.assign(s, x.load(v, x.int(2)));
    b.target(x.exp(x.get(s)));
    b.target(expOf(v, 0));
    b.store(v, x.int(1), x.ONE);
    b.target(expOf(v, 0));
    const part = b.newRef('real', 1, 'part', 'local', v);
    for (const offset of [1, 2]) {
      b.emit({ kind: 'view', ref: part, offset: x.int(offset), sizes: [x.int(1)] });
      b.target(x.exp(x.load(part, x.int(0))));
    }
  });
  assert.doesNotMatch(text, /c(\.\d)? = /);
});

test('values that a loop writes have a new version in it', () => {
  const text = shared((b, v) => {
    b.target(expOf(v, 0));
    b.each(x.int(2), () => {
      b.target(expOf(v, 0));
      b.store(v, x.int(0), x.ZERO);
    });
  });
  assert.doesNotMatch(text, /c = /);
});

test('the condition of a while loop is evaluated in every iteration', () => {
  const text = shared((b, v) => {
    const s = b.newLocal('real', 's');
    b.assign(s, x.load(v, x.int(0)));
    b.target(x.exp(x.get(s)));
    b.while(x.compare('lt', x.exp(x.get(s)), x.real(9)), () => b.assign(s, x.add(x.get(s), x.ONE)));
    b.target(x.exp(x.get(s)));
  });
  assert.match(text, /while exp\(s\) < 9\.0/);
  assert.doesNotMatch(text, /c = exp/);
});
