import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Builder, Names } from './builder.js';
import * as x from './expressions.js';
import { Interner, sameExpression } from './interned.js';
import type { Expr } from './nodes.js';

const b = new Builder(new Names());
const [a, c] = [b.newLocal('real', 'a'), b.newLocal('real', 'c')];
const v = b.newRef('real', 1, 'v', 'global');
const w = b.newRef('real', 2, 'w', 'global');

/** An expression that reads each level twice: it has 2^depth paths from its root to `leaf`. */
function doubled(leaf: Expr, depth: number): Expr {
  let e = leaf;
  for (let k = 0; k < depth; k++) e = x.apply('add', 'real', e, e);
  return e;
}

const DIFFERENT: readonly (() => Expr)[] = [
  () => x.real(0),
  () => x.real(-0),
  () => x.int(0),
  () => x.get(a),
  () => x.get(c),
  () => x.load(v, x.int(0)),
  () => x.load(v, x.int(1)),
  () => x.load(w, x.int(0)),
  () => ({ kind: 'load_adjoint', type: 'real', ref: v, index: x.int(0) }),
  () => x.size(v, 0),
  () => x.size(w, 0),
  () => x.size(w, 1),
  () => ({ kind: 'target', type: 'real' }),
  () => x.sub(x.get(a), x.get(c)),
  () => x.sub(x.get(c), x.get(a)),
  () => x.add(x.get(a), x.get(c)),
  () => x.exp(x.add(x.get(a), x.get(c))),
  () => x.exp(x.sub(x.get(a), x.get(c))),
  () => x.log(x.sub(x.get(a), x.get(c))),
];

test('equal expressions have equal numbers, different ones have different numbers', () => {
  const interner = new Interner();
  const numbers = DIFFERENT.map((make) => interner.numberOf(make()));
  assert.equal(new Set(numbers).size, DIFFERENT.length);
  assert.deepEqual(
    DIFFERENT.map((make) => interner.numberOf(make())),
    numbers,
  );
  for (const [i, first] of DIFFERENT.entries()) {
    for (const [k, second] of DIFFERENT.entries())
      assert.equal(sameExpression(first(), second()), i === k, `${i} ${k}`);
  }
});

test('a node that is shared is visited once', () => {
  const interner = new Interner();
  assert.equal(interner.numberOf(doubled(x.get(a), 1000)), interner.numberOf(doubled(x.get(a), 1000)));
  assert.notEqual(interner.numberOf(doubled(x.get(a), 1000)), interner.numberOf(doubled(x.get(c), 1000)));
  assert.ok(sameExpression(doubled(x.get(a), 1000), doubled(x.get(a), 1000)));
  assert.ok(!sameExpression(doubled(x.get(a), 1000), doubled(x.get(c), 1000)));
});
