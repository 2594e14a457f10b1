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
  it('has gradients and second derivatives, for containers and scalars', () => {
    checkGradient(`
      parameters { vector<lower=0, upper=1>[3] p; real<lower=0> nu; real mu; real<lower=0> sigma; }
      model { target += sum(square(student_t_qf(p, nu, mu, sigma))) + student_t_qf(p[1], 3, mu, 2); }`);
  });

  it('has exact second derivatives if the degrees of freedom are constant', () => {
    checkGradient(`
      parameters { vector<lower=0, upper=1>[3] p; real mu; real<lower=0> sigma; }
      model { target += sum(square(student_t_qf(p, 2.5, mu, sigma))); }`);
  });

  it('has derivatives with respect to p and mu at the median', () => {
    const program = 'parameters { vector[4] x; } model { target += student_t_qf(x[1], x[2], x[3], x[4]); }';
    const [value, byP, byNu, byMu, bySigma] = evaluated(program, 0.5, 4, 1.2, 2);
    assert.equal(value, 1.2);
    assert.ok(Math.abs(byP - 16 / 3) <= 1e-14 * byP);
    assert.deepEqual([byNu, byMu, bySigma], [0, 1, 0]);
  });

  it('is the normal quantile for infinite degrees of freedom', () => {
    const program =
      'parameters { vector[3] x; } model { target += student_t_qf(x[1], positive_infinity(), x[2], x[3]); }';
    const expected = [1.959963984540054, 17.1100830803327, 1, 1.959963984540054];
    for (const [k, value] of evaluated(program, 0.975, 0, 1).entries()) {
      assert.ok(Math.abs(value / expected[k] - 1) < 1e-14, `${k}: ${value}`);
    }
  });

  const [P, NU, SIGMA] = ['Probability parameter', 'Degrees of freedom parameter', 'Scale parameter'];
  const [IN_UNIT, NOT_NEGATIVE, POSITIVE] = ['in the interval [0, 1]', 'nonnegative!', 'positive!'];
  /** Stan 2.40's messages (Stan Math 5.4): by element, first nu, then sigma, then p. */
  const REFUSED: readonly (readonly [args: string, name: string, value: string, must: string])[] = [
    ['-0.1, 3, 0, 1', P, '-0.1', IN_UNIT],
    ['1.1, 3, 0, 1', P, '1.1', IN_UNIT],
    ['positive_infinity(), 3, 0, 1', P, 'inf', IN_UNIT],
    ['not_a_number(), 3, 0, 1', P, 'nan', IN_UNIT],
    ['2, 3, not_a_number(), 1', P, '2', IN_UNIT],
    ['0.3, -1, 0, 1', NU, '-1', NOT_NEGATIVE],
    ['0, -1, 0, 1', NU, '-1', NOT_NEGATIVE],
    ['0.3, not_a_number(), 0, 1', NU, 'nan', NOT_NEGATIVE],
    ['0.3, 3, 0, 0', SIGMA, '0', POSITIVE],
    ['0.3, 3, 0, -1', SIGMA, '-1', POSITIVE],
    ['0.3, 3, 0, not_a_number()', SIGMA, 'nan', POSITIVE],
    ['2, 3, 0, -1', SIGMA, '-1', POSITIVE],
    ['2, -1, not_a_number(), -1', NU, '-1', NOT_NEGATIVE],
    ["[0.1, -0.2]', 3, 0, 1", P, '-0.2', IN_UNIT],
    ["[0.1, 0.2]', [3, -1]', 0, 1", NU, '-1', NOT_NEGATIVE],
    ["[0.1, 0.2]', [3, 1], 0, {1, 0}", SIGMA, '0', POSITIVE],
    ["[-0.1, 0.2]', [3, -1]', 0, 1", P, '-0.1', IN_UNIT],
    ["[0.1, 0.2]', [3, -1]', 0, [-1, 1]", SIGMA, '-1', POSITIVE],
  ];
  const messageOf = (run: () => unknown): string => {
    try {
      run();
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    return 'no error';
  };

  for (const [args, name, value, must] of REFUSED) {
    it(`rejects (${args}) with Stan's message, as data and in a log density`, () => {
      const expected = `Exception: student_t_qf: ${name} is ${value}, but must be ${must} (in`;
      const called = (...given: readonly string[]): string =>
        args.includes('[') ? `sum(student_t_qf(${given.join(', ')}))` : `student_t_qf(${given.join(', ')})`;
      const asData = `transformed data { real q = ${called(args)}; } parameters { real x; } model { }`;
      assert.ok(messageOf(() => buildModel(compileProgram(asData), '{}')).startsWith(expected));
      // The product makes the first argument, a probability of any type, depend on the parameter.
      const program = `parameters { real x; } model { target += ${called(`x * ${args}`)}; }`;
      assert.ok(messageOf(() => evaluated(program, 1)).startsWith(expected));
    });
  }

  it('rejects zero degrees of freedom only inside the support', () => {
    const at = (args: string): number =>
      evaluated(`parameters { real x; } model { target += student_t_qf(${args}) + x; }`, 0)[0];
    assert.match(
      messageOf(() => at('0.3, 0, 0, 1')),
      /^Exception: inv_inc_beta: a is 0, but must be positive! \(in/,
    );
    assert.deepEqual([at('0, 0, 0, 1'), at('0.5, 0, 7, 1'), at('1, 0, 0, 1')], [-Infinity, 7, Infinity]);
  });

  it('rejects containers of different sizes, which Stan reads beyond their ends', () => {
    const program = 'parameters { vector[2] p; } model { target += sum(student_t_qf(p, [1, 2, 3], 0, 1)); }';
    assert.throws(() => evaluated(program, 0.3, 0.4), /student_t_qf: sizes of arguments are 2 and 3/);
  });

  it('is accurate for arguments for which Stan is not: tiny p, and tiny or huge degrees of freedom', () => {
    const program = 'parameters { vector[2] x; } model { target += student_t_qf(x[1], x[2], 0, 1); }';
    const cases: readonly (readonly [p: number, nu: number, value: number])[] = [
      // (2√3 / (π p))^(1/3), the normal quantile, and a number near -0.6^-10000.
      [1e-320, 3, -Math.cbrt((2 * Math.sqrt(3)) / Math.PI / (1e-320 * 1e300)) * 1e100],
      [0.3, 1e308, -0.524400512708041],
      [0.3, 1e-4, -Infinity],
    ];
    for (const [p, nu, expected] of cases) {
      const [value] = evaluated(program, p, nu);
      assert.ok(value === expected || Math.abs(value / expected - 1) < 1e-12, `${p}, ${nu}: ${value}, ${expected}`);
    }
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

  it('has derivatives if a probability is 0 or 1', () => {
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
