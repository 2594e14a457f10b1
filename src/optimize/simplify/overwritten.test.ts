import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Builder, Names } from '../../ir/builder.js';
import * as x from '../../ir/expressions.js';
import type { Local } from '../../ir/nodes.js';
import { printBlock } from '../../ir/print.js';
import { removeOverwritten } from './overwritten.js';

function without(write: (b: Builder, a: Local) => void): string {
  const b = new Builder(new Names());
  return printBlock(removeOverwritten(b.capture(() => write(b, b.newLocal('real', 'a')))));
}

test('values that are overwritten before they are read are removed', () => {
  const text = without((b, a) => {
    b.assign(a, x.real(1));
    b.assign(a, x.real(2));
    b.target(x.get(a));
  });
  assert.equal(text, 'a = 2.0\ntarget += a');
});

test('values that the next assignment or an earlier block reads remain', () => {
  const inAssignment = without((b, a) => {
    b.assign(a, x.real(1));
    b.assign(a, x.exp(x.get(a)));
    b.target(x.get(a));
  });
  assert.equal(inAssignment, 'a = 1.0\na = exp(a)\ntarget += a');
  const inBlock = without((b, a) => {
    b.assign(a, x.real(1));
    b.each(x.int(2), () => b.target(x.get(a)));
    b.assign(a, x.real(2));
  });
  assert.match(inBlock, /^a = 1.0/);
});
