import { bernoulli, logistic, poisson, type Recovery, repeat } from './simulate.js';

/** Systems of equations, integrals, embedded Laplace approximations, and functions mapped over shards and slices. */
export const FUNCTIONS: readonly Recovery[] = [
  {
    name: 'a steady state, solve_powell',
    program: `
      functions { vector balance(vector x, real inflow, real uptake, real decay) {
        return [inflow - uptake * x[1] * x[2] / (1 + x[1]), uptake * x[1] * x[2] / (1 + x[1]) - decay * x[2] - 0.2 * square(x[2])]'; } }
      data { int N; vector[N] inflow; array[N] vector[2] y; }
      parameters { real<lower=0> uptake; real<lower=0> decay; real<lower=0> sigma; }
      model {
        uptake ~ lognormal(0.5, 0.5);
        decay ~ lognormal(-1, 0.5);
        sigma ~ normal(0, 0.5);
        for (n in 1:N)
          y[n] ~ lognormal(log(solve_powell(balance, [1, 1]', inflow[n], uptake, decay)), sigma);
      }`,
    simulate: (rng) => {
      const [uptake, decay, sigma] = [2, 0.4, 0.1];
      const inflow = repeat(20, (i) => 0.3 + 0.04 * i);
      const y = inflow.map((rate) => {
        // decay z + 0.2 z² = rate, and uptake x z / (1 + x) = rate.
        const z = (-decay + Math.sqrt(decay ** 2 + 0.8 * rate)) / 0.4;
        const x = rate / (uptake * z - rate);
        return [x, z].map((value) => value * Math.exp(sigma * rng.normal()));
      });
      return { data: { N: 20, inflow, y }, truth: { uptake, decay, sigma } };
    },
  },
  {
    name: 'a density without a known constant, integrate_1d',
    program: `
      functions { real shape(real x, real xc, array[] real theta, data array[] real x_r, data array[] int x_i) {
        return exp(-theta[1] * square(square(x)) + theta[2] * x); } }
      data { int N; vector[N] y; }
      parameters { real<lower=0> a; real b; }
      model {
        real constant = integrate_1d(shape, negative_infinity(), positive_infinity(), {a, b}, {0.0}, {0}, 1e-8);
        a ~ lognormal(0, 1);
        b ~ normal(0, 1);
        for (n in 1:N) target += -a * y[n]^4 + b * y[n];
        target += -N * log(constant);
      }`,
    simulate: (rng) => {
      const [a, b] = [0.7, 0.5];
      const density = (x: number): number => Math.exp(-a * x ** 4 + b * x);
      // Rejection sampling from a uniform distribution over the range that contains all but 1e-20 of the mass.
      const draw = (): number => {
        for (;;) {
          const x = 6 * rng.uniform() - 3;
          if (2 * rng.uniform() < density(x)) return x;
        }
      };
      return { data: { N: 200, y: repeat(200, draw) }, truth: { a, b } };
    },
  },
  {
    name: 'random intercepts integrated out, integrate_1d',
    program: `
      functions { real joint(real z, real zc, array[] real theta, data array[] real x, data array[] int yn) {
        return exp(std_normal_lpdf(z) + binomial_logit_lpmf(yn[1] | yn[2], theta[1] + theta[2] * x[1] + theta[3] * z)); } }
      data { int C; array[C] int y; int n; array[C] real x; }
      parameters { real alpha; real beta; real<lower=0> tau; }
      model {
        alpha ~ normal(0, 1.5);
        beta ~ std_normal();
        tau ~ std_normal();
        for (c in 1:C)
          target += log(integrate_1d(joint, negative_infinity(), positive_infinity(), {alpha, beta, tau}, {x[c]}, {y[c], n}, 1e-8));
      }`,
    simulate: (rng) => {
      const [alpha, beta, tau, C, n] = [-0.4, 0.8, 0.7, 50, 12];
      const x = repeat(C, () => rng.normal());
      const y = x.map((value) => {
        const p = logistic(alpha + beta * value + tau * rng.normal());
        return repeat(n, () => bernoulli(rng, p)).reduce((sum, each) => sum + each, 0);
      });
      return { data: { C, n, x, y }, truth: { alpha, beta, tau } };
    },
  },
  {
    name: 'counts of groups with their effects integrated out, laplace_marginal',
    program: `
      functions {
        real counts(vector theta, data array[,] int y, real level) {
          real lp = 0;
          for (g in 1:size(y)) lp += poisson_log_lpmf(y[g] | level + theta[g]);
          return lp;
        }
        matrix covariance(real tau, data int G) { return diag_matrix(rep_vector(square(tau), G)); }
      }
      data { int G; int n; array[G, n] int y; }
      parameters { real level; real<lower=0> tau; }
      model {
        level ~ normal(0, 2);
        tau ~ std_normal();
        target += laplace_marginal(counts, (y, level), 1, covariance, (tau, G));
      }`,
    simulate: (rng) => {
      const [level, tau, G, n] = [1, 0.6, 30, 5];
      const y = repeat(G, () => {
        const mean = Math.exp(level + tau * rng.normal());
        return repeat(n, () => poisson(rng, mean));
      });
      return { data: { G, n, y }, truth: { level, tau } };
    },
  },
  {
    name: 'a regression with effects of groups, map_rect',
    program: `
      functions { vector group(vector shared, vector z, data array[] real x, data array[] int y) {
        return [bernoulli_logit_lpmf(y | shared[1] + shared[3] * z[1] + shared[2] * to_vector(x))]'; } }
      data { int G; int n; array[G, n] real x; array[G, n] int y; }
      parameters { vector[2] mu; real<lower=0> tau; array[G] vector[1] z; }
      model {
        mu ~ std_normal();
        tau ~ std_normal();
        for (g in 1:G) z[g] ~ std_normal();
        target += sum(map_rect(group, append_row(mu, tau), z, x, y));
      }`,
    simulate: (rng) => {
      const [G, n, tau] = [25, 20, 0.8];
      const x = repeat(G, () => repeat(n, () => rng.normal()));
      const y = x.map((row) => {
        const effect = tau * rng.normal();
        return row.map((value) => bernoulli(rng, logistic(0.3 + 0.9 * value + effect)));
      });
      return { data: { G, n, x, y }, truth: { 'mu[1]': 0.3, 'mu[2]': 0.9, tau } };
    },
  },
  {
    name: 'a regression summed over slices, reduce_sum',
    program: `
      functions { real part(array[] int y, int first, int last, data matrix x, vector beta) {
        return poisson_log_lpmf(y | x[first:last] * beta); } }
      data { int N; matrix[N, 3] x; array[N] int y; }
      parameters { vector[3] beta; }
      model { beta ~ std_normal(); target += reduce_sum(part, y, 10, x, beta); }`,
    simulate: (rng) => {
      const beta = [0.6, -0.4, 0.3];
      const x = repeat(120, () => [1, rng.normal(), rng.normal()]);
      const y = x.map((row) => poisson(rng, Math.exp(row.reduce((sum, value, i) => sum + value * beta[i], 0))));
      return { data: { N: 120, x, y }, truth: { 'beta[1]': 0.6, 'beta[2]': -0.4, 'beta[3]': 0.3 } };
    },
  },
];
