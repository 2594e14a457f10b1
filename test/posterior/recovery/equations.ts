import type { Rng } from '../../../src/inference/random/rng.js';
import { poisson, type Recovery, repeat, type Simulated, solve } from './simulate.js';

/** Differential equations, explicit and stiff. */
export const EQUATIONS: readonly Recovery[] = [
  {
    name: 'a damped oscillator, ode_rk45',
    program: `
      functions { vector swing(real t, vector y, real damping) { return [y[2], -y[1] - damping * y[2]]'; } }
      data { int T; array[T] real ts; array[T] vector[2] y; }
      parameters { vector[2] y0; real<lower=0> damping; vector<lower=0>[2] sigma; }
      model {
        array[T] vector[2] mu = ode_rk45(swing, y0, 0, ts, damping);
        y0 ~ std_normal();
        damping ~ std_normal();
        sigma ~ normal(0, 0.5);
        for (t in 1:T) y[t] ~ normal(mu[t], sigma);
      }`,
    simulate: (rng) => {
      const ts = repeat(20, (i) => 0.5 * (i + 1));
      const mu = solve((_, [x, v]) => [v, -x - 0.15 * v], [1, 0.2], ts);
      const y = mu.map(([x, v]) => [x + 0.1 * rng.normal(), v + 0.15 * rng.normal()]);
      const truth = { 'y0[1]': 1, 'y0[2]': 0.2, damping: 0.15, 'sigma[1]': 0.1, 'sigma[2]': 0.15 };
      return { data: { T: 20, ts, y }, truth };
    },
  },
  {
    name: 'a stiff reaction, ode_bdf',
    program: `
      functions {
        vector reaction(real t, vector y, vector k) {
          real forward = k[1] * y[1];
          real back = 1e3 * y[2] * y[3];
          real rest = 1e4 * k[2] * square(y[2]);
          return [back - forward, forward - back - rest, rest]';
        }
      }
      data { int T; array[T] real ts; array[T] real y; }
      parameters { vector<lower=0>[2] k; real<lower=0> sigma; }
      model {
        array[T] vector[3] mu = ode_bdf_tol(reaction, [1, 0, 0]', 0, ts, 1e-6, 1e-9, 10000, k);
        k ~ lognormal(0, 1);
        sigma ~ normal(0, 0.1);
        y ~ normal(mu[:, 1], sigma);
      }`,
    simulate: simulateReaction,
  },
  {
    name: 'predators and prey, ode_rk45_tol',
    program: `
      functions { vector change(real t, vector z, vector theta) {
        return [(theta[1] - theta[2] * z[2]) * z[1], (theta[4] * z[1] - theta[3]) * z[2]]'; } }
      data { int T; array[T] real ts; array[T] vector[2] y; vector[2] first; }
      parameters { vector<lower=0>[4] theta; vector<lower=0>[2] z0; vector<lower=0>[2] sigma; }
      model {
        array[T] vector[2] z = ode_rk45_tol(change, z0, 0, ts, 1e-6, 1e-6, 10000, theta);
        theta[{1, 3}] ~ normal(1, 0.5);
        theta[{2, 4}] ~ normal(0.05, 0.05);
        z0 ~ lognormal(log(10), 1);
        sigma ~ lognormal(-1, 1);
        first ~ lognormal(log(z0), sigma);
        for (t in 1:T) y[t] ~ lognormal(log(z[t]), sigma);
      }`,
    simulate: (rng) => {
      const ts = repeat(20, (i) => i + 1);
      const [a, b, c, d] = [0.55, 0.028, 0.8, 0.024];
      const noisy = (x: number): number => x * Math.exp(0.2 * rng.normal());
      const z = solve((_, [u, v]) => [(a - b * v) * u, (d * u - c) * v], [34, 6], ts);
      const truth = { 'theta[1]': a, 'theta[2]': b, 'theta[3]': c, 'theta[4]': d, 'z0[1]': 34, 'z0[2]': 6 };
      const data = { T: 20, ts, y: z.map((row) => row.map(noisy)), first: [34, 6].map(noisy) };
      return { data, truth: { ...truth, 'sigma[1]': 0.2, 'sigma[2]': 0.2 } };
    },
  },
  {
    name: 'one compartment with absorption and saturated elimination, ode_bdf',
    program: `
      functions { vector drug(real t, vector c, real ka, real km, real vm, data real dose) {
        return [dose * ka * exp(-ka * t) - vm * c[1] / (km + c[1])]'; } }
      data { int T; array[T] real ts; vector[T] y; real dose; }
      parameters { real<lower=0> ka; real<lower=0> km; real<lower=0> vm; real<lower=0> sigma; }
      model {
        array[T] vector[1] c = ode_bdf(drug, [0]', 0, ts, ka, km, vm, dose);
        ka ~ lognormal(0, 0.5);
        km ~ lognormal(0, 0.5);
        vm ~ lognormal(0, 0.5);
        sigma ~ normal(0, 0.5);
        for (t in 1:T) y[t] ~ lognormal(log(c[t, 1]), sigma);
      }`,
    simulate: (rng) => {
      const ts = repeat(20, (i) => 0.5 * (i + 1));
      const [ka, km, vm, dose] = [1.2, 0.9, 1.1, 6];
      const c = solve((t, [x]) => [dose * ka * Math.exp(-ka * t) - (vm * x) / (km + x)], [0], ts);
      const y = c.map(([x]) => x * Math.exp(0.1 * rng.normal()));
      return { data: { T: 20, ts, y, dose }, truth: { ka, km, vm, sigma: 0.1 } };
    },
  },
  {
    name: 'an epidemic, ode_ckrk',
    program: `
      functions { vector sir(real t, vector y, real beta, real gamma, data real N) {
        real infections = beta * y[1] * y[2] / N;
        return [-infections, infections - gamma * y[2], gamma * y[2]]'; } }
      data { int T; array[T] real ts; array[T] int cases; real N; }
      parameters { real<lower=0> beta; real<lower=0> gamma; real<lower=0> dispersion; }
      model {
        array[T] vector[3] y = ode_ckrk(sir, [N - 1, 1, 0]', 0, ts, beta, gamma, N);
        beta ~ normal(2, 1);
        gamma ~ normal(0.4, 0.5);
        dispersion ~ exponential(5);
        // The constant keeps the log density from depending on infections below the solver's tolerance. Without it, chains that start where
        // the epidemic dies out stay there, here and in Stan: the error of the solver makes a mode of the tail.
        cases ~ neg_binomial_2(to_vector(y[:, 2]) + 0.01, inv(dispersion));
      }`,
    simulate: (rng) => {
      const [beta, gamma, N] = [1.7, 0.5, 763];
      const ts = repeat(14, (i) => i + 1);
      const slope = (_: number, [s, i]: readonly number[]): number[] => {
        return [(-beta * s * i) / N, (beta * s * i) / N - gamma * i, gamma * i];
      };
      const cases = solve(slope, [N - 1, 1, 0], ts).map(([, i]) => poisson(rng, i * Math.exp(0.2 * rng.normal())));
      return { data: { T: 14, ts, cases, N }, truth: { beta, gamma } };
    },
  },
  {
    name: 'carbon of two pools of soil, ode_adjoint_tol_ctl',
    program: `
      functions { vector carbon(real t, vector C, vector k, vector transfer) {
        return [-k[1] * C[1] + transfer[2] * k[2] * C[2], -k[2] * C[2] + transfer[1] * k[1] * C[1]]'; } }
      data { int T; array[T] real ts; vector[T] left; real total; }
      parameters { positive_ordered[2] k; vector<lower=0, upper=1>[2] transfer; real<lower=0> sigma; }
      model {
        array[T] vector[2] C = ode_adjoint_tol_ctl(carbon, [0.5 * total, 0.5 * total]', 0, ts, 1e-8, [1e-8, 1e-8]', 1e-8,
                                                   [1e-8, 1e-8]', 1e-8, 1e-8, 10000, 150, 1, 2, 2, k, transfer);
        k ~ std_normal();
        transfer ~ beta(2, 5);
        sigma ~ normal(0, 0.1);
        for (t in 1:T) left[t] ~ normal(sum(C[t]), sigma);
      }`,
    simulate: (rng) => {
      const [k, transfer, total] = [[0.05, 0.6], [0.2, 0.3], 10];
      const ts = repeat(25, (i) => i + 1);
      const slope = (_: number, [a, b]: readonly number[]): number[] => {
        return [-k[0] * a + transfer[1] * k[1] * b, -k[1] * b + transfer[0] * k[0] * a];
      };
      const left = solve(slope, [5, 5], ts).map(([a, b]) => a + b + 0.05 * rng.normal());
      const truth = { 'k[1]': k[0], 'k[2]': k[1], 'transfer[1]': transfer[0], 'transfer[2]': transfer[1], sigma: 0.05 };
      return { data: { T: 25, ts, left, total }, truth };
    },
  },
  {
    name: 'a stiff reaction whose amounts add up to one, dae_tol',
    program: `
      functions { vector reaction(real t, vector y, vector slope, vector k) {
        real back = 1e3 * y[2] * y[3];
        return [slope[1] + k[1] * y[1] - back, slope[2] - k[1] * y[1] + back + 1e4 * k[2] * square(y[2]), sum(y) - 1]'; } }
      data { int T; array[T] real ts; array[T] real y; }
      parameters { vector<lower=0>[2] k; real<lower=0> sigma; }
      model {
        array[T] vector[3] mu = dae_tol(reaction, [1, 0, 0]', [-k[1], k[1], 0]', 0, ts, 1e-6, 1e-9, 10000, k);
        k ~ lognormal(0, 1);
        sigma ~ normal(0, 0.1);
        y ~ normal(mu[:, 1], sigma);
      }`,
    simulate: simulateReaction,
  },
];

/** Robertson's reaction with milder rates; its first amount is observed. */
function simulateReaction(rng: Rng): Simulated {
  const ts = repeat(25, (i) => 0.4 * (i + 1));
  const slope = (_: number, [a, b, c]: readonly number[]): number[] => {
    const [forward, back, rest] = [0.6 * a, 1e3 * b * c, 1e4 * 1.5 * b * b];
    return [back - forward, forward - back - rest, rest];
  };
  const y = solve(slope, [1, 0, 0], ts, 2e-4).map(([a]) => a + 0.01 * rng.normal());
  return { data: { T: 25, ts, y }, truth: { 'k[1]': 0.6, 'k[2]': 1.5, sigma: 0.01 } };
}
