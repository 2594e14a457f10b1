import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Builder, Names } from './builder.js';
import * as x from './expressions.js';
import type { Block, Local } from './nodes.js';
import { printBlock } from './print.js';
import { InternalError, verify, verifyFunction } from './verify.js';

function written(write: (b: Builder) => void): ReturnType<Builder['capture']> {
  const b = new Builder(new Names());
  return b.capture(() => write(b));
}

test('the printer writes one statement per line', () => {
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
for i in 0 .. size(v, 0) {
  v[i] = 2.0 * (to_real(i) + 0.5)
  if i > 3 {
    target += exp(-v[i]) (constant)
  } else {
    check v[i] > 0.0 else "v is {0}", v[i]
  }
  v'[i] += 1.0
}`,
  );
  verify(block, { gradient: true });
});

const BROKEN: Record<string, (b: Builder) => void> = {
  'a statement in two blocks': (b) => {
    const [statement] = b.capture(() => b.target(x.ONE));
    b.emit(statement);
    b.emit(statement);
  },
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

test('statements after a check that always fails may read unset variables, those after its block may not', () => {
  const failing = (b: Builder) => b.check(x.int(0), 'never', []);
  const reading = (b: Builder) => b.target(x.get(b.newLocal('real', 'y')));
  verify(
    written((b) => {
      failing(b);
      reading(b);
    }),
  );
  const behind = written((b) => {
    b.each(x.int(3), () => failing(b));
    reading(b);
  });
  assert.throws(() => verify(behind), /y is read before it is set/);
});

for (const [problem, write] of Object.entries(BROKEN)) {
  test(`the verifier finds: ${problem}`, () => {
    assert.throws(
      () => verify(written(write)),
      (error: unknown) => error instanceof InternalError && error.message.includes(problem),
    );
  });
}

test('a value set in an earlier iteration of a loop may be read', () => {
  verify(
    written((b) => {
      const y = b.newLocal('real', 'y');
      b.each(x.int(3), () => {
        b.target(x.get(y));
        b.assign(y, x.ONE);
      });
    }),
  );
});

test('variables with the same name are printed with numbers, in order of appearance', () => {
  const block = written((b) => {
    for (const value of [1, 2]) b.assign(b.newLocal('int', 'k'), x.int(value));
  });
  assert.equal(printBlock(block), 'k = 1\nk.2 = 2');
});

test('differentiation statements are allowed only in a gradient', () => {
  const block = written((b) => {
    const v = b.allocate('real', [x.int(1)], 'v');
    b.emit({ kind: 'set_adjoint', ref: v, index: x.int(0), value: x.ZERO });
  });
  verify(block, { gradient: true });
  assert.throws(() => verify(block), /set_adjoint before differentiation in\nv'\[0\] = 0\.0/);
});

test('a function sets its results', () => {
  const b = new Builder(new Names());
  const result = b.newLocal('real', 'r');
  const f = { id: 1, name: 'f', parameters: [], results: [result], body: [] };
  assert.throws(() => verifyFunction(f, [f]), /f never sets r/);
  verifyFunction({ ...f, body: b.capture(() => b.assign(result, x.ONE)) }, [f]);
});

/** A forward loop that saves `y` every iteration, and what `reverse` does afterwards. */
function saving(reverse: (b: Builder, y: Local) => void): Block {
  return written((b) => {
    const y = b.newLocal('real', 'y');
    b.assign(y, x.ONE);
    b.each(x.int(3), () => b.emit({ kind: 'push', value: x.get(y) }));
    reverse(b, y);
  });
}

const reversed = (b: Builder, body: () => void): void =>
  b.emit({
    kind: 'for_reverse',
    index: b.newLocal('int', 'i'),
    from: x.int(0),
    to: x.int(3),
    body: b.capture(body),
  });

test('a reversed loop pops from the tape what the loop has pushed, iteration by iteration', () => {
  verify(
    saving((b, y) => reversed(b, () => b.emit({ kind: 'pop', local: y }))),
    { gradient: true },
  );
});

const UNBALANCED: Record<string, (b: Builder, y: Local) => void> = {
  'iterations stays on the tape': () => {},
  'the tape ends with iterations, not real': (b, y) => b.emit({ kind: 'pop', local: y }),
  'the tape ends with real, not int': (b) => reversed(b, () => b.emit({ kind: 'pop', local: b.newLocal('int', 'n') })),
  'the tape ends with nothing, not real': (b, y) =>
    reversed(b, () => {
      b.emit({ kind: 'pop', local: y });
      b.emit({ kind: 'pop', local: y });
    }),
};

for (const [problem, reverse] of Object.entries(UNBALANCED)) {
  test(`the verifier finds: ${problem}`, () => {
    assert.throws(
      () => verify(saving(reverse), { gradient: true }),
      (error: unknown) => error instanceof InternalError && error.message.includes(problem),
    );
  });
}
