import { times } from './random.js';
import type { Study } from './study.js';

const outcomes: Study = {
  program: 'missing-outcomes',
  simulate(random) {
    const [N, rho, sigma] = [100, 0.8, 0.5];
    const y = [random.normal(0, sigma / Math.sqrt(1 - rho ** 2))];
    while (y.length < N) y.push(random.normal(rho * y[y.length - 1], sigma));
    const missing = times(N, (n) => n > 0 && random.bernoulli(0.2) === 1);
    const ii_mis = times(N, (n) => n + 1).filter((n) => missing[n - 1]);
    const ii_obs = times(N, (n) => n + 1).filter((n) => !missing[n - 1]);
    const data = {
      N_obs: ii_obs.length,
      N_mis: ii_mis.length,
      ii_obs,
      ii_mis,
      y_obs: ii_obs.map((n) => y[n - 1]),
    };
    return { data, truth: { rho, sigma, y_mis: ii_mis.map((n) => y[n - 1]) } };
  },
};

const components: Study = {
  program: 'missing-components',
  simulate(random) {
    const [N, mu] = [120, [1, -2]];
    const factor = [
      [1.5, 0],
      [0.8, 0.6],
    ];
    const y = times(N, () => random.correlated(factor).map((each, k) => mu[k] + each));
    const observed = times(N, () => times(2, () => random.bernoulli(0.75)));
    const Sigma = [
      [2.25, 1.2],
      [1.2, 1],
    ];
    return { data: { N, observed, y }, truth: { mu, Sigma } };
  },
};

const truncated: Study = {
  program: 'truncation',
  simulate(random) {
    const [N, M, mu, sigma, low, high, delay, rate] = [150, 80, 1, 0.9, 0, 3, 0.7, 1.4];
    const isInside = (value: number): boolean => value > low && value < high;
    const y = times(N, () => random.until(() => random.normal(mu, sigma), isInside));
    const waits = times(M, () => delay + random.exponential(rate));
    return { data: { N, M, low, high, y, waits }, truth: { mu, sigma, delay, rate } };
  },
};

const censored: Study = {
  program: 'censoring',
  simulate(random) {
    const [mu, sigma, limit] = [3, 1.5, 4];
    const all = random.normals(120, mu, sigma);
    const y_obs = all.filter((each) => each < limit);
    const data = { N_obs: y_obs.length, N_cens: all.length - y_obs.length, y_obs, limit };
    return { data, truth: { mu: [mu, mu], sigma: [sigma, sigma] } };
  },
};

const mismeasured: Study = {
  program: 'measurement-error',
  simulate(random) {
    const [N, mu_x, sigma_x, tau, alpha, beta, sigma] = [100, 1, 1.5, 0.4, 0.5, 1.2, 0.5];
    const x = random.normals(N, mu_x, sigma_x);
    const x_meas = x.map((each) => random.normal(each, tau));
    const y = x.map((each) => random.normal(alpha + beta * each, sigma));
    return { data: { N, x_meas, tau, y }, truth: { x, mu_x, sigma_x, alpha, beta, sigma } };
  },
};

const pooled: Study = {
  program: 'meta-analysis',
  simulate(random) {
    const [J, mu, tau] = [15, -0.6, 0.3];
    const theta = random.normals(J, mu, tau);
    const n = times(J, () => random.integer(100, 300));
    const r_c = n.map((each) => random.binomial(each, 0.4));
    const r_t = n.map((each, j) => {
      const odds = (0.4 / 0.6) * Math.exp(theta[j]);
      return random.binomial(each, odds / (1 + odds));
    });
    return { data: { J, n_t: n, r_t, n_c: n, r_c }, truth: { mu, tau, theta } };
  },
};

const ragged: Study = {
  program: 'ragged-segments',
  simulate(random) {
    const [mu, sigma, s] = [[1, -1, 4, 0], 0.7, [5, 30, 2, 12]];
    const y = s.flatMap((size, k) => random.normals(size, mu[k], sigma));
    return { data: { N: y.length, K: 4, y, s }, truth: { mu, sigma } };
  },
};

export const incomplete: readonly Study[] = [outcomes, components, truncated, censored, mismeasured, pooled, ragged];
