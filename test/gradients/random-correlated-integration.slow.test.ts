/** Random regressions with correlated effects: the density after some parameters have been integrated out must agree with that of the program. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Choices, checkJointDensity, modelOf } from './integrated.js';

const PROGRAMS = 24;

/** Effects with a covariance matrix, centered or not, and outcomes in one of several forms. `K` is the number of effects of a group. */
function programOf(random: Choices): string {
  const K = random.of('K', 'K', '2');
  const covariance = 'quad_form_diag(multiply_lower_tri_self_transpose(L), tau)';
  const factor = 'diag_pre_multiply(tau, L)';
  const isCentered = random.fraction() < 0.6;
  const isLoop = K === '2' && random.fraction() < 0.5;
  const location = random.of('mu', 'mu', 'rep_vector(0.3, K)', 'gamma * mu');
  const distribution = random.of(
    `multi_normal_cholesky(${location}, ${factor})`,
    `multi_normal(${location}, ${covariance})`,
    ...(isLoop ? [] : [`multi_normal_prec(${location}, ${covariance})`]),
  );
  const declaration = isCentered ? `array[J] vector[${K}] beta;` : `matrix[${K}, J] z;`;
  const transformed = isCentered
    ? ''
    : `matrix[J, ${K}] r = transpose(${factor} * z); vector[J] r_1 = r[, 1]; vector[J] r_2 = r[, 2];`;
  const prior = isCentered
    ? isLoop
      ? `for (j in 1:J) beta[j] ~ ${distribution};`
      : `beta ~ ${distribution};`
    : random.of('to_vector(z) ~ std_normal();', 'target += std_normal_lpdf(to_vector(z));');
  const effects = isCentered
    ? random.of('beta[g[n], 1] + beta[g[n], 2] * x[n]', ...(isLoop ? [] : ['X[n] * beta[g[n]]']))
    : random.of('r_1[g[n]] + r_2[g[n]] * x[n]', 'r_1[g[n]] * x[n] - 2 * r_2[g[n]]', 'r_2[g[n]]');
  const rest = random.of('', ' + alpha', ' + X[n] * b', ' + c[h[n]]');
  const scale = random.of('sigma', 'sigma * s[n]');
  const outcome = random.of(
    `for (n in 1:N) y[n] ~ normal(${effects}${rest}, ${scale});`,
    `vector[N] eta = rep_vector(0, N); for (n in 1:N) eta[n] += ${effects}; for (n in 1:N) y[n] ~ normal(eta[n]${rest}, ${scale});`,
    `vector[N] eta = rep_vector(0.1, N); eta += alpha; for (n in 1:N) eta[n] += ${effects}; target += normal_id_glm_lpdf(y | X, eta, b, sigma);`,
  );
  return `data {
      int N; int K; int J; matrix[N, K] X; array[N] int<lower=1, upper=J> g; array[N] int<lower=1, upper=J> h; vector[N] x; vector[N] y;
      vector<lower=0>[N] s;
    }
    parameters {
      ${declaration} real alpha; real<lower=0> gamma; vector[K] b; vector[J] c; vector[K] mu; vector<lower=0>[K] tau; cholesky_factor_corr[K] L;
      real<lower=0> sigma;
    }
    transformed parameters { ${transformed} }
    model {
      alpha ~ normal(0, 5); gamma ~ normal(1, 1); b ~ normal(0, 2); c ~ normal(0, tau[1]); mu ~ normal(0, 1); tau ~ normal(0, 1);
      L ~ lkj_corr_cholesky(2); sigma ~ normal(0, 1);
      ${prior}
      { ${outcome} }
    }`;
}

function dataOf(random: Choices): string {
  const [N, J, K] = [6 + random.below(5), 2 + random.below(3), 2];
  const value = (): number => Math.round(400 * random.fraction() - 200) / 100;
  const many = <T>(count: number, make: () => T): readonly T[] => Array.from({ length: count }, make);
  return JSON.stringify({
    N,
    K,
    J,
    X: many(N, () => many(K, value)),
    g: many(N, () => 1 + random.below(J)),
    h: many(N, () => 1 + random.below(J)),
    x: many(N, value),
    y: many(N, value),
    s: many(N, () => 0.5 + random.fraction()),
  });
}

describe('random regressions with correlated effects', () => {
  for (let seed = 1; seed <= PROGRAMS; seed++) {
    const random = new Choices(104729 * seed);
    const program = programOf(random);
    const data = dataOf(random);
    it(`have the density of the program: ${seed}`, () => {
      const written = modelOf({ program, data }, {});
      const marginal = modelOf({ program, data }, { integrates: true });
      assert.notDeepEqual(marginal.integration?.integrated, [], program);
      const positions = [0, 1].map(() =>
        Float64Array.from({ length: marginal.dimension }, () => random.fraction() - 0.5),
      );
      checkJointDensity(written, marginal, positions);
    });
  }
});
