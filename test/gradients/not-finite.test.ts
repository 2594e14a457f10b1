import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildModel, compileProgram } from '../conformance/engine.js';

function gradientOf(program: string, at: readonly number[]): { value: number; gradient: number[] } {
  const model = buildModel(compileProgram(program), '{}');
  const gradient = new Float64Array(at.length);
  const value = model.logDensityGradient(Float64Array.from(at), gradient, { propto: false, jacobian: true });
  return { value, gradient: [...gradient] };
}

test('zero times a non-finite derivative is NaN', () => {
  const { value, gradient } = gradientOf('parameters { real x; } model { target += lgamma(0 * x); }', [1.5]);
  assert.equal(value, Number.POSITIVE_INFINITY);
  assert.deepEqual(gradient, [Number.NaN]);
});

test('half of a Student t distribution has the derivatives of its tail at the location', () => {
  const program = 'parameters { vector[3] x; } model { target += student_t_lccdf(0 | x[1], x[2], x[3]); }';
  const { value, gradient } = gradientOf(program, [1, 0, 2]);
  assert.ok(Math.abs(value + Math.LN2) < 1e-15);
  const expected = [0, 1 / Math.PI, 0];
  for (const [k, slope] of gradient.entries()) assert.ok(Math.abs(slope - expected[k]) < 1e-14, `${k}: ${slope}`);
});

test('the standard deviation of equal elements has derivative 0 in each of them', () => {
  for (const sd of ['sd(x)', 'sd(to_array_1d(x))', 'sqrt(variance(x))', 'sd([x[1], x[2], x[3]])']) {
    const program = `parameters { vector[3] x; } model { target += ${sd}; }`;
    const { value, gradient } = gradientOf(program, [0.5, 0.5, 0.5]);
    assert.deepEqual([value, ...gradient.map(Math.abs)], [0, 0, 0, 0], sd);
  }
});
