import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileIr } from '../../../test/support/compile-ir.js';
import { differentiate } from '../../gradient/differentiate.js';
import type { Builder } from '../../ir/builder.js';
import * as x from '../../ir/expressions.js';
import type { Block, Expr, Ref } from '../../ir/nodes.js';
import { visitStatements } from '../../ir/walk.js';
import { shareExponentials } from '../algebra/logistic.js';
import { thinTape } from './tape.js';

/** The gradient at (0.7, -0.4) of a log density over two parameters, and the block after `pass`. */
function gradientOf(
  write: (b: Builder, position: Ref) => void,
  pass: (b: Builder, block: Block) => Block,
): { readonly numbers: number[]; readonly block: Block } {
  let block: Block = [];
  const model = compileIr(({ builder, position, flags }) => {
    const density = builder.capture(() => write(builder, position));
    const { gradient } = differentiate(builder.names, density, [position], flags.keepJacobian, []);
    block = pass(builder, gradient);
    return { gradient: block };
  });
  const gradient = new Float64Array(2);
  const value = model.logDensityGradient(Float64Array.of(0.7, -0.4), gradient, { propto: false, jacobian: true });
  return { numbers: [value, ...gradient], block };
}

function countTape(block: Block): number {
  let count = 0;
  visitStatements(block, ({ kind }) => {
    if (kind === 'push' || kind === 'pop') count++;
  });
  return count;
}

const iterations = x.int(7);

/** Writes a container that is read after the loop that fills it, so that the loop is reversed later. */
function throughContainer(b: Builder, element: (i: Expr) => Expr): void {
  const v = b.allocate('real', [iterations], 'v');
  b.each(iterations, (i) => b.store(v, i, b.bind(element(i), 'e')));
  b.target(b.sum(iterations, (i) => x.mul(x.load(v, i), x.load(v, x.sub(x.int(6), i)))));
}

const PROGRAMS: Record<string, { readonly write: (b: Builder, position: Ref) => void; readonly left: number }> = {
  'values that are cheap are computed again': {
    write: (b, p) => throughContainer(b, (i) => x.square(b.bind(x.mul(x.load(p, x.int(0)), x.toReal(i)), 'y'))),
    left: 0,
  },
  'values that are not are kept by iteration': {
    write: (b, p) =>
      throughContainer(b, (i) => {
        const y = b.bind(x.exp(x.mul(x.load(p, x.int(0)), x.toReal(i))), 'y');
        return x.mul(x.square(y), x.load(p, x.int(1)));
      }),
    left: 0,
  },
  'the inputs of the repeated value are also repeated, in their loop': {
    write: (b, p) => {
      const v = b.allocate('real', [x.int(12)], 'v');
      b.each(x.int(3), (i) => {
        const start = b.bind(x.mul(i, x.int(4)), 'start');
        b.each(x.int(4), (j) => {
          const at = b.bind(x.add(start, j), 'at');
          const y = b.bind(x.mul(x.load(p, x.int(1)), x.toReal(at)), 'y');
          b.store(v, at, x.mul(y, y));
        });
      });
      b.target(b.sum(x.int(12), (i) => x.mul(x.load(v, i), x.load(v, x.sub(x.int(11), i)))));
    },
    left: 0,
  },
  'what one loop keeps by iteration outlives the iterations of the loop around it, whatever another loop there keeps': {
    write: (b, p) => {
      const v = b.allocate('real', [iterations], 'v');
      b.each(iterations, (i) => b.store(v, i, x.load(p, x.int(1))));
      const costly = (i: Expr): Expr => b.bind(x.exp(x.mul(x.load(p, x.int(0)), x.toReal(i))), 'y');
      b.each(iterations, (i) =>
        b.if(
          x.compare('lt', i, x.int(3)),
          () => {
            b.each(iterations, (j) => {
              const y = costly(x.add(i, j));
              b.store(v, i, x.add(x.load(v, i), x.mul(x.square(y), x.load(p, x.int(1)))));
            });
          },
          () =>
            b.if(x.compare('lt', i, x.int(5)), () => {
              const r = b.newLocal('real', 'r');
              b.assign(r, x.real(0.2));
              b.each(iterations, (j) => {
                const y = costly(x.sub(j, i));
                b.assign(r, x.add(x.get(r), x.mul(x.square(y), x.load(p, x.int(1)))));
              });
              b.target(x.get(r));
            }),
        ),
      );
      b.target(b.sum(iterations, (i) => x.mul(x.load(v, i), x.load(v, x.sub(x.int(6), i)))));
    },
    left: 0,
  },
  'sums within an iteration that is reversed at once save nothing': {
    write: (b, p) =>
      b.each(iterations, (i) => {
        const total = b.newLocal('real', 'total');
        b.assign(total, x.real(0));
        for (const factor of [1, 2, 3]) {
          const term = b.bind(x.exp(x.mul(x.load(p, x.int(0)), x.mul(x.real(factor), x.toReal(i)))), 'term');
          b.assign(total, x.add(x.get(total), term));
        }
        b.target(x.call1('log', x.get(total)));
      }),
    left: 0,
  },
  'factors within such an iteration save what their reverse reads': {
    write: (b, p) =>
      b.each(iterations, () => {
        const state = b.newLocal('real', 'state');
        b.assign(state, x.load(p, x.int(0)));
        for (let k = 0; k < 2; k++)
          b.assign(state, x.mul(x.get(state), x.exp(x.mul(x.get(state), x.load(p, x.int(1))))));
        b.target(x.get(state));
      }),
    left: 4,
  },
  'a recurrence keeps its tape': {
    write: (b, p) => {
      const state = b.newLocal('real', 'state');
      b.assign(state, x.load(p, x.int(0)));
      b.each(iterations, () => b.assign(state, x.mul(x.get(state), x.exp(x.mul(x.get(state), x.load(p, x.int(1)))))));
      b.target(x.get(state));
    },
    left: 2,
  },
};

for (const [name, { write, left }] of Object.entries(PROGRAMS)) {
  test(`thinTape: ${name}`, () => {
    const full = gradientOf(write, (_, block) => block);
    const thin = gradientOf(write, (b, block) => thinTape(b.names, block));
    for (const [k, expected] of full.numbers.entries()) {
      assert.ok(
        Math.abs(thin.numbers[k] - expected) <= 1e-13 * Math.abs(expected),
        `${thin.numbers[k]} is not ${expected}`,
      );
    }
    assert.equal(countTape(thin.block), left);
  });
}

test('shareExponentials: logarithms and ratios of the logistic family keep their values', () => {
  const write = (b: Builder, p: Ref): void => {
    const y = b.bind(x.sub(x.load(p, x.int(0)), x.load(p, x.int(1))), 'y');
    b.target(x.call1('log1p_exp', y));
    b.target(x.call1('log_inv_logit', x.mul(x.real(-2), y)));
    b.target(x.call2('log_sum_exp', x.load(p, x.int(0)), x.load(p, x.int(1))));
  };
  const plain = gradientOf(write, (_, block) => block);
  const shared = gradientOf(write, (_, block) => shareExponentials(block));
  for (const [k, expected] of plain.numbers.entries()) {
    assert.ok(Math.abs(shared.numbers[k] - expected) <= 1e-14 * Math.abs(expected));
  }
  assert.notDeepEqual(shared.block, plain.block);
});
