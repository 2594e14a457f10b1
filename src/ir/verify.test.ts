import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Builder, Names } from './builder.js';
import * as x from './expressions.js';
import { printBlock } from './print.js';
import { InternalError, verify } from './verify.js';

function written(write: (b: Builder) => void): ReturnType<Builder['capture']> {
  const b = new Builder(new Names());
  return b.capture(() => write(b));
}

test('the printer shows a block a statement a line', () => {
  const block = written((b) => {
    const n = b.newLocal('int', 'N', 'global');
    const v = b.allocate('real', [x.get(n)], 'v', 'zero');
    b.each(x.size(v, 0), (i) => {
      b.store(v, i, x.mul(x.add(x.toReal(i), x.real(0.5)), x.real(2)));
      b.if(
        x.compare('gt', i, x.int(3)),
        () => b.target(x.exp(x.neg(x.load(v, i))), 'constant'),
        () => b.check(x.isPositive(x.load(v, i)), 'v is {0}', [x.load(v, i)]),
      );
      b.emit({ kind: 'add_adjoint', ref: v, index: i, value: x.ONE });
    });
    b.newLocal('real', 'v');
  });
  assert.equal(
    printBlock(block),
    `allocate real v[N] zero
parallel for i in 0 .. size(v, 0) {
  v[i] = 2.0 * (to_real(i) + 0.5)
  if i > 3 {
    target += exp(-v[i]) (constant)
  } else {
    check v[i] > 0.0 else "v is {0}", v[i]
  }
  v'[i] += 1.0
}`,
  );
  verify(block);
});

const BROKEN: Record<string, (b: Builder) => void> = {
  'is read before it is set': (b) => b.target(x.get(b.newLocal('real', 'y'))),
  'v is read before it is set': (b) => b.target(x.load(b.newRef('real', 1, 'v'), x.int(0))),
  'the value of y is int, not real': (b) => b.emit({ kind: 'assign', local: b.newLocal('real', 'y'), value: x.int(1) }),
  'operand 1 of add is int, not real': (b) => b.target(x.apply('add', 'real', x.ONE, x.int(1))),
  'v of rank 2 has 1 sizes': (b) =>
    b.emit({ kind: 'allocate', ref: b.newRef('real', 2, 'v'), sizes: [x.int(1)], fill: 'none' }),
  'there is no block 9 around': (b) => b.exit(9),
  'there is no function 4': (b) => b.emit({ kind: 'call', callee: 4, args: [], results: [] }),
  'there is no value for {1}': (b) =>
    b.check(x.compare('lt', x.get(b.newLocal('int', 'n', 'global')), x.int(1)), '{0} {1}', [x.ONE]),
  'has no parent to view': (b) =>
    b.emit({ kind: 'view', ref: b.newRef('real', 1, 'v'), offset: x.int(0), sizes: [x.int(1)] }),
  'the body writes its index i': (b) =>
    b.each(x.int(3), (i) => {
      if (i.kind === 'get') b.assign(i.local, x.int(0));
    }),
};

for (const [problem, write] of Object.entries(BROKEN)) {
  test(`the verifier finds: ${problem}`, () => {
    assert.throws(
      () => verify(written(write)),
      (error: unknown) => error instanceof InternalError && error.message.includes(problem),
    );
  });
}

test('a value set in an earlier round of a loop may be read', () => {
  verify(
    written((b) => {
      const y = b.newLocal('real', 'y');
      b.each(x.int(3), () => {
        b.emit({ kind: 'push', value: x.get(y) });
        b.assign(y, x.ONE);
      });
    }),
  );
});
