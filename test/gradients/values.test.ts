import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Model } from '../../src/model/model.js';
import { buildModel, compileProgram } from '../conformance/engine.js';
import { randomProgram } from './random-programs.js';

const FORMS = [
  { propto: false, jacobian: false },
  { propto: false, jacobian: true },
  { propto: true, jacobian: false },
  { propto: true, jacobian: true },
];

type Result = number | string;

function attempt(evaluate: () => number): Result {
  try {
    return evaluate();
  } catch (error) {
    if (error instanceof Error) return error.message;
    throw error;
  }
}

/** Sums may be computed in a different order, so terms that cancel may leave a rounding error. */
function isSame(one: Result, other: Result): boolean {
  if (typeof one === 'string' || typeof other === 'string' || !Number.isFinite(one) || !Number.isFinite(other)) {
    return Object.is(one, other);
  }
  return Math.abs(one - other) <= 1e-12 * Math.max(1, Math.abs(one));
}

/** Asserts that the value alone and the value computed with a gradient are the same, both infinite, both NaN or both failures. */
function checkValues(model: Model, position: Float64Array, program: string): void {
  for (const form of FORMS) {
    const alone = attempt(() => model.logDensity(position, form));
    const beside = attempt(() => model.logDensityGradient(position, new Float64Array(model.dimension), form));
    assert.ok(isSame(alone, beside), `${alone} alone, ${beside} with its gradient at ${position}\n${program}`);
  }
}

const magnitude = fc.constantFrom(
  0,
  5e-324,
  1e-310,
  1e-160,
  1e-8,
  0.3,
  1,
  2.5,
  17,
  60,
  400,
  708,
  710,
  746,
  1e5,
  1e160,
  1e308,
);
const extreme = fc.tuple(magnitude, fc.boolean()).map(([size, isNegative]) => (isNegative ? -size : size));

function positions(dimension: number): fc.Arbitrary<Float64Array[]> {
  const position = fc.array(extreme, { minLength: dimension, maxLength: dimension });
  return fc.array(
    position.map((elements) => Float64Array.from(elements)),
    { minLength: 8, maxLength: 8 },
  );
}

const UNARY = [
  'exp',
  'log',
  'log1p_exp',
  'log1m_exp',
  'inv_logit',
  'log_inv_logit',
  'sqrt',
  'square',
  'lgamma',
  'std_normal_lcdf',
  'inv',
  '-',
  'log1p',
  'expm1',
];
const DENSITIES = [
  'normal',
  'cauchy',
  'lognormal',
  'gamma',
  'inv_gamma',
  'weibull',
  'frechet',
  'beta',
  'logistic',
  'gumbel',
  'pareto',
];

/** A real expression of `x`, `y`, and scalars. */
const { real } = fc.letrec<{ real: string }>((tie) => ({
  real: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom('a', 'b', 's', 'x', 'y', '0.7', '60'),
    fc.tuple(fc.constantFrom(...UNARY), tie('real')).map(([f, u]) => `${f}(${u})`),
    fc.tuple(tie('real'), fc.constantFrom('+', '-', '*', '/'), tie('real')).map(([u, op, v]) => `(${u} ${op} ${v})`),
    fc.tuple(tie('real'), tie('real')).map(([u, v]) => `log_sum_exp(${u}, ${v})`),
    tie('real').map((u) => `log(exp(-${u} / s))`),
  ),
}));

const term = fc.oneof(
  real.map((value) => `target += ${value};`),
  fc
    .tuple(fc.constantFrom(...DENSITIES), real, real, real)
    .map(([name, u, v, w]) => `if (is_inf(${u}) == 0) y ~ ${name}(exp(${v}), exp(-(${w}) / s));`),
  fc
    .tuple(real, real)
    .map(([u, v]) => `{ real scale = exp(${u}); target += student_t_lpdf(x | 3, ${v}, scale) + log(scale); }`),
  real.map((u) => `n ~ poisson_log(${u});`),
  real.map((u) => `n ~ neg_binomial_2_log(${u}, s);`),
);

const terms = fc.array(term, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n    '));

const PARAMETERS = 5;
const extremeProgram = fc.tuple(terms, terms).map(
  ([inLoop, once]) => `transformed data {
  array[6] real xs = {-60, -1e-9, 0, 0.4, 3, 900};
  array[6] real ys = {1e-12, 0.5, 1, 7, 61, 1e9};
  array[6] int counts = {0, 1, 2, 5, 40, 0};
}
parameters { real a; real b; real<lower=0> s; vector[2] v; }
model {
  for (i in 1:6) {
    real x = xs[i] * v[1];
    real y = ys[i];
    int n = counts[i];
    ${inLoop}
  }
  {
    real x = v[2];
    real y = exp(v[1]);
    int n = 3;
    ${once}
  }
}`,
);

describe('the value alone equals the value computed with a gradient', () => {
  it('of 150 random densities at extreme points', () => {
    fc.assert(
      fc.property(extremeProgram, positions(PARAMETERS), (program, points) => {
        const model = buildModel(compileProgram(program), '{}');
        for (const point of points) checkValues(model, point, program);
      }),
      { numRuns: 150, seed: 5 },
    );
  });

  it('of 40 random programs at extreme points', () => {
    fc.assert(
      fc.property(randomProgram, positions(9), ({ program }, points) => {
        const model = buildModel(compileProgram(program), '{}');
        for (const point of points) checkValues(model, point, program);
      }),
      { numRuns: 40, seed: 6 },
    );
  });

  it('of a Weibull regression in which outcome divided by scale overflows, but its power does not', () => {
    const program = `data { int N; matrix[N, 2] X; vector[N] y; }
parameters { vector[2] beta; real<lower=0> r; }
model { y ~ weibull(r, exp(-(X * beta) / r)); }`;
    const y = [1000, 2000, 3000];
    const r = 0.02;
    const X = [
      [60, -60],
      [58, -61],
      [59, -60],
    ];
    const model = buildModel(compileProgram(program), JSON.stringify({ N: 3, X, y }));
    const point = Float64Array.of(0.12, -0.115, Math.log(r));
    checkValues(model, point, program);
    const value = model.logDensity(point, FORMS[0]);
    const expected = y.reduce((sum, outcome, n) => {
      const logScale = -(X[n][0] * point[0] + X[n][1] * point[1]) / r;
      const [log, power] = [Math.log(outcome), Math.exp(r * (Math.log(outcome) - logScale))];
      return sum + Math.log(r) + (r - 1) * log - r * logScale - power;
    }, 0);
    assert.ok(Math.abs(value / expected - 1) < 1e-11, `${value}, not ${expected}`);
  });
});
