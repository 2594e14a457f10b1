/** Correlated effects that are integrated out: vectors with a multivariate normal distribution, centered and non-centered. */
import { describe } from 'node:test';
import { type Case, checkCases } from './integrated.js';

const EFFECTS = JSON.stringify({
  N: 8,
  J: 3,
  K: 2,
  g: [1, 2, 2, 3, 3, 3, 1, 2],
  X: [
    [1, 0.5],
    [1, -1],
    [1, 0.3],
    [1, 0.8],
    [1, -0.2],
    [1, 0.6],
    [1, -0.9],
    [1, 1.4],
  ],
  y: [0.2, 1.4, -0.3, 2.1, 1.2, 0.6, -0.8, 1.1],
});
const EFFECTS_DATA = 'data { int N; int J; int K; array[N] int<lower=1, upper=J> g; matrix[N, K] X; vector[N] y; }';

const HYPERPRIORS = 'mu ~ normal(0, 5); tau ~ normal(0, 1); L ~ lkj_corr_cholesky(2); sigma ~ normal(0, 1);';

/** A regression whose coefficients vary among groups, with the distribution of the coefficients. */
function centered(prior: string, location = 'X[n] * beta[g[n]]'): string {
  return `${EFFECTS_DATA}
    parameters {
      array[J] vector[K] beta; vector[K] mu; vector<lower=0>[K] tau; cholesky_factor_corr[K] L; real<lower=0> sigma;
    }
    model {
      ${HYPERPRIORS}
      ${prior}
      for (n in 1:N) y[n] ~ normal(${location}, sigma);
    }`;
}

const CASES: Readonly<Record<string, Case>> = {
  'effects with a Cholesky factor': {
    program: centered('beta ~ multi_normal_cholesky(mu, diag_pre_multiply(tau, L));'),
    data: EFFECTS,
    integrated: ['beta', 'mu'],
  },
  'effects with a covariance matrix': {
    program: centered('beta ~ multi_normal(mu, quad_form_diag(multiply_lower_tri_self_transpose(L), tau));'),
    data: EFFECTS,
    integrated: ['beta', 'mu'],
  },
  'effects with a precision matrix': {
    program: centered('beta ~ multi_normal_prec(mu, quad_form_diag(multiply_lower_tri_self_transpose(L), tau));'),
    data: EFFECTS,
    integrated: ['beta', 'mu'],
  },
  'pairs of effects': {
    program: centered('beta ~ multi_normal(mu, quad_form_diag(multiply_lower_tri_self_transpose(L), tau));')
      .replace(/(vector|vector<lower=0>|cholesky_factor_corr)\[K\] (?=beta|mu|tau|L)/g, '$1[2] ')
      .replace('X[n] * beta[g[n]]', 'beta[g[n], 1] + beta[g[n], 2] * X[n, 2]'),
    data: EFFECTS,
    integrated: ['beta', 'mu'],
  },
  'effects with a Cholesky factor, group by group, of a size in the data': {
    program: centered('for (j in 1:J) beta[j] ~ multi_normal_cholesky(mu, diag_pre_multiply(tau, L));'),
    data: EFFECTS,
    integrated: ['beta', 'mu'],
  },
  'effects whose mean is declared first': {
    program: centered('beta ~ multi_normal_cholesky(mu, diag_pre_multiply(tau, L));').replace(
      'array[J] vector[K] beta; vector[K] mu;',
      'vector[K] mu; array[J] vector[K] beta;',
    ),
    data: EFFECTS,
    integrated: ['beta', 'mu'],
  },
  'intercepts and slopes as rethinking writes them': {
    program: `data { int N; int J; array[N] int g; vector[N] x; vector[N] y; }
      parameters {
        vector[J] a; vector[J] b; real abar; real bbar; vector<lower=0>[2] sds; corr_matrix[2] Rho; real<lower=0> sigma;
      }
      model {
        vector[N] mu;
        sigma ~ exponential(1); Rho ~ lkj_corr(2); sds ~ exponential(1); bbar ~ normal(-1, 0.5); abar ~ normal(5, 2);
        {
          array[J] vector[2] YY;
          vector[2] MU;
          MU = [abar, bbar]';
          for (j in 1:J) YY[j] = [a[j], b[j]]';
          YY ~ multi_normal(MU, quad_form_diag(Rho, sds));
        }
        for (i in 1:N) mu[i] = a[g[i]] + b[g[i]] * x[i];
        y ~ normal(mu, sigma);
      }`,
    data: '{"N": 6, "J": 3, "g": [1, 2, 2, 3, 3, 3], "x": [0, 1, 0, 1, 1, 0], "y": [0.2, 1.4, -0.3, 2.1, 1.2, 0.6]}',
    integrated: ['a', 'b', 'abar', 'bbar'],
  },
  'effects with a covariance matrix, group by group': {
    program: `data { int N; int T; array[T] real x; array[N, T] real y; real xbar; }
      parameters { array[N] vector[2] beta; vector[2] mu_beta; real<lower=0> sigmasq_y; cov_matrix[2] Sigma_beta; }
      transformed parameters { real<lower=0> sigma_y = sqrt(sigmasq_y); }
      model {
        sigmasq_y ~ inv_gamma(0.001, 0.001);
        mu_beta ~ normal(0, 100);
        Sigma_beta ~ inv_wishart(2, identity_matrix(2));
        for (n in 1:N) beta[n] ~ multi_normal(mu_beta, Sigma_beta);
        for (n in 1:N) for (t in 1:T) y[n, t] ~ normal(beta[n, 1] + beta[n, 2] * (x[t] - xbar), sigma_y);
      }`,
    data: '{"N": 3, "T": 3, "x": [1, 2, 4], "xbar": 2.3, "y": [[0.1, 0.9, 1.3], [-0.4, 0.3, 2.2], [1.1, 0.6, 0.2]]}',
    integrated: ['beta', 'mu_beta'],
  },
  'intercepts and slopes as brms writes them': {
    program: `functions {
        matrix scale_r_cor(matrix z, vector SD, matrix L) { return transpose(diag_pre_multiply(SD, L) * z); }
      }
      data {
        int<lower=1> N; vector[N] Y; int<lower=1> Kc; matrix[N, Kc] Xc; int<lower=1> N_1; int<lower=1> M_1;
        array[N] int<lower=1> J_1; vector[N] Z_1_1; vector[N] Z_1_2; int<lower=1> NC_1; int prior_only;
      }
      parameters {
        vector[Kc] b; real Intercept; real<lower=0> sigma; vector<lower=0>[M_1] sd_1; matrix[M_1, N_1] z_1;
        cholesky_factor_corr[M_1] L_1;
      }
      transformed parameters {
        matrix[N_1, M_1] r_1 = scale_r_cor(z_1, sd_1, L_1);
        vector[N_1] r_1_1 = r_1[, 1];
        vector[N_1] r_1_2 = r_1[, 2];
        real lprior = 0;
        lprior += normal_lpdf(b | 0, 10);
        lprior += normal_lpdf(Intercept | 2, 5);
        lprior += student_t_lpdf(sigma | 3, 0, 2.5) - 1 * student_t_lccdf(0 | 3, 0, 2.5);
        lprior += student_t_lpdf(sd_1 | 3, 0, 2.5) - 2 * student_t_lccdf(0 | 3, 0, 2.5);
        lprior += lkj_corr_cholesky_lpdf(L_1 | 1);
      }
      model {
        if (!prior_only) {
          vector[N] mu = rep_vector(0.0, N);
          mu += Intercept;
          for (n in 1:N) mu[n] += r_1_1[J_1[n]] * Z_1_1[n] + r_1_2[J_1[n]] * Z_1_2[n];
          target += normal_id_glm_lpdf(Y | Xc, mu, b, sigma);
        }
        target += lprior;
        target += std_normal_lpdf(to_vector(z_1));
      }`,
    data: JSON.stringify({
      N: 7,
      Y: [2.1, 2.6, 3.4, 1.2, 1.9, 4.0, 4.7],
      Kc: 1,
      Xc: [[-1], [0], [1], [-1], [0.5], [-0.2], [0.9]],
      N_1: 3,
      M_1: 2,
      J_1: [1, 1, 1, 2, 2, 3, 3],
      Z_1_1: [1, 1, 1, 1, 1, 1, 1],
      Z_1_2: [0, 1, 2, 0, 1.5, 0.8, 1.9],
      NC_1: 1,
      prior_only: 0,
    }),
    integrated: ['b', 'z_1', 'Intercept'],
  },
  'effects with a multiplier': {
    program: `${EFFECTS_DATA}
      parameters {
        real alpha; vector<lower=0>[2] sd; cholesky_factor_corr[2] L; array[J] vector<multiplier=rep_array(sd, J)>[2] r; real<lower=0> sigma;
      }
      model {
        alpha ~ normal(0, 3); sigma ~ exponential(1); sd ~ exponential([0.8, 0.2]); L ~ lkj_corr_cholesky(1);
        r ~ multi_normal_cholesky(rep_vector(0, 2), diag_pre_multiply(sd, L));
        vector[N] mu = alpha + to_vector(r[g, 1]) + to_vector(r[g, 2]) .* X[, 2];
        y ~ normal(mu, sigma);
      }`,
    data: EFFECTS,
    integrated: ['r', 'alpha'],
  },
  'effects and coefficients of a matrix that transformed data compute': {
    program: `data { int<lower=1> N; int<lower=1> J; array[N] int<lower=1, upper=J> g; vector[N] x; vector[N] y; }
      transformed data { matrix[N, 2] cov = [x', y']'; }
      parameters {
        real mu_alpha; real mu_beta; real<lower=0> sigma; real<lower=0> sigma_alpha; real<lower=0> sigma_beta;
        vector<offset=mu_alpha, multiplier=sigma_alpha>[J] alpha; vector<offset=mu_beta, multiplier=sigma_beta>[2] beta;
      }
      model {
        alpha ~ normal(mu_alpha, sigma_alpha); beta ~ normal(mu_beta, sigma_beta); sigma ~ cauchy(0, 2.5); mu_alpha ~ std_normal();
        sigma_alpha ~ cauchy(0, 2.5); mu_beta ~ std_normal(); sigma_beta ~ cauchy(0, 2.5);
        y ~ normal_id_glm(cov, alpha[g], beta, sigma);
      }`,
    data: '{"N": 6, "J": 3, "g": [1, 2, 2, 3, 3, 3], "x": [0, 1, 0, 1, 1, 0], "y": [0.2, 1.4, -0.3, 2.1, 1.2, 0.6]}',
    integrated: ['alpha', 'mu_alpha'],
  },
  'coefficients that a loop overwrites': {
    program: `${EFFECTS_DATA}
      parameters { vector[J] z; real<lower=0> tau; }
      model {
        vector[J] a;
        vector[1] factor;
        tau ~ normal(0, 1); z ~ std_normal();
        for (j in 1:J) { factor[1] = tau * (j + 0.5); a[j] = factor[1] * z[j]; }
        y ~ normal(a[g], 1);
      }`,
    data: EFFECTS,
    integrated: ['z'],
  },
  'a Gaussian process with noise': {
    program: `data { int N; array[N] real x; vector[N] y; int K; }
      parameters { vector[N] f; vector[4] e; real<lower=0> rho; real<lower=0> sigma; real mu; }
      model {
        rho ~ inv_gamma(5, 5); sigma ~ normal(0, 1); mu ~ normal(0, 3);
        f ~ multi_normal_cholesky(rep_vector(mu, N), cholesky_decompose(add_diag(gp_exp_quad_cov(x, 1.2, rho), 1e-3)));
        e ~ multi_normal(y[1:4], add_diag(gp_exp_quad_cov(x[1:4], 1, rho), 0.1));
        y ~ normal(f, sigma);
        y[1:4] ~ normal(e, sigma);
      }`,
    data: '{"N": 6, "x": [0, 0.7, 1.1, 2.3, 2.9, 4], "y": [0.2, 1.4, -0.3, 2.1, 1.2, 0.6], "K": 2}',
    integrated: ['f', 'e', 'mu'],
  },
  'coefficients of rows in a loop': {
    program: `${EFFECTS_DATA}
      parameters { vector[K] b; real<lower=0> sigma; }
      model { sigma ~ normal(0, 1); b ~ normal(0, 2); for (n in 1:N) y[n] ~ normal(X[n] * b, sigma * g[n]); }`,
    data: EFFECTS,
    integrated: ['b'],
  },
};

describe('correlated effects that are integrated out', () => {
  checkCases(CASES);
});
