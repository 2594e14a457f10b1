import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Builder, Names } from '../../ir/builder.js';
import * as x from '../../ir/expressions.js';
import type { Local } from '../../ir/nodes.js';
import { printBlock } from '../../ir/print.js';
import { verify } from '../../ir/verify.js';
import { mergeBranches } from './merge-branches.js';

function merged(write: (b: Builder, taken: Local, start: Local) => void): string {
  const b = new Builder(new Names());
  const taken = b.newLocal('int', 'taken');
  const block = b.capture(() => {
    b.assign(taken, x.compare('gt', x.get(b.newLocal('int', 'k', 'global')), x.int(0)));
    const start = b.newLocal('real', 'start');
    b.assign(start, x.ZERO);
    write(b, taken, start);
  });
  const after = mergeBranches(block);
  verify(after);
  return printBlock(after);
}

test('a condition that is evaluated twice in a row is evaluated once, with the constants that one branch uses', () => {
  const text = merged((b, taken, start) => {
    b.if(
      x.get(taken),
      () => b.assign(start, x.add(x.get(start), x.real(2))),
      () => b.target(x.ONE),
    );
    b.if(x.get(taken), () => b.target(x.get(start)));
  });
  assert.equal(
    text,
    `taken = k > 0
if taken {
  start = 0.0
  start = start + 2.0
  target += start
} else {
  target += 1.0
}`,
  );
});

test('a condition that the first branch changes is evaluated again', () => {
  const text = merged((b, taken, start) => {
    b.if(x.get(taken), () => b.assign(taken, x.int(0)));
    b.if(x.get(taken), () => b.target(x.get(start)));
  });
  assert.equal(
    text,
    `taken = k > 0
start = 0.0
if taken {
  taken = 0
}
if taken {
  target += start
}`,
  );
});

test('a constant remains if both branches, a loop or later statements use it', () => {
  const both = merged((b, taken, start) => {
    b.if(x.get(taken), () => b.target(x.get(start)));
    b.if(
      x.get(taken),
      () => {},
      () => b.target(x.get(start)),
    );
  });
  assert.match(both, /^taken = k > 0\nstart = 0\.0\nif taken/);
  const later = merged((b, taken, start) => {
    b.if(x.get(taken), () => b.target(x.get(start)));
    b.if(x.get(taken), () => b.target(x.ONE));
    b.target(x.get(start));
  });
  assert.match(later, /^taken = k > 0\nstart = 0\.0\nif taken/);
  const loop = merged((b, taken, start) => {
    b.if(x.get(taken), () => b.target(x.ONE));
    b.if(x.get(taken), () => b.target(x.ONE));
    b.each(x.int(3), () => b.target(x.get(start)));
  });
  assert.match(loop, /^taken = k > 0\nstart = 0\.0\nif taken/);
});
