import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Builder, Names, pointer } from '../ir/builder.js';
import * as x from '../ir/expressions.js';
import type { Expr, Ref, Statement, StatementOf } from '../ir/nodes.js';
import { visitStatements } from '../ir/walk.js';
import { overwritesContents } from './overwrites.js';
import { Uses } from './uses.js';

/** For each store to `v`, in order: whether it may replace an element that was written before. */
function overwriting(write: (b: Builder, v: Ref, size: Expr) => void, fill: 'none' | 'zero' = 'none'): boolean[] {
  const b = new Builder(new Names());
  const block = b.capture(() => {
    const size = x.get(b.newLocal('int', 'n', 'global'));
    const v = b.allocate('real', [size], 'v', fill);
    write(b, v, size);
  });
  const uses = new Uses(block);
  const stores: StatementOf<'store'>[] = [];
  visitStatements(block, (statement) => {
    if (statement.kind === 'store') stores.push(statement);
  });
  return stores.map((store) => overwritesContents(store, store.ref, uses, null));
}

const store = (b: Builder, v: Ref, index: Expr): void => b.store(v, index, x.ONE);

test('a container filled by one loop is written once', () => {
  assert.deepEqual(
    overwriting((b, v, size) => b.each(size, (i) => store(b, v, i))),
    [false],
  );
});

test('first elements written apart from the loop that fills the others', () => {
  const from = (first: number): boolean[] =>
    overwriting((b, v, size) => {
      store(b, v, x.int(0));
      store(b, v, x.int(1));
      b.for(x.int(first), size, (i) => store(b, v, i));
    });
  assert.deepEqual(from(2), [false, false, false]);
  assert.deepEqual(from(1), [true, true, true]);
});

test('an index shifted by a constant starts at the shift', () => {
  const shifted = (by: number): boolean[] =>
    overwriting((b, v, size) => {
      store(b, v, x.int(0));
      b.for(x.int(1), size, (i) => store(b, v, x.add(i, x.int(by))));
    });
  assert.deepEqual(shifted(0), [false, false]);
  assert.deepEqual(shifted(-1), [true, true]);
});

test('an index of two loops is unique by the stride between them', () => {
  const nested = (radix: number): boolean[] =>
    overwriting((b, v) =>
      b.each(x.int(4), (i) => b.each(x.int(3), (j) => store(b, v, x.add(x.mul(i, x.int(radix)), j)))),
    );
  assert.deepEqual(nested(3), [false]);
  assert.deepEqual(nested(2), [true]);
  assert.deepEqual(
    overwriting((b, v) => b.each(x.int(4), (i) => b.each(x.int(3), (j) => store(b, v, x.add(i, j))))),
    [true],
  );
});

test('an index that moves with another quantity that the loop changes may repeat', () => {
  assert.deepEqual(
    overwriting((b, v) => {
      const k = b.newLocal('int', 'k');
      b.assign(k, x.int(4));
      b.each(x.int(4), (i) => {
        store(b, v, x.add(i, x.get(k)));
        b.assign(k, x.add(x.get(k), x.int(-1)));
      });
    }),
    [true],
  );
});

test('the same element twice', () => {
  assert.deepEqual(
    overwriting((b, v) => {
      store(b, v, x.int(0));
      store(b, v, x.int(0));
    }),
    [true, true],
  );
});

test('an element is overwritten if the index does not change in a loop', () => {
  assert.deepEqual(
    overwriting((b, v, size) => b.each(size, () => store(b, v, x.int(0)))),
    [true],
  );
  assert.deepEqual(
    overwriting((b, v, size) => b.each(size, (i) => b.each(size, () => store(b, v, i)))),
    [true],
  );
});

test('an index that is read from memory may repeat', () => {
  assert.deepEqual(
    overwriting((b, v, size) => {
      const order = b.newRef('int', 1, 'order', 'global');
      b.each(size, (i) => store(b, v, x.load(order, i)));
    }),
    [true],
  );
});

test('two loops that fill a container are not distinguished', () => {
  assert.deepEqual(
    overwriting((b, v, size) => {
      b.each(size, (i) => store(b, v, i));
      b.each(size, (i) => store(b, v, i));
    }),
    [true, true],
  );
});

test('zeros written by the allocation count as written', () => {
  assert.deepEqual(
    overwriting((b, v, size) => b.each(size, (i) => store(b, v, i)), 'zero'),
    [true],
  );
});

test('a store overwrites a container that a kernel has filled', () => {
  assert.deepEqual(
    overwriting((b, v, size) => {
      b.kernel('cholesky', [pointer(v), pointer(b.newRef('real', 2, 'a', 'global')), size]);
      b.each(size, (i) => store(b, v, i));
    }),
    [true],
  );
});

test('a container allocated in every iteration is written once per iteration', () => {
  const b = new Builder(new Names());
  let inner: Statement | undefined;
  const block = b.capture(() =>
    b.each(x.int(4), () => {
      const v = b.allocate('real', [x.int(3)], 'v');
      [inner] = b.capture(() => b.each(x.int(3), (i) => store(b, v, i)));
      b.emit(inner);
    }),
  );
  assert.ok(inner?.kind === 'for' && inner.body[0].kind === 'store');
  assert.equal(overwritesContents(inner.body[0], inner.body[0].ref, new Uses(block), null), false);
});

test('a container from before the region counts as written', () => {
  const b = new Builder(new Names());
  const block = b.capture(() => {
    const v = b.allocate('real', [x.int(3)], 'v');
    b.each(x.int(3), (i) => store(b, v, i));
  });
  const [, loop] = block;
  assert.ok(loop.kind === 'for' && loop.body[0].kind === 'store');
  assert.equal(overwritesContents(loop.body[0], loop.body[0].ref, new Uses(block), loop), true);
});
