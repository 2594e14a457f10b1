import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileIr, type Written } from '../../test/support/compile-ir.js';
import * as x from '../ir/expressions.js';
import type { Expr, Ref } from '../ir/nodes.js';

const WHOLE = { propto: false, jacobian: true };

/** What the loop bodies below may use. */
interface Scene extends Written {
  /** The reals 0.3, 1.3, …, and an active copy of them. */
  readonly data: Ref;
  readonly active: Ref;
  /** Indexes of elements of `active`; several have the same value. */
  readonly groups: Ref;
  readonly out: Ref;
  readonly p: Expr;
}

const LENGTH = 11;

function evaluate(body: (scene: Scene) => void, vectorize: boolean, position = [0.7, -0.4]): number[] {
  const model = compileIr(
    (written) => {
      const { builder: b, position: parameters } = written;
      const data = b.newRef('real', 1, 'data', 'global');
      const groups = b.newRef('int', 1, 'groups', 'global');
      const gradient = b.capture(() => {
        const p = b.bind(x.load(parameters, x.int(0)), 'p');
        const active = b.allocate('real', [x.size(data, 0)], 'active');
        const out = b.allocate('real', [x.size(data, 0)], 'out', 'zero');
        b.emit({ kind: 'set_adjoint', ref: active, index: x.int(0), value: x.real(0.125) });
        b.emit({ kind: 'set_adjoint', ref: out, index: x.int(0), value: x.real(0) });
        b.each(x.size(data, 0), (i) => b.store(active, i, x.mul(x.load(data, i), p)));
        body({ ...written, data, groups, active, out, p });
        // Everything that the body may have changed, weighted so that no two changes cancel.
        const k = b.newLocal('int', 'k');
        b.assign(k, x.int(0));
        b.while(x.compare('lt', x.get(k), x.size(data, 0)), () => {
          const weight = x.add(x.toReal(x.get(k)), x.real(1.5));
          for (const ref of [active, out]) {
            b.target(x.mul(weight, x.load(ref, x.get(k))));
            b.target(x.mul(weight, { kind: 'load_adjoint', type: 'real', ref, index: x.get(k) }));
          }
          b.assign(k, x.add(x.get(k), x.int(1)));
        });
      });
      return {
        data: [
          { name: 'x', variable: data, arrayDepth: 0, element: 'vector' },
          { name: 'g', variable: groups, arrayDepth: 1, element: 'int' },
        ],
        gradient,
      };
    },
    {
      data: {
        x: Float64Array.from({ length: LENGTH }, (_, i) => i + 0.3),
        g: Array.from({ length: LENGTH }, (_, i) => (i * i) % 3),
      },
      vectorize,
    },
  );
  const gradient = new Float64Array(2);
  const value = model.logDensityGradient(Float64Array.from(position), gradient, WHOLE);
  return [value, ...gradient];
}

const BODIES: Record<string, (scene: Scene) => void> = {
  'sums of kernels with and without vector forms': ({ builder: b, data, p }) =>
    b.each(x.size(data, 0), (i) => {
      const e = x.exp(x.mul(x.mul(x.real(0.3), p), x.load(data, i)));
      b.target(x.add(x.square(e), x.call1('tgamma', x.add(e, x.real(1)))));
      b.target(x.log(x.add(e, x.real(2))), 'constant');
      b.target(x.call1('inv_logit', e), 'jacobian');
    }),
  'kernels of a value and its derivative': ({ builder: b, data, p }) =>
    b.each(x.size(data, 0), (i) => {
      const a = b.bind(x.exp(x.mul(x.mul(x.real(0.3), p), x.load(data, i))), 'a');
      const d = b.bind(x.add(x.load(data, i), x.real(0.2)), 'd');
      const rise = x.add(x.call2('lgamma_rise', a, d), x.call2('rise_share', a, d));
      b.target(x.add(x.lgamma(a), rise));
      b.target(x.mul(x.digamma(a), x.call2('digamma_rise', a, d)));
      const twice = b.newLocal('real', 'twice');
      b.assign(twice, a);
      b.target(x.lgamma(x.get(twice)));
      b.assign(twice, x.add(x.get(twice), x.real(1)));
      b.target(x.digamma(x.get(twice)));
    }),
  'gathers and scatters to the same element': ({ builder: b, data, active, groups }) =>
    b.each(x.size(data, 0), (i) => {
      const g = b.bind(x.load(groups, i), 'g');
      const d = b.bind(x.sub(x.load(data, i), x.load(active, g)), 'd');
      b.target(x.mul(x.real(-0.5), x.square(d)));
      b.emit({ kind: 'add_adjoint', ref: active, index: g, value: d });
      b.emit({ kind: 'add_adjoint', ref: active, index: i, value: x.neg(d) });
      b.emit({ kind: 'add_adjoint', ref: active, index: x.int(3), value: x.exp(d) });
    }),
  'comparisons, choices, ints made real': ({ builder: b, data, groups, p, out }) =>
    b.each(x.size(data, 0), (i) => {
      const v = x.load(data, i);
      const g = x.load(groups, i);
      const inside = x.and(x.compare('gt', v, x.real(2)), x.not(x.compare('eq', g, x.int(1))));
      b.store(out, i, x.select(inside, x.mul(p, v), x.toReal(x.mul(g, x.int(7)))));
      b.target(x.toReal(x.or(inside, x.compare('lt', g, i))));
      b.target(x.toReal(x.apply('rem_int', 'int', x.add(i, x.int(5)), x.add(g, x.int(2)))));
      b.target(x.apply('copysign', 'real', v, x.sub(p, v)));
      b.target(x.toReal(x.apply('to_int', 'int', x.mul(v, x.real(1.7)))));
      b.target(x.toReal(x.select(x.compare('ge', g, x.int(1)), i, x.neg(g))));
    }),
  'elements overwritten in place, shifted and scaled indexes': ({ builder: b, data, out, p }) => {
    b.for(x.int(1), x.sub(x.size(data, 0), x.int(1)), (i) => {
      b.store(out, i, x.add(x.load(data, x.sub(i, x.int(1))), x.load(data, x.add(i, x.int(1)))));
      b.store(out, i, x.mul(x.load(out, i), p));
    });
    b.each(x.int(5), (i) => b.target(x.load(out, x.mul(i, x.int(2)))));
    b.each(x.int(9), (i) => b.target(x.mul(x.load(out, x.sub(x.int(9), i)), x.toReal(i))));
  },
  'logarithms of any size, some on a condition': ({ builder: b, data, groups, p }) => {
    const sum = b.newLocal('real', 'sum');
    b.assign(sum, p);
    b.each(x.size(data, 0), (i) => {
      const v = x.load(data, i);
      const first = b.bind(x.compare('eq', x.load(groups, i), x.int(1)), 'first');
      const large = x.exp(x.sub(x.mul(x.real(120), v), x.real(600)));
      b.target(x.sub(x.mul(p, v), x.log(large)));
      b.target(x.select(first, x.ZERO, x.add(x.log1p(x.mul(v, v)), x.sub(v, unitLogarithm(x.exp(x.neg(v)))))));
      b.target(x.neg(x.select(first, x.sub(x.log(x.add(v, p)), x.square(v)), x.ZERO)), 'jacobian');
      b.assign(sum, x.sub(x.get(sum), x.log1p(x.exp(x.neg(large)))));
      b.assign(sum, x.add(x.log(v), x.get(sum)));
    });
    b.target(x.get(sum));
  },
  'logarithms of invariants and of values that have another use': ({ builder: b, data, p }) =>
    b.each(x.size(data, 0), (i) => {
      const logarithm = x.log(x.load(data, i));
      b.target(x.add(x.mul(logarithm, p), logarithm));
      b.target(x.log1p(x.square(p)));
    }),
  'logarithms of factors that are not normal numbers': ({ builder: b, data, p }) =>
    b.each(x.size(data, 0), (i) => {
      const v = x.load(data, i);
      b.target(x.log(x.mul(x.real(1e-200), x.mul(v, x.mul(x.square(p), x.real(1e-110))))));
    }),
  'a recurrence stays scalar': ({ builder: b, data, out, p }) =>
    b.for(x.int(1), x.size(data, 0), (i) => {
      b.store(out, i, x.add(x.mul(p, x.load(out, x.sub(i, x.int(1)))), x.load(data, i)));
    }),
  'a local carried over stays scalar': ({ builder: b, data, p }) => {
    const state = b.newLocal('real', 'state');
    b.assign(state, x.real(1));
    b.each(x.size(data, 0), (i) => {
      b.assign(state, x.add(x.mul(p, x.get(state)), x.load(data, i)));
      b.target(x.get(state));
    });
  },
  'several sums, the last value of a temporary': ({ builder: b, data, p }) => {
    const first = b.newLocal('real', 'first');
    const second = b.newLocal('real', 'second');
    const last = b.newLocal('real', 'last');
    b.assign(first, x.real(5));
    b.assign(second, x.real(0));
    b.each(x.size(data, 0), (i) => {
      b.assign(last, x.mul(p, x.load(data, i)));
      b.assign(first, x.sub(x.get(first), x.get(last)));
      b.assign(second, x.add(x.add(x.square(x.get(last)), x.get(second)), p));
    });
    b.target(x.add(x.mul(x.get(first), x.get(second)), x.get(last)));
  },
  'a reversed loop reads, overwrites and adds adjoints': ({ builder: b, data, active, p }) => {
    const index = b.newLocal('int', 'j');
    const i = x.get(index);
    const adjoint = (ref: Ref): Expr => ({ kind: 'load_adjoint', type: 'real', ref, index: i });
    b.each(x.size(data, 0), (k) => b.emit({ kind: 'add_adjoint', ref: active, index: k, value: x.exp(p) }));
    const body = b.capture(() => {
      const w = b.bind(adjoint(active), 'w');
      b.emit({ kind: 'set_adjoint', ref: active, index: i, value: x.mul(w, w) });
      b.emit({ kind: 'add_adjoint', ref: active, index: i, value: x.load(data, i) });
    });
    b.emit({ kind: 'for_reverse', index, from: x.int(0), to: x.size(data, 0), body });
  },
  'columns of a matrix': ({ builder: b, data, out }) => {
    b.each(x.int(2), (j) =>
      b.each(x.int(5), (i) => {
        const at = b.bind(x.add(x.mul(j, x.int(5)), i), 'at');
        b.store(out, x.get(at.kind === 'get' ? at.local : b.newLocal('int', '')), x.mul(x.load(data, at), x.toReal(j)));
      }),
    );
  },
};

function unitLogarithm(u: Expr): Expr {
  return x.call1('log1p_unit', u);
}

for (const [name, body] of Object.entries(BODIES)) {
  test(`two iterations at a time agree with one at a time: ${name}`, () => {
    const scalar = evaluate(body, false);
    const vector = evaluate(body, true);
    for (const [k, expected] of scalar.entries()) {
      const error = Math.abs(vector[k] - expected);
      assert.ok(error <= 1e-13 * Math.max(1, Math.abs(expected)), `${vector[k]} is not ${expected}`);
    }
  });
}

for (const op of ['log', 'log1p'] as const) {
  const least = op === 'log' ? 0 : -1;
  for (const [argument, expected] of [
    [least, -Infinity],
    [least - 1, Number.NaN],
    [-Infinity, Number.NaN],
    [Infinity, Infinity],
    [Number.NaN, Number.NaN],
  ]) {
    for (const special of [3, 10]) {
      test(`a sum over ${op}(${argument}) in iteration ${special} is ${expected}`, () => {
        const body = ({ builder: b, data, p }: Scene, isSkipped: boolean): void =>
          b.each(x.size(data, 0), (i) => {
            const isSpecial = b.bind(x.compare('eq', i, x.int(special)), 'special');
            const term = x.call1(op, x.select(isSpecial, x.real(argument), x.add(x.load(data, i), p)));
            b.target(isSkipped ? x.select(isSpecial, x.ZERO, term) : term);
          });
        assert.equal(evaluate((scene) => body(scene, false), true)[0], expected);
        assert.ok(Number.isFinite(evaluate((scene) => body(scene, true), true)[0]));
      });
    }
  }
}

for (const failing of [0, 1, 6, 10]) {
  test(`a check in a vector loop fails at the first failing element: ${failing}`, () => {
    const body = ({ builder: b, data, active }: Scene): void =>
      b.each(x.size(data, 0), (i) => {
        b.check(x.compare('lt', i, x.int(failing)), 'element {0}', [i]);
        // Without the check this would write far outside.
        const far = x.mul(x.select(x.compare('lt', i, x.int(failing)), i, x.int(2 ** 27)), x.int(1));
        b.emit({ kind: 'add_adjoint', ref: active, index: far, value: x.load(data, far) });
      });
    assert.throws(() => evaluate(body, true), { message: `Exception: element ${failing}` });
  });
}
