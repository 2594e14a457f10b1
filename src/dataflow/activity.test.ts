import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Builder, Names, pointer } from '../ir/builder.js';
import * as x from '../ir/expressions.js';
import type { Expr, Ref } from '../ir/nodes.js';
import { Activity } from './activity.js';

/** Writes a block that reads the input `q`, and analyzes it. */
function analyzed<T>(write: (b: Builder, q: Ref) => T): { readonly activity: Activity; readonly made: T } {
  const b = new Builder(new Names());
  const q = b.newRef('real', 1, 'q', 'global');
  let made: T | undefined;
  const block = b.capture(() => {
    made = write(b, q);
  });
  if (made === undefined) throw new Error('nothing was written');
  return { activity: new Activity(block, [q]), made };
}

/** Whether a scalar with this value is active if it is added to `target`. */
function isActive(value: (q: Expr, b: Builder) => Expr): boolean {
  const { activity, made } = analyzed((b, q) => {
    const local = b.newLocal('real', 'y');
    b.assign(local, value(x.load(q, x.int(0)), b));
    b.target(x.get(local));
    return local;
  });
  return activity.isActive(made);
}

test('a value is active through operations that have derivatives', () => {
  assert.ok(isActive((q) => x.exp(x.add(q, x.ONE))));
  assert.ok(isActive((q) => x.select(x.isPositive(x.ONE), q, x.neg(q))));
  assert.ok(!isActive(() => x.exp(x.apply('add', 'real', x.ONE, x.ONE))));
});

test('comparisons, conditions, integers and steps stop it', () => {
  assert.ok(!isActive((q) => x.toReal(x.compare('lt', q, x.ONE))));
  assert.ok(!isActive((q) => x.toReal(x.apply('to_int', 'int', q))));
  assert.ok(!isActive((q) => x.apply('select', 'real', x.isPositive(q), x.ONE, x.real(2))));
  assert.ok(!isActive((q) => x.call1('floor', q)));
});

test('values that target does not depend on are inactive', () => {
  const { activity, made } = analyzed((b, q) => {
    const [used, unused] = [b.newLocal('real', 'used'), b.newLocal('real', 'unused')];
    b.assign(used, x.load(q, x.int(0)));
    b.assign(unused, x.exp(x.get(used)));
    b.check(x.isPositive(x.get(unused)), 'not positive');
    b.target(x.get(used));
    return { used, unused };
  });
  assert.ok(activity.isActive(made.used));
  assert.ok(!activity.isActive(made.unused));
});

test('a container is active as a whole, with its views, also around loops', () => {
  const { activity, made } = analyzed((b, q) => {
    const v = b.allocate('real', [x.int(3)], 'v', 'zero');
    const w = b.allocate('real', [x.int(3)], 'w', 'zero');
    const part = b.view(v, x.int(1), [x.int(1)], 'part');
    b.each(x.int(3), (i) => {
      b.store(w, i, x.load(part, x.int(0)));
      b.store(v, i, x.load(q, i));
    });
    b.target(x.load(w, x.int(2)));
    return { v, w, part };
  });
  assert.deepEqual(
    [made.v, made.w, made.part].map((ref) => activity.isActive(ref)),
    [true, true, true],
  );
});

test('kernels propagate activity from inputs to outputs, if they have an adjoint', () => {
  const { activity, made } = analyzed((b, q) => {
    const factor = b.allocate('real', [x.int(1), x.int(1)], 'factor');
    const order = b.allocate('int', [x.int(1)], 'order');
    b.kernel('cholesky', [pointer(factor), pointer(q), x.int(1)]);
    b.target(x.add(x.load(factor, x.int(0)), x.toReal(x.load(order, x.int(0)))));
    return { factor, order };
  });
  assert.ok(activity.isActive(made.factor));
  assert.ok(!activity.isActive(made.order));
});
