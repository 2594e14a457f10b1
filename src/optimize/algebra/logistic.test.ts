import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildModel, compileProgram } from '../../../test/conformance/engine.js';
import { Builder, Names } from '../../ir/builder.js';
import * as x from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import { printBlock } from '../../ir/print.js';
import { verify } from '../../ir/verify.js';
import { shareExponentials } from './logistic.js';

/** The block after the pass, printed. */
function shared(write: (b: Builder, a: Expr) => void): string {
  const b = new Builder(new Names());
  const v = b.newRef('real', 1, 'v', 'global');
  const after = shareExponentials(b.capture(() => write(b, b.bind(x.load(v, x.int(0)), 'a'))));
  verify(after);
  return printBlock(after);
}

test('log1m_exp is computed from its derivative', () => {
  const text = shared((b, a) => {
    b.target(x.call1('log1m_exp', a));
    b.target(x.div(x.real(-1), x.call1('expm1', x.neg(a))));
  });
  assert.equal(text, 'a = v[0]\ntarget += log1m_exp_of_odds(a, 1.0 / expm1(-a))\n' + 'target += -1.0 / expm1(-a)');
});

test('log1m_exp without its derivative remains', () => {
  const text = shared((b, a) => {
    b.target(x.call1('log1m_exp', a));
    b.target(x.call1('expm1', a));
  });
  assert.equal(text, 'a = v[0]\ntarget += log1m_exp(a)\ntarget += expm1(a)');
});

test('log1m_exp keeps its values at the ends of its domain, alone and in a sum', () => {
  const programs = [
    'data { vector[6] y; } parameters { real b; } model { target += log1m_exp(b * y[1]); }',
    'data { vector[6] y; } parameters { real b; } model { target += log1m_exp(b * y); }',
  ].map((text) => compileProgram(text));
  for (const [argument, expected] of [
    [0, -Infinity],
    [-0, -Infinity],
    [1e-300, Number.NaN],
    [50, Number.NaN],
    [Number.NaN, Number.NaN],
    [-Infinity, 0],
    [-800, 0],
    [-40, Math.log1p(-Math.exp(-40))],
    [-1, Math.log1p(-Math.exp(-1))],
    [-1e-20, Math.log(1e-20)],
    [-1e-300, Math.log(1e-300)],
    [-5e-324, Math.log(5e-324)],
  ]) {
    for (const [k, program] of programs.entries()) {
      const y = [argument, ...Array<number>(5).fill(-Infinity)];
      const model = buildModel(program, JSON.stringify({ y: y.map((e) => (Number.isFinite(e) ? e : String(e))) }));
      const value = model.logDensityGradient(Float64Array.of(1), new Float64Array(1), {
        propto: false,
        jacobian: true,
      });
      const isClose =
        Math.abs(value - expected) <= (k === 0 ? 1e-15 * Math.abs(expected) : 1e-15 * (1 + Math.abs(expected)));
      assert.ok(Object.is(value, expected) || isClose, `log1m_exp(${argument}) is ${value} instead of ${expected}`);
    }
  }
});
