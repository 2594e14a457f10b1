import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Builder, Names } from '../../ir/builder.js';
import { MOST_LEVELS } from '../../ir/depth.js';
import * as x from '../../ir/expressions.js';
import type { Block, Expr } from '../../ir/nodes.js';
import { verify } from '../../ir/verify.js';
import { splitDeep } from './split-deep.js';

function split(write: (b: Builder, p: Expr) => void): { readonly before: Block; readonly after: Block } {
  const names = new Names();
  const b = new Builder(names);
  const v = b.newRef('real', 1, 'v', 'global');
  const before = b.capture(() => write(b, x.load(v, x.int(0))));
  const after = splitDeep(names, before);
  verify(after);
  return { before, after };
}

function nested(e: Expr, depth: number, make: (inner: Expr) => Expr): Expr {
  return depth === 0 ? e : make(nested(e, depth - 1, make));
}

test(`every ${MOST_LEVELS}th nested operation gets a local before the statement`, () => {
  const { after } = split((b, p) => b.each(x.int(3), () => b.target(nested(p, 3 * MOST_LEVELS + 1, x.exp))));
  const [loop] = after;
  assert.ok(loop.kind === 'for');
  assert.deepEqual(
    loop.body.map(({ kind }) => kind),
    ['assign', 'assign', 'assign', 'target'],
  );
});

test('a value that is read twice gets one local', () => {
  const { after } = split((b, p) => b.target(nested(p, MOST_LEVELS + 1, x.square)));
  assert.equal(after.length, 2);
});

test('long sums and shallow values are unchanged', () => {
  const { before, after } = split((b, p) => {
    b.target(nested(p, 500, (inner) => x.add(inner, x.exp(p))));
    b.target(nested(p, MOST_LEVELS - 1, x.exp));
  });
  assert.deepEqual(after, before);
});
