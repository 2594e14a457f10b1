import assert from 'node:assert/strict';
import { test } from 'node:test';
import { targetOf } from '../../../test/support/interpreter.js';
import { mentionsOfNode } from '../../dataflow/effects.js';
import { Builder, Names } from '../../ir/builder.js';
import * as x from '../../ir/expressions.js';
import type { Block, Expr, Ref } from '../../ir/nodes.js';
import { OPS } from '../../ir/ops.js';
import { printBlock } from '../../ir/print.js';
import { verify } from '../../ir/verify.js';
import { expressionsOf, visitExpression, visitStatements } from '../../ir/walk.js';
import { removeDead } from '../simplify/dead.js';
import { hoistData } from './hoist.js';

const DATA = [0.5, 2, 1.25, 3];
const POSITIONS = [
  [0.3, -0.2, 0.9],
  [1.1, 0.4, -0.6],
];

interface Hoisted {
  readonly precompute: string;
  readonly logDensity: string;
}

/**
 * Hoists a block that reads data `d` and a position `q`. Asserts that the log density is the same at two positions with one precomputation,
 * and that it contains no expensive operation on data alone.
 */
function hoisted(write: (b: Builder, d: Ref, q: Ref) => void): Hoisted {
  const names = new Names();
  const b = new Builder(names);
  const d = b.newRef('real', 1, 'd', 'global');
  const q = b.newRef('real', 1, 'q', 'global');
  const block = b.capture(() => write(b, d, q));
  const split = hoistData(names, block, [q]);
  const logDensity = removeDead(split.logDensity);
  const precompute = removeDead(split.precompute, names.globals);
  verify(precompute);
  verify(logDensity);
  for (const position of POSITIONS) {
    const inputs = [
      { ref: d, elements: DATA },
      { ref: q, elements: position },
    ];
    const expected = targetOf([block], inputs);
    const found = targetOf([precompute, logDensity], inputs);
    assert.ok(Math.abs(found - expected) < 1e-13 * Math.max(1, Math.abs(expected)), `${found}, not ${expected}`);
  }
  assert.deepEqual(costlyDataOnly(logDensity, q), []);
  return { precompute: printBlock(precompute), logDensity: printBlock(logDensity) };
}

/** Expensive operations that read only memory of the data. */
function costlyDataOnly(block: Block, position: Ref): string[] {
  const found: string[] = [];
  visitStatements(block, (statement) => {
    for (const root of expressionsOf(statement)) {
      visitExpression(root, (node) => {
        if (node.kind === 'apply' && OPS[node.op].cost === 'expensive' && readsDataOnly(node, position)) {
          found.push(node.op);
        }
      });
    }
  });
  return found;
}

function readsDataOnly(e: Expr, position: Ref): boolean {
  let data = true;
  visitExpression(e, (node) =>
    mentionsOfNode(node, (variable) => {
      if (variable === position || (variable.kind === 'local' && variable.storage === 'local')) data = false;
    }),
  );
  return data;
}

test('a data-only statement is computed once per data set', () => {
  const { precompute, logDensity } = hoisted((b, d, q) => {
    const scale = b.bind(x.exp(x.load(d, x.int(1))), 'scale');
    b.target(x.mul(scale, x.load(q, x.int(0))));
  });
  assert.equal(precompute, 'scale = exp(d[1])');
  assert.equal(logDensity, 'target += scale * q[0]');
});

test('data-only terms of target become one number', () => {
  const { precompute, logDensity } = hoisted((b, d, q) => {
    b.each(x.int(4), (i) => b.target(x.sub(x.log(x.load(d, i)), x.mul(x.load(d, i), x.load(q, x.int(0))))));
    b.target(x.load(d, x.int(2)), 'constant');
  });
  assert.equal(
    precompute,
    `data_always = 0.0
data_constant = 0.0
for i in 0 .. 4 {
  data_always = data_always + log(d[i])
}
data_constant = data_constant + d[2]`,
  );
  assert.equal(
    logDensity,
    `target += data_always
target += data_constant (constant)
for i in 0 .. 4 {
  target += -(d[i] * q[0])
}`,
  );
});

test('costly data-only expressions inside a loop become an array over its index', () => {
  const { precompute, logDensity } = hoisted((b, d, q) =>
    b.each(x.int(4), (i) => b.target(x.mul(x.exp(x.load(d, i)), x.load(q, x.int(1))))),
  );
  assert.equal(
    precompute,
    `allocate real data[4] zero
for i in 0 .. 4 {
  data[i] = exp(d[i])
}`,
  );
  assert.equal(logDensity, 'for i in 0 .. 4 {\n  target += data[i] * q[1]\n}');
});

test('a power of data is computed from the logarithm of its base', () => {
  const { precompute, logDensity } = hoisted((b, d, q) => {
    b.each(x.size(d, 0), (i) => b.target(x.pow(x.load(d, i), x.load(q, x.int(1)))));
    b.target(x.pow(x.real(3), x.load(q, x.int(2))));
    b.target(x.pow(x.square(x.load(q, x.int(2))), x.load(d, x.int(0))));
  });
  assert.equal(
    precompute,
    `allocate real data[select_int(0 <= (size(d, 0) + -1), size(d, 0), 0)] zero
allocate real data.2[select_int(0 <= (size(d, 0) + -1), size(d, 0), 0)] zero
for i in 0 .. size(d, 0) {
  data[i] = log_high(d[i])
  data.2[i] = log_low(d[i])
}
data.3 = log_high(3.0)
data.4 = log_low(3.0)`,
  );
  assert.equal(
    logDensity,
    `for i in 0 .. size(d, 0) {
  target += pow_of_log(d[i], q[1], data[i], data.2[i])
}
target += pow_of_log(3.0, q[2], data.3, data.4)
target += pow(q[2] * q[2], d[0])`,
  );
});

test('a sum over an inner loop becomes an array over the indexes of the outer loops', () => {
  const { precompute, logDensity } = hoisted((b, d, q) =>
    b.each(x.int(4), (i) => {
      const sum = b.newLocal('real', 'sum');
      b.assign(sum, x.real(0));
      b.each(x.int(3), (j) => b.assign(sum, x.add(x.get(sum), x.mul(x.load(d, i), x.load(d, j)))));
      b.target(x.mul(x.get(sum), x.load(q, x.int(0))));
    }),
  );
  assert.equal(
    precompute,
    `allocate real data[4] zero
for i in 0 .. 4 {
  sum = 0.0
  for i.2 in 0 .. 3 {
    sum = sum + (d[i] * d[i.2])
  }
  data[i] = sum
}`,
  );
  assert.equal(logDensity, 'for i in 0 .. 4 {\n  target += data[i] * q[0]\n}');
});

test('a division of looked-up data becomes an array, but one of the index alone stays in the loop', () => {
  const names = new Names();
  const b = new Builder(names);
  const n = b.newRef('int', 1, 'n', 'global');
  const q = b.newRef('real', 1, 'q', 'global');
  const remainder = (e: Expr) => x.apply('rem_int', 'int', e, x.int(3));
  const block = b.capture(() =>
    b.each(x.int(4), (i) => b.target(x.mul(x.load(q, remainder(x.load(n, i))), x.load(q, remainder(i))))),
  );
  const { precompute, logDensity } = hoistData(names, block, [q]);
  assert.match(printBlock(precompute), /data\[i\] = n\[i\] rem 3/);
  assert.match(printBlock(logDensity), /target \+= q\[data\[i\]\] \* q\[i(\.\d+)? rem 3\]/);
});

test('an array spans the loops on whose indexes the expression depends', () => {
  const { precompute, logDensity } = hoisted((b, d, q) =>
    b.for(x.int(1), x.int(3), (i) =>
      b.each(x.int(2), (j) => {
        b.target(x.mul(x.exp(x.add(x.load(d, i), x.load(d, j))), x.load(q, x.int(0))));
        b.target(x.mul(x.log(x.load(d, i)), x.load(q, j)));
      }),
    ),
  );
  assert.match(precompute, /allocate real data\[2, 2\] zero\n/);
  assert.match(logDensity, /target \+= data\[\(\(i \+ -1\) \* 2\) \+ i\.2\] \* q\[0\]/);
  assert.match(logDensity, /target \+= data\.2\[i \+ -1\] \* q\[i\.2\]/);
});

const lengths = (d: Ref, i: Expr): Expr => x.apply('to_int', 'int', x.load(d, i));

test('a list contains where the values of an inner loop with varying bounds start', () => {
  const { precompute, logDensity } = hoisted((b, d, q) =>
    b.each(x.int(4), (i) => {
      const end = b.bind(x.add(lengths(d, i), x.int(1)), 'end');
      b.for(x.int(1), end, (j) => b.target(x.mul(x.exp(x.mul(x.load(d, i), x.toReal(j))), x.load(q, x.int(1)))), 'j');
    }),
  );
  assert.equal(
    precompute,
    `total = 0
allocate int starts[4] zero
for i in 0 .. 4 {
  starts[i] = total
  total = total + select_int((i >= 0) && (i < size(d, 0)), select_int(1 <= to_int(d[select_int((i >= 0) && (i < size(d, 0)), i, 0)]), to_int(d[select_int((i >= 0) && (i < size(d, 0)), i, 0)]), 0), 0)
}
allocate real data[total] zero
for i.2 in 0 .. 4 {
  end = to_int(d[i.2]) + 1
  for j in 1 .. end {
    data[starts[i.2] + (j + -1)] = exp(d[i.2] * to_real(j))
  }
}`,
  );
  assert.equal(
    logDensity,
    `for i in 0 .. 4 {
  end = to_int(d[i]) + 1
  for j in 1 .. end {
    target += data[starts[i] + (j + -1)] * q[1]
  }
}`,
  );
});

test('lists of varying length span all loops on which the values depend', () => {
  const { precompute } = hoisted((b, d, q) =>
    b.each(x.int(2), (k) =>
      b.each(x.int(4), (i) =>
        b.each(lengths(d, i), (j) => {
          b.target(x.mul(x.exp(x.add(x.load(d, i), x.toReal(x.add(j, k)))), x.load(q, j)));
          b.target(x.mul(x.log(x.add(x.load(d, i), x.toReal(j))), x.load(q, k)));
        }),
      ),
    ),
  );
  assert.match(precompute, /allocate int starts\[2, 4\] zero/);
  assert.match(precompute, /allocate int starts\.2\[4\] zero/);
});

test('values stay in a loop whose bounds vary if it runs conditionally or its bounds are running sums', () => {
  const rest = (write: (b: Builder, d: Ref, row: Expr, inner: (end: Expr) => void) => void): string => {
    const names = new Names();
    const b = new Builder(names);
    const d = b.newRef('real', 1, 'd', 'global');
    const q = b.newRef('real', 1, 'q', 'global');
    const block = b.capture(() =>
      b.each(x.int(4), (i) =>
        write(b, d, i, (end) =>
          b.each(end, (j) => b.target(x.mul(x.exp(x.add(x.load(d, i), x.load(d, j))), x.load(q, i)))),
        ),
      ),
    );
    return printBlock(hoistData(names, block, [q]).logDensity);
  };
  const conditional = rest((b, d, i, inner) =>
    b.if(x.compare('gt', x.load(d, i), x.real(1)), () => inner(lengths(d, i))),
  );
  const running = rest((b, d, i, inner) => {
    const end = b.newLocal('int', 'end');
    b.assign(end, x.add(x.get(end), lengths(d, i)));
    inner(x.get(end));
  });
  for (const text of [conditional, running]) assert.match(text, /exp\(d\[i\] \+ d\[i\.2\]\)/);
});

test('an expression stays in a loop whose bounds depend on an outer index that it does not read', () => {
  const names = new Names();
  const b = new Builder(names);
  const d = b.newRef('real', 1, 'd', 'global');
  const q = b.newRef('real', 1, 'q', 'global');
  const block = b.capture(() =>
    b.each(x.int(3), (i) => b.for(i, x.int(3), (j) => b.target(x.mul(x.exp(x.load(d, j)), x.load(q, i))))),
  );
  assert.match(printBlock(hoistData(names, block, [q]).logDensity), /exp\(d\[i\.2\]\) \* q\[i\]/);
});

test('values under a condition on the position stay', () => {
  const { precompute } = hoisted((b, d, q) => {
    const y = b.newLocal('real', 'y');
    b.assign(y, x.load(d, x.int(0)));
    b.if(x.isPositive(x.load(q, x.int(0))), () => b.assign(y, x.load(d, x.int(1))));
    b.target(x.get(y));
  });
  assert.equal(precompute, '');
});

test('a variable that is overwritten after it has been read stays', () => {
  const { logDensity } = hoisted((b, d, q) => {
    const y = b.newLocal('real', 'y');
    b.assign(y, x.load(d, x.int(0)));
    b.target(x.mul(x.get(y), x.load(q, x.int(0))));
    b.assign(y, x.load(d, x.int(1)));
    b.target(x.mul(x.get(y), x.load(q, x.int(1))));
  });
  assert.match(logDensity, /^y = d\[0\]/);
});

test('views of a container that moves refer to its new location', () => {
  const { precompute, logDensity } = hoisted((b, d, q) => {
    const z = b.allocate('real', [x.int(4)], 'z');
    b.each(x.int(4), (i) => b.store(z, i, x.load(d, i)));
    const tail = b.view(z, x.int(2), [x.int(2)], 'tail');
    const sum = b.allocate('real', [x.int(2)], 'sums');
    b.each(x.int(2), (i) => b.store(sum, i, x.load(tail, i)));
    b.each(x.int(2), (i) => b.target(x.mul(x.load(z, i), x.mul(x.load(sum, i), x.load(q, i)))));
  });
  assert.match(precompute, /allocate real z\[4\]\n(.*\n)*view tail\[2\] = z from 2/);
  assert.match(logDensity, /z\[i\] \* \(sums\[i\] \* q\[i\]\)/);
});

test('checks of data run once per data set, also if their loops stay', () => {
  const { precompute, logDensity } = hoisted((b, d, q) =>
    b.each(x.int(4), (i) => {
      b.check(x.isPositive(x.load(d, i)), 'd is {0}', [x.load(d, i)]);
      b.target(x.mul(x.load(d, i), x.load(q, x.int(0))));
    }),
  );
  assert.match(precompute, /check d\[i\] > 0\.0/);
  assert.doesNotMatch(logDensity, /check/);
});

test('a local that is updated from its own value keeps the order of its statements', () => {
  hoisted((b, d, q) =>
    b.each(x.int(4), (i) => {
      const s = b.newLocal('real', 's');
      b.assign(s, x.ONE);
      for (const _ of [1, 2]) {
        b.assign(s, x.sub(x.mul(x.real(2), x.get(s)), x.load(d, i)));
        b.target(x.mul(x.mul(x.get(s), x.load(d, i)), x.load(q, x.int(0))));
      }
    }),
  );
});

test('a local of a branch that is overwritten after it has been read stays in the branch', () => {
  const { logDensity } = hoisted((b, d, q) => {
    b.if(x.isPositive(x.load(d, x.int(0))), () => {
      const k = b.newLocal('int', 'k');
      b.assign(k, x.int(1));
      b.target(x.mul(x.get(k), x.load(q, x.int(0))));
      b.if(x.isPositive(x.load(d, x.int(1))), () => b.assign(k, x.add(x.get(k), x.int(2))));
      b.target(x.mul(x.get(k), x.load(q, x.int(0))));
    });
  });
  assert.match(logDensity, /k = 1/);
});

test('an array over an inner index keeps the values that each outer iteration stores under its condition', () => {
  hoisted((b, d, q) =>
    b.each(x.int(4), (i) =>
      b.each(x.int(4), (j) =>
        b.if(x.isPositive(x.toReal(x.sub(j, i))), () => b.target(x.mul(x.exp(x.load(d, j)), x.load(q, x.int(0))))),
      ),
    ),
  );
});

test('stores in a branch or an inner loop are repeated if either may not have run', () => {
  hoisted((b, d, q) =>
    b.each(x.int(4), (i) => {
      const cost = x.exp(x.load(d, i));
      b.if(x.isPositive(x.toReal(x.sub(i, x.int(1)))), () => b.target(x.mul(cost, x.load(q, x.int(0)))));
      b.target(x.mul(cost, x.load(q, x.int(1))));
    }),
  );
  hoisted((b, d, q) =>
    b.each(x.int(4), (i) => {
      const cost = x.exp(x.load(d, i));
      b.for(x.int(2), i, () => b.target(x.mul(cost, x.load(q, x.int(0)))));
      b.target(x.mul(cost, x.load(q, x.int(1))));
    }),
  );
});

test('an expression chosen by a condition or bound becomes an array over the indexes in them', () => {
  hoisted((b, _d, q) =>
    b.each(x.int(4), (i) =>
      b.each(x.int(4), (j) => {
        const chosen = b.newLocal('real', 'chosen');
        b.if(
          x.isPositive(x.toReal(x.sub(j, i))),
          () => b.assign(chosen, x.real(0.5)),
          () => b.assign(chosen, x.real(0.25)),
        );
        b.target(x.mul(x.exp(x.get(chosen)), x.load(q, x.int(0))));
      }),
    ),
  );
  hoisted((b, d, q) =>
    b.each(x.int(4), (i) => {
      const power = b.newLocal('real', 'power');
      b.assign(power, x.load(d, x.int(2)));
      b.each(i, () => b.assign(power, x.mul(x.get(power), x.real(1.5))));
      b.target(x.mul(x.exp(x.neg(x.get(power))), x.load(q, x.int(0))));
    }),
  );
});
