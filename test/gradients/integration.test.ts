/**
 * Parameters that are integrated out. At a draw, the marginal log density plus the conditional log density must equal the program's log
 * density, up to a constant.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileForChains, runChain } from '../support/chain.js';
import { type Case, checkCases, FORM, modelOf, near, PARTS } from './integrated.js';

const SCHOOLS = '{"J": 4, "y": [28, 8, -3, 7], "sigma": [15, 10, 16, 11]}';
const GROUPS =
  '{"N": 6, "J": 3, "g": [1, 2, 2, 3, 3, 3], "x": [0, 1, 0, 1, 1, 0], "y": [0.2, 1.4, -0.3, 2.1, 1.2, 0.6]}';
const GROUP_DATA = 'data { int N; int J; array[N] int<lower=1, upper=J> g; vector[N] x; vector[N] y; }';

const REGRESSION = JSON.stringify({
  N: 7,
  K: 3,
  J: 2,
  g: [1, 2, 2, 1, 2, 1, 1],
  h: [1, 2, 3, 3, 1, 2, 3],
  X: [
    [1, 0.5, -0.3],
    [0.2, -1, 0.4],
    [-0.7, 0.3, 1.1],
    [0.1, 0.8, -0.6],
    [-0.4, -0.2, 0.9],
    [1.3, 0.6, 0.2],
    [0.5, -0.9, -1.2],
  ],
  S: [
    [0.3, 0.1],
    [-0.2, 0.6],
    [0.9, -0.4],
    [0.4, 1.2],
    [-1.1, 0.7],
    [0.6, -0.8],
    [0.2, 0.3],
  ],
  Z: [1, 0.4, -0.5, 0.7, 1.1, -0.2, 0.3],
  y: [0.2, 1.4, -0.3, 2.1, 1.2, 0.6, -0.8],
  prior_only: 0,
});
const REGRESSION_DATA = `data {
  int N; int K; int J; array[N] int<lower=1, upper=J> g; array[N] int<lower=1, upper=K> h; matrix[N, K] X; matrix[N, J] S;
  vector[N] Z; vector[N] y; int prior_only;
}`;

const CASES: Readonly<Record<string, Case>> = {
  'elements that depend on others of the same container': {
    program: `data { vector[5] y; array[5] int n; }
      parameters { vector[5] theta; real<lower=0> tau; }
      model {
        tau ~ normal(0, 1); theta ~ normal(0, tau);
        for (i in 1:5) y[i] ~ normal(theta[i] + theta[1 + n[i]], tau);
      }`,
    data: '{"y": [1, 2, 0.5, 0.1, 3], "n": [1, 0, 3, 2, 1]}',
    integrated: ['theta'],
  },
  'effects with other indexes and another size': {
    program: `${GROUP_DATA}
      parameters { vector[J] alpha; vector[N] error; vector[J + 1] wide; real mu; }
      model {
        mu ~ logistic(0, 1); alpha ~ normal(mu, 1); error ~ normal(0, 1); wide ~ normal(0, 1);
        y ~ normal(alpha[g] + error + wide[g], 1);
      }`,
    data: GROUPS,
    integrated: ['alpha', 'error', 'wide'],
  },
  'effects with known standard errors': {
    program: `data { int J; array[J] real y; array[J] real<lower=0> sigma; }
      parameters { real mu; real<lower=0> tau; array[J] real theta; }
      model { tau ~ cauchy(0, 5); theta ~ normal(mu, tau); y ~ normal(theta, sigma); mu ~ normal(0, 5); }`,
    data: SCHOOLS,
    integrated: ['theta', 'mu'],
  },
  'a standard normal effect times a scale': {
    program: `data { int J; vector[J] y; vector<lower=0>[J] sigma; }
      parameters { real mu; real<lower=0> tau; vector[J] raw; }
      transformed parameters { vector[J] theta = mu + tau * raw; }
      model { tau ~ cauchy(0, 5); raw ~ std_normal(); y ~ normal(theta, sigma); mu ~ normal(0, 5); }
      generated quantities { array[J] real replicated = normal_rng(theta, sigma); }`,
    data: SCHOOLS,
    integrated: ['raw', 'mu'],
  },
  'an effect with offset and multiplier': {
    program: `data { int J; vector[J] y; vector<lower=0>[J] sigma; }
      parameters { real mu; real<lower=0> tau; vector<offset=mu, multiplier=tau>[J] theta; }
      model { tau ~ cauchy(0, 5); theta ~ normal(mu, tau); y ~ normal(theta, sigma); mu ~ normal(0, 5); }`,
    data: SCHOOLS,
    integrated: ['theta', 'mu'],
  },
  'varying intercepts by groups': {
    program: `${GROUP_DATA}
      parameters { vector[J] alpha; real beta; real mu; real<lower=0> tau; real<lower=0> sigma; }
      model {
        mu ~ normal(0, 10); beta ~ normal(0, 10); tau ~ normal(0, 1); sigma ~ normal(0, 1);
        alpha ~ normal(mu, tau);
        y ~ normal(alpha[g] + x * beta, sigma);
      }`,
    data: GROUPS,
    integrated: ['alpha', 'beta', 'mu'],
  },
  'locations that a loop computes from transformed effects': {
    program: `${GROUP_DATA}
      parameters { vector[J] raw; real beta; real mu; real<lower=0> tau; real<lower=0> sigma; }
      transformed parameters { vector[J] alpha = mu + tau * raw; }
      model {
        vector[N] eta;
        mu ~ normal(0, 10); beta ~ normal(0, 10); tau ~ normal(0, 1); sigma ~ normal(0, 1); raw ~ normal(0, 1);
        for (n in 1:N) eta[n] = alpha[g[n]];
        for (n in 1:N) eta[n] += x[n] * beta;
        target += normal_lpdf(y | eta, sigma);
      }`,
    data: GROUPS,
    integrated: ['raw', 'beta', 'mu'],
  },
  'varying slopes with outcomes in a loop': {
    program: `${GROUP_DATA}
      parameters { vector[J] slope; real<lower=0> tau; real<lower=0> sigma; }
      model {
        tau ~ normal(0, 1); sigma ~ normal(0, 1);
        for (j in 1:J) slope[j] ~ normal(0, tau);
        for (n in 1:N) if (x[n] > 0) y[n] ~ normal(2 - 3 * slope[g[n]] * x[n], sigma); else y[n] ~ normal(0, sigma);
      }`,
    data: GROUPS,
    integrated: ['slope'],
  },
  'intercepts and slopes of the same groups': {
    program: `${GROUP_DATA}
      parameters {
        vector[J] alpha; real mu_alpha; vector[J] slope; real mu_slope; vector[J] free; real w;
        real<lower=0> tau; real<lower=0> sigma;
      }
      model {
        mu_alpha ~ normal(0, 10); mu_slope ~ normal(0, 2); tau ~ normal(0, 1); sigma ~ normal(0, 1);
        w ~ logistic(0, 1); free ~ normal(w, 2);
        alpha ~ normal(mu_alpha, tau);
        slope ~ normal(mu_slope, 0.5 * tau);
        y ~ normal(alpha[g] + slope[g] .* x, sigma);
      }`,
    data: GROUPS,
    integrated: ['alpha', 'slope', 'free', 'mu_alpha', 'mu_slope'],
  },
  'coefficients in a short container': {
    program: `${GROUP_DATA}
      parameters { vector[2] beta; vector[J] alpha; real<lower=0> tau; real<lower=0> sigma; }
      model {
        beta ~ normal(0, 10); tau ~ normal(0, 1); sigma ~ normal(0, 1);
        alpha ~ normal(beta[1], tau);
        y ~ normal(alpha[g] + x * beta[2], sigma);
      }`,
    data: GROUPS,
    integrated: ['alpha', 'beta'],
  },
  'a random walk with noise and a level': {
    program: `data { int N; vector[N] y; }
      parameters { vector[N] level; real drift; real<lower=0> step; real<lower=0> sigma; }
      model {
        step ~ normal(0, 1); sigma ~ normal(0, 1); drift ~ normal(0, 1);
        level[1] ~ normal(0, 3);
        for (t in 2:N) level[t] ~ normal(level[t - 1] + drift, step);
        y ~ normal(level, sigma);
      }`,
    data: '{"N": 6, "y": [0.1, 0.7, 0.4, 1.3, 1.9, 2.2]}',
    integrated: ['level', 'drift'],
  },
  'a second-order walk by slices': {
    program: `data { int N; vector[N] y; }
      parameters { vector[N] level; real<lower=0> step; real<lower=0> sigma; real<lower=-1, upper=1> phi; }
      model {
        step ~ normal(0, 1); sigma ~ normal(0, 1);
        level[1:2] ~ normal(0, 3);
        level[3:N] ~ normal((1 + phi) * level[2:(N - 1)] - phi * level[1:(N - 2)], step);
        for (n in 1:N) if (n != 4) y[n] ~ normal(level[n], sigma);
      }`,
    data: '{"N": 6, "y": [0.1, 0.7, 0.4, 1.3, 1.9, 2.2]}',
    integrated: ['level'],
  },
  'a regression on scalars': {
    program: `${GROUP_DATA}
      parameters { real a; real b; real<lower=0> sigma; }
      model { a ~ normal(0, 10); b ~ normal(1, 2); sigma ~ exponential(1); y ~ normal(a + b * x, sigma); }`,
    data: GROUPS,
    integrated: ['a', 'b'],
  },
  'batches with gamma precisions': {
    program: `data { int B; int S; array[B, S] real y; }
      parameters { real<lower=0> within; real<lower=0> between; real theta; array[B] real mu; }
      transformed parameters { real sigma_between = 1 / sqrt(between); real sigma_within = 1 / sqrt(within); }
      model {
        theta ~ normal(0, 1e5); between ~ gamma(0.001, 0.001); within ~ gamma(0.001, 0.001);
        mu ~ normal(theta, sigma_between);
        for (b in 1:B) y[b] ~ normal(mu[b], sigma_within);
      }`,
    data: '{"B": 2, "S": 3, "y": [[1545, 1440, 1440], [1540, 1555, 1490]]}',
    integrated: ['mu', 'theta'],
  },
  'coefficients of a matrix of data': {
    program: `${REGRESSION_DATA}
      parameters { real alpha; vector[K] beta; real<lower=0> sigma; }
      model { alpha ~ normal(0, 10); beta ~ normal(0, 2); sigma ~ exponential(1); y ~ normal(alpha + X * beta, sigma); }`,
    data: REGRESSION,
    integrated: ['beta', 'alpha'],
  },
  'a generalized linear model with groups, as brms writes it': {
    program: `${REGRESSION_DATA}
      parameters { vector[K] b; real Intercept; real<lower=0> sigma; vector<lower=0>[1] sd_1; array[1] vector[J] z_1; }
      transformed parameters {
        vector[J] r_1_1;
        real lprior = 0;
        r_1_1 = sd_1[1] * z_1[1];
        lprior += normal_lpdf(b | 0, 2.5);
        lprior += normal_lpdf(Intercept | 2.3, 2.5);
        lprior += student_t_lpdf(sigma | 3, 0, 2.5) - 1 * student_t_lccdf(0 | 3, 0, 2.5);
        lprior += student_t_lpdf(sd_1 | 3, 0, 2.5) - 1 * student_t_lccdf(0 | 3, 0, 2.5);
      }
      model {
        if (!prior_only) {
          vector[N] mu = rep_vector(0.0, N);
          mu += Intercept;
          for (n in 1:N) mu[n] += r_1_1[g[n]] * Z[n];
          target += normal_id_glm_lpdf(y | X, mu, b, sigma);
        }
        target += lprior;
        target += std_normal_lpdf(z_1[1]);
      }`,
    data: REGRESSION,
    integrated: ['b', 'z_1', 'Intercept'],
  },
  'a random walk whose elements depend on other effects': {
    program: `${GROUP_DATA}
      parameters { vector[J] alpha; vector[J] level; real<lower=0> tau; }
      model {
        tau ~ normal(0, 1); alpha ~ normal(0, tau); level[1] ~ normal(0, 1); level[2:J] ~ normal(level[1:(J - 1)], tau);
        y ~ normal(alpha[g], 1);
        for (j in 1:J) alpha[j] ~ normal(level[1], 2);
      }`,
    data: GROUPS,
    integrated: ['alpha', 'level'],
  },
  'crossed effects': {
    program: `${REGRESSION_DATA}
      parameters { vector[J] a; vector[K] c; real mu; real<lower=0> tau; real<lower=0> omega; real<lower=0> sigma; }
      model {
        mu ~ normal(0, 10); tau ~ normal(0, 1); omega ~ normal(0, 1); sigma ~ normal(0, 1);
        a ~ normal(mu, tau);
        c ~ normal(0, omega);
        y ~ normal(a[g] + c[h], sigma);
      }`,
    data: REGRESSION,
    integrated: ['a', 'c', 'mu'],
  },
  'a spline with a scale': {
    program: `${REGRESSION_DATA}
      parameters { vector[K] b; vector[J] raw; real<lower=0> tau; real Intercept; vector<lower=0>[N] sigma; }
      transformed parameters { vector[J] s = tau * raw; }
      model {
        vector[N] mu = Intercept + X * b + S * s;
        b ~ normal(0, 3); raw ~ std_normal(); tau ~ normal(0, 1); Intercept ~ normal(0, 4); sigma ~ exponential(1);
        y ~ normal(mu, sigma);
      }`,
    data: REGRESSION,
    integrated: ['b', 'raw', 'Intercept'],
  },
};

describe('parameters that are integrated out', () => {
  checkCases(CASES);
});

/** Statements of the model of a program with `vector[5] theta`, and the reason why `theta` is sampled. */
const REFUSED: Readonly<Record<string, string>> = {
  'theta ~ normal(0, tau); n ~ poisson_log(theta);': 'the log density is not quadratic in it',
  'theta ~ student_t(4, 0, tau);': 'the log density is not quadratic in it',
  'theta ~ normal(0, exp(theta[1]));': 'the log density is not quadratic in it',
  'for (i in 1:5) theta[i] ~ normal(0, tau) T[0, ];': 'a condition reads it',
  'theta ~ normal(0, tau); if (theta[1] > 0) y ~ normal(theta, 1);': 'a condition reads it',
  "theta ~ multi_student_t(4, y, add_diag(y * y', 1));": 'a variable that depends on it is assigned more than once',
  "theta ~ normal(0, tau); vector[5] mean = rep_vector(1, 5); mean += add_diag(y * y', 1) * (theta + 1); y ~ normal(mean, 1);":
    'a matrix operation reads it',
  'target += sum(theta);': 'it has no normal distribution',
  'theta ~ normal(0, tau); target += -0.5 * target();': 'a variable that depends on it is assigned more than once',
};

describe('parameters are sampled', () => {
  const data = '{"y": [1, 2, 0.5, 0.1, 3], "n": [1, 0, 3, 2, 1]}';
  for (const [statements, reason] of Object.entries(REFUSED)) {
    it(`with ${statements}`, () => {
      const program = `data { vector[5] y; array[5] int n; }
        parameters { vector[5] theta; real<lower=0> tau; }
        model { tau ~ normal(0, 1); ${statements} }`;
      const written = modelOf({ program, data }, {});
      const model = modelOf({ program, data }, { integrates: true });
      const { integration } = model;
      assert.deepEqual(integration?.integrated, []);
      assert.deepEqual(
        new Map(integration?.sampled.map(({ name, reason }) => [name, reason])),
        new Map([
          ['tau', 'it is constrained, or its type is not real'],
          ['theta', reason],
        ]),
      );
      const position = Float64Array.of(0.3, 0.4, 0.1, -0.2, 1, 0.7);
      assert.equal(model.logDensity(position, FORM), written.logDensity(position, FORM));
    });
  }

  it('if all others are integrated out, or no container is', () => {
    const sampledOf = (program: string) =>
      modelOf({ program, data: GROUPS }, { integrates: true }).integration?.sampled;
    assert.deepEqual(
      sampledOf('parameters { vector[2] theta; real mu; } model { mu ~ normal(0, 1); theta ~ normal(mu, 1); }'),
      [{ name: 'mu', reason: 'all others are integrated out' }],
    );
    assert.deepEqual(
      sampledOf('parameters { vector[2] theta; real mu; } model { mu ~ normal(0, 1); theta ~ cauchy(mu, 1); }'),
      [
        { name: 'theta', reason: 'the log density is not quadratic in it' },
        { name: 'mu', reason: 'it is a scalar, and no container is integrated out' },
      ],
    );
  });
});

it('reject points at which the precision is singular up to rounding errors', () => {
  const model = modelOf(CASES['batches with gamma precisions'], { integrates: true });
  const at = (within: number, between: number): number => model.logDensity(Float64Array.of(within, between), FORM);
  assert.ok(Number.isFinite(at(-8, 3)));
  assert.throws(() => at(-8, 40), /is not positive definite: up to rounding errors, a pivot is/);
});

describe('samples with parameters that are integrated out', () => {
  it('have the log density of the program at each draw', () => {
    const { program, data = '{}' } = CASES['a standard normal effect times a scale'];
    const given = { integrate: 'auto', num_warmup: 100, num_samples: 20, refresh: 0 };
    const compiled = compileForChains(program, { integrates: true });
    const written = modelOf({ program, data }, {});
    assert.ok(compiled !== undefined);
    const [first, again] = [1, 1].map((seed) =>
      runChain('hmc_nuts_diag_e_adapt', given, compiled.instantiate(data, seed), seed),
    );
    assert.deepEqual(first.draws, again.draws);
    assert.equal(first.draws.length, 20);
    const from = 7;
    const count = written.constrainedNames(PARTS).length;
    for (const draw of first.draws) {
      const parameters = Float64Array.from(draw.slice(from, from + count));
      near(draw[0], written.logDensity(written.unconstrainDraw(parameters), FORM), 1e-10);
    }
  });
});
