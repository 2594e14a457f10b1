import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Uses } from '../dataflow/uses.js';
import { Builder, Names } from '../ir/builder.js';
import * as x from '../ir/expressions.js';
import type { Expr, Ref } from '../ir/nodes.js';
import { isRepeatable } from './repeat.js';

interface Inside {
  readonly builder: Builder;
  readonly index: Expr;
  /** Data, which no statement writes. */
  readonly data: Ref;
  /** Written in the loop, one element per iteration. */
  readonly state: Ref;
}

/** Whether the reverse computes `y = value` in a loop over `index` again. */
function repeatable(value: (inside: Inside) => Expr, again: (inside: Inside, y: Expr) => void = () => {}): boolean {
  const b = new Builder(new Names());
  const data = b.newRef('real', 1, 'data', 'global');
  const state = b.newRef('real', 1, 'state', 'global');
  const y = b.newLocal('real', 'y');
  const [loop] = b.capture(() =>
    b.each(x.int(4), (index) => {
      const inside = { builder: b, index, data, state };
      b.assign(y, value(inside));
      b.store(state, index, x.get(y));
      again(inside, x.get(y));
    }),
  );
  assert.ok(loop.kind === 'for');
  const [statement] = loop.body.filter((s) => s.kind === 'assign' && s.local === y);
  assert.ok(statement.kind === 'assign');
  return isRepeatable(statement, new Uses([loop]), [loop]);
}

test("cheap work on data and the loop's index is repeated", () => {
  assert.ok(repeatable(({ data, index }) => x.add(x.load(data, index), x.toReal(index))));
  assert.ok(repeatable(({ data }) => x.toReal(x.size(data, 0))));
});

test('expensive values are saved', () => {
  assert.ok(!repeatable(({ data, index }) => x.exp(x.load(data, index))));
});

test('values that the loop changes are saved', () => {
  assert.ok(!repeatable(({ state, index }) => x.load(state, index)));
  assert.ok(
    !repeatable(({ builder }) => {
      const other = builder.newLocal('real', 'other');
      builder.assign(other, x.ONE);
      return x.get(other);
    }),
  );
});

test('sizes and contents of a container made in the loop are saved', () => {
  assert.ok(
    !repeatable(({ builder, index }) => {
      const made = builder.allocate('real', [index], 'made', 'zero');
      return x.toReal(x.size(made, 0));
    }),
  );
});

test('a variable with a second assignment is saved', () => {
  const b = new Builder(new Names());
  const y = b.newLocal('real', 'y');
  const [loop] = b.capture(() =>
    b.each(x.int(4), (i) => {
      b.assign(y, x.toReal(i));
      b.assign(y, x.ONE);
    }),
  );
  assert.ok(loop.kind === 'for' && loop.body[0].kind === 'assign');
  assert.ok(!isRepeatable(loop.body[0], new Uses([loop]), [loop]));
});

test('values outside loops that are reversed later are not repeated', () => {
  const b = new Builder(new Names());
  const [statement] = b.capture(() => b.assign(b.newLocal('real', 'y'), x.ONE));
  assert.ok(statement.kind === 'assign');
  assert.ok(!isRepeatable(statement, new Uses([statement]), []));
});

test('the indexes of an inner and of an outer loop are repeated, that of a loop within is saved', () => {
  const b = new Builder(new Names());
  const y = b.newLocal('real', 'y');
  const [outer] = b.capture(() =>
    b.each(x.int(4), (i) =>
      b.each(x.int(3), (j) => {
        b.assign(y, x.toReal(x.sub(i, j)));
        b.target(x.get(y));
      }),
    ),
  );
  assert.ok(outer.kind === 'for');
  const [inner] = outer.body;
  assert.ok(inner.kind === 'for');
  const [statement] = inner.body;
  assert.ok(statement.kind === 'assign');
  const uses = new Uses([outer]);
  assert.ok(isRepeatable(statement, uses, [outer, inner]), 'both loops are reversed as one');
  assert.ok(isRepeatable(statement, uses, [inner]), 'the outer index does not change in the inner loop');
  assert.ok(
    !isRepeatable(statement, uses, [outer]),
    'the inner loop is closed: its index is unknown in the reverse sweep',
  );
});
