import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Builder, Names } from '../../ir/builder.js';
import * as x from '../../ir/expressions.js';
import type { Expr, Local } from '../../ir/nodes.js';
import { printBlock } from '../../ir/print.js';
import { verify } from '../../ir/verify.js';
import { separateAssignments } from './separate-assignments.js';

function separated(write: (b: Builder, sum: Local, add: (value: Expr) => void) => void): string {
  const names = new Names();
  const b = new Builder(names);
  const sum = b.newLocal('real', 'sum');
  const add = (value: Expr): void => b.assign(sum, x.add(x.get(sum), value));
  const block = b.capture(() => write(b, sum, add));
  const after = separateAssignments(names, block);
  verify(after);
  const again = separateAssignments(names, after);
  assert.equal(again, after);
  return printBlock(after);
}

test('each assignment of straight-line code has its own local', () => {
  const text = separated((b, sum, add) => {
    b.assign(sum, x.ZERO);
    add(x.real(2));
    b.if(x.compare('gt', x.get(sum), x.ONE), () => b.target(x.get(sum)));
    add(x.real(3));
    b.target(x.square(x.get(sum)));
  });
  assert.equal(
    text,
    `sum = 0.0
sum.2 = sum + 2.0
if sum.2 > 1.0 {
  target += sum.2
}
sum.3 = sum.2 + 3.0
target += sum.3 * sum.3`,
  );
});

test('a local that a condition or loop assigns remains', () => {
  const text = separated((b, sum, add) => {
    b.assign(sum, x.ZERO);
    add(x.real(2));
    b.each(x.int(9), () => add(x.real(3)));
    b.target(x.get(sum));
  });
  assert.equal(text, 'sum = 0.0\nsum = sum + 2.0\nfor i in 0 .. 9 {\n  sum = sum + 3.0\n}\ntarget += sum');
});

test('a local that the next iteration reads remains', () => {
  const text = separated((b, sum, add) => {
    b.each(x.int(9), () => {
      b.target(x.get(sum));
      b.assign(sum, x.ONE);
      add(x.real(3));
    });
  });
  assert.equal(text, 'for i in 0 .. 9 {\n  target += sum\n  sum = 1.0\n  sum = sum + 3.0\n}');
});

test('a local that is read after the block remains', () => {
  const text = separated((b, sum, add) => {
    b.each(x.int(9), () => {
      b.assign(sum, x.ONE);
      add(x.real(3));
    });
    b.target(x.get(sum));
  });
  assert.equal(text, 'for i in 0 .. 9 {\n  sum = 1.0\n  sum = sum + 3.0\n}\ntarget += sum');
});
