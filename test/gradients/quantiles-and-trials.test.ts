import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildModel, compileProgram } from '../conformance/engine.js';
import { checkGradient } from './agreement.js';

const FULL = { propto: false, jacobian: true };

/** Value and gradient of a log density at one position. */
function evaluated(program: string, ...position: number[]): readonly number[] {
  const model = buildModel(compileProgram(program), '{}');
  const gradient = new Float64Array(model.dimension);
  return [model.logDensityGradient(Float64Array.from(position), gradient, FULL), ...gradient];
}

describe('student_t_qf', () => {
  it('has gradients and second derivatives, of containers and scalars', () => {
    checkGradient(`
      parameters { vector<lower=0, upper=1>[3] p; real<lower=0> nu; real mu; real<lower=0> sigma; }
      model { target += sum(square(student_t_qf(p, nu, mu, sigma))) + student_t_qf(p[1], 3, mu, 2); }`);
  });

  it('has them with constant degrees of freedom, whose second derivatives are exact', () => {
    checkGradient(`
      parameters { vector<lower=0, upper=1>[3] p; real mu; real<lower=0> sigma; }
      model { target += sum(square(student_t_qf(p, 2.5, mu, sigma))); }`);
  });

  it('has derivatives by p and mu in the middle', () => {
    const program = 'parameters { vector[4] x; } model { target += student_t_qf(x[1], x[2], x[3], x[4]); }';
    const [value, byP, byNu, byMu, bySigma] = evaluated(program, 0.5, 4, 1.2, 2);
    assert.equal(value, 1.2);
    assert.ok(Math.abs(byP - 16 / 3) <= 1e-14 * byP);
    assert.deepEqual([byNu, byMu, bySigma], [0, 1, 0]);
  });

  it('is the normal quantile for infinite degrees of freedom', () => {
    const [value] = evaluated(
      'parameters { real p; } model { target += student_t_qf(p, positive_infinity(), 0, 1); }',
      0.975,
    );
    assert.ok(Math.abs(value - 1.959963984540054) < 1e-15);
  });

  it('refuses containers of different sizes', () => {
    const program = 'parameters { vector[2] p; } model { target += sum(student_t_qf(p, [1, 2, 3], 0, 1)); }';
    assert.throws(() => evaluated(program, 0.3, 0.4), /student_t_qf: sizes of arguments are 2 and 3/);
  });
});

describe('poisson_binomial', () => {
  for (const form of ['lpmf', 'cdf', 'lcdf', 'lccdf']) {
    it(`_${form} has gradients and second derivatives`, () => {
      checkGradient(`
        parameters { vector<lower=0, upper=1>[5] theta; }
        model { target += poisson_binomial_${form}({1, 3, 2} | theta) + poisson_binomial_${form}(2 | theta'); }`);
    });
  }

  for (const [form, y, theta] of [
    ['lpmf', 39, 'inv_logit(x - 20)'],
    ['lcdf', 1, 'inv_logit(20 - x)'],
    ['lccdf', 38, 'inv_logit(x - 20)'],
  ] as const) {
    it(`_${form} has the derivatives of a tail that underflows as a probability`, () => {
      checkGradient(`
        parameters { vector[40] x; real a; }
        model { target += poisson_binomial_${form}(${y} | ${theta}) * (1 + square(a)); }`);
    });
  }

  it('agrees with the binomial distribution, near the mean and in tails that underflow', () => {
    for (const [y, p] of [
      [1200, 0.4],
      [2, 0.6],
      [2990, 0.01],
    ]) {
      const theta = `rep_vector(p, 3000)`;
      const forms = ['lpmf', 'lcdf', 'lccdf'].map((form) => {
        const at = (call: string): readonly number[] =>
          evaluated(`parameters { real p; } model { target += ${call}; }`, p);
        return [at(`poisson_binomial_${form}(${y} | ${theta})`), at(`binomial_${form}(${y} | 3000, p)`)];
      });
      for (const [trials, binomial] of forms) {
        for (const [k, expected] of binomial.entries()) {
          assert.ok(
            Math.abs(trials[k] - expected) <= 1e-9 * Math.max(1, Math.abs(expected)),
            `${y}, ${p}: ${trials}; ${binomial}`,
          );
        }
      }
    }
  });

  it('has derivatives where a probability is 0 or 1', () => {
    const program = 'parameters { vector[3] x; } model { target += poisson_binomial_lpmf(1 | x); }';
    // θ = (0, 1, p): the probability of one success is 1 - p
    const [value, ...gradient] = evaluated(program, 0, 1, 0.25);
    assert.ok(Math.abs(value - Math.log(0.75)) < 1e-15);
    // P = Σ θₖ Π(1 - θⱼ): by θ₁ it is -(1 - p), by θ₂ 1 - 2p … of the others
    assert.deepEqual(
      gradient.map((g) => Math.round(g * 1e12) / 1e12),
      [-1, 0.666666666667, -1.333333333333],
    );
  });

  it('of no trials has no successes', () => {
    const none = 'rep_vector(0, 0)';
    const [value] = evaluated(
      `parameters { real a; } model { target += poisson_binomial_lpmf(0 | ${none}) + poisson_binomial_cdf(0 | ${none}); }`,
      1,
    );
    assert.equal(value, 1);
  });
});
