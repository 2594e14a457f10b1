import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Model } from '../../src/model/model.js';
import { buildModel, compileProgram } from '../conformance/engine.js';

const FORM = { propto: false, jacobian: true };

/** A model whose log density is the sum of the states at the times; `k` is its parameter. */
function modelOf(functions: string, call: string): Model {
  const text = `functions { ${functions} } parameters { real k; } model { for (y in ${call}) target += sum(y); }`;
  return buildModel(compileProgram(text), '{}');
}

function assertRefused(model: Model, at: number, message: RegExp): void {
  assert.throws(() => model.logDensity(new Float64Array([at]), FORM), message);
  assert.throws(() => model.logDensityGradient(new Float64Array([at]), new Float64Array(1), FORM), message);
}

const HODGKIN_HUXLEY = `vector slope(real t, vector y, real k) {
  real v = y[1];
  return [10 - 120 * k * y[3]^3 * y[4] * (v - 50) - 36 * y[2]^4 * (v + 77) - 0.3 * (v + 54.387),
    0.01 * (v + 55) / (1 - exp(-(v + 55) / 10)) * (1 - y[2]) - 0.125 * exp(-(v + 65) / 80) * y[2],
    0.1 * (v + 40) / (1 - exp(-(v + 40) / 10)) * (1 - y[3]) - 4 * exp(-(v + 65) / 18) * y[3],
    0.07 * exp(-(v + 65) / 20) * (1 - y[4]) - 1 / (1 + exp(-(v + 35) / 10)) * y[4]]'; }`;

const STEPS = /in less than max_num_steps steps/;
const CVODE_STEPS = /CVode\(cvodes_mem, .*\) failed with error flag -1: /;
const MESSAGES = [
  ['rk45', STEPS],
  ['ckrk', STEPS],
  ['adams', CVODE_STEPS],
  ['bdf', CVODE_STEPS],
] as const;

describe('steps of differential equations that fail', () => {
  for (const [method] of MESSAGES) {
    it(`are taken again by ode_${method} where a stage overflows`, () => {
      const call = `ode_${method}_tol(slope, [-65, 0.3177, 0.0529, 0.5961]', 0, {2, 20}, 1e-5, 1e-5, 100000, k)`;
      const model = modelOf(HODGKIN_HUXLEY, call);
      const gradient = new Float64Array(1);
      const at = new Float64Array([1]);
      // Real Stan at tolerances of 1e-13 (ode_rk45_tol).
      for (const value of [model.logDensity(at, FORM), model.logDensityGradient(at, gradient, FORM)]) {
        assert.ok(Math.abs(value - -43.9145787044) < 0.03, `${value}`);
      }
      assert.ok(Math.abs(gradient[0] - 228.602276891) < 0.5, `${gradient[0]}`);
    });
  }

  for (const [method, message] of MESSAGES) {
    it(`stop ode_${method} with Stan's message where the solution escapes or is no number from some time on`, () => {
      const solved = (slope: string) =>
        modelOf(
          `vector slope(real t, vector y, real k) { return ${slope}; }`,
          `ode_${method}_tol(slope, [1, 1]', 0, {0.4, 1.4}, 1e-6, 1e-6, 100000, k)`,
        );
      assertRefused(solved('k * square(y)'), 1, message);
      assertRefused(solved("[sqrt(0.5 - t), -k * y[2]]'"), 1, message);
    });
  }
});
