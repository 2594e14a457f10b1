import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Builder, Names } from '../ir/builder.js';
import * as x from '../ir/expressions.js';
import { Uses } from './uses.js';

test('mentions are counted in a statement including nested ones, in the block, and outside', () => {
  const b = new Builder(new Names());
  const [n, y] = [b.newLocal('int', 'n'), b.newLocal('real', 'y')];
  const [before, loop, after] = b.capture(() => {
    b.assign(y, x.ONE);
    b.each(x.get(n), () => b.assign(y, x.add(x.get(y), x.toReal(x.get(n)))));
    b.target(x.get(y));
  });
  const uses = new Uses([before, loop, after], [n]);
  assert.deepEqual([uses.countIn(y, before), uses.countIn(y, loop), uses.count(y)], [1, 2, 4]);
  assert.deepEqual([uses.countIn(n, loop), uses.count(n)], [2, 3]);
  assert.equal(uses.mentions(after, n), false);
  assert.equal(uses.isLocalTo(y, loop), false);
  assert.deepEqual(new Set(uses.mentioned(after)), new Set([y]));
});

test('a variable is local to a body that assigns it if nothing else mentions it, including the bounds of the loop', () => {
  const b = new Builder(new Names());
  const [n, y] = [b.newLocal('int', 'n'), b.newLocal('real', 'y')];
  const [inside, around] = b.capture(() => {
    b.each(x.int(3), () => b.assign(y, x.ONE));
    b.each(x.get(n), () => b.assign(n, x.int(1)));
  });
  const uses = new Uses([inside, around]);
  assert.ok(inside.kind === 'for' && around.kind === 'for');
  assert.equal(uses.isLocalToBody(y, inside), true);
  assert.equal(uses.isLocalToBody(n, around), false);
});

test('what a statement shares excludes what is local to it, and what is also mentioned outside of a region', () => {
  const b = new Builder(new Names());
  const [n, x0, y, z] = [
    b.newLocal('int', 'n'),
    b.newLocal('real', 'x'),
    b.newLocal('real', 'y'),
    b.newLocal('real', 'z'),
  ];
  const [outer, after] = b.capture(() => {
    b.each(x.get(n), () => {
      b.assign(x0, x.ONE);
      b.each(x.get(n), () => {
        b.assign(y, x.get(x0));
        b.assign(z, x.get(y));
      });
    });
    b.target(x.get(z));
  });
  assert.ok(outer.kind === 'for');
  const inner = outer.body[1];
  const uses = new Uses([outer, after], [n]);
  assert.deepEqual(new Set(uses.shared(outer, null)), new Set([n, z]));
  assert.deepEqual(new Set(uses.shared(inner, null)), new Set([n, x0, z]));
  assert.deepEqual(new Set(uses.shared(inner, outer)), new Set([x0]));
  assert.deepEqual(
    [n, x0, y, z].map((variable) => uses.has(uses.inside(inner), variable)),
    [true, true, true, true],
  );
  assert.deepEqual(
    [n, x0, y, z].map((variable) => uses.has(uses.inside(outer), variable)),
    [true, true, false, true],
  );
});

test('the last mention of a variable, its statement in a block, and the number of mentions before it are known', () => {
  const b = new Builder(new Names());
  const [n, y] = [b.newLocal('int', 'n'), b.newLocal('real', 'y')];
  const block = b.capture(() => {
    b.assign(y, x.ONE);
    b.each(x.get(n), () => b.target(x.get(y)));
    b.target(x.toReal(x.get(n)));
  });
  const uses = new Uses(block);
  const [first, loop, last] = block;
  assert.equal(uses.lastIn(block, uses.lastMention(y)), loop);
  assert.equal(uses.lastIn(block, uses.lastMention(n)), last);
  assert.equal(uses.lastIn(block, uses.lastMention(b.newLocal('int', 'other'))), null);
  assert.deepEqual([uses.countBetween(y, first, loop), uses.countBetween(y, loop, last)], [2, 1]);
});
