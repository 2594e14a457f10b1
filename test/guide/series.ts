import { times } from './random.js';
import type { Study } from './study.js';

const autoregressive: Study = {
  program: 'series-autoregressive',
  simulate(random) {
    const [N, alpha, rho1, rho2, sigma] = [150, 0.5, 0.6, -0.3, 0.7];
    const y = random.normals(2);
    while (y.length < N) y.push(random.normal(alpha + rho1 * y[y.length - 1] + rho2 * y[y.length - 2], sigma));
    return { data: { N, y, ahead: 3 }, truth: { alpha, rho1, rho2, sigma } };
  },
};

const movingAverage: Study = {
  program: 'series-moving-average',
  simulate(random) {
    const [T, mu, theta, sigma] = [200, -1, [0.5, 0.3], 0.9];
    const errors = random.normals(T, 0, sigma);
    const y = errors.map((each, t) => mu + each + theta[0] * (errors[t - 1] ?? 0) + theta[1] * (errors[t - 2] ?? 0));
    return { data: { Q: 2, T, y }, truth: { mu, theta, sigma } };
  },
};

const garch: Study = {
  program: 'series-garch',
  simulate(random) {
    const [T, mu, alpha0, alpha1, beta1] = [400, 0.1, 0.2, 0.4, 0.4];
    const r: number[] = [];
    let sigma = 1;
    for (let t = 0; t < T; t++) {
      r.push(random.normal(mu, sigma));
      sigma = Math.sqrt(alpha0 + alpha1 * (r[t] - mu) ** 2 + beta1 * sigma ** 2);
    }
    return { data: { T, r, sigma1: 1 }, truth: { mu, alpha0, alpha1, beta1 } };
  },
};

const volatility: Study = {
  program: 'series-stochastic-volatility',
  simulate(random) {
    const [T, mu, phi, sigma] = [200, -1, 0.9, 0.4];
    const h = [random.normal(mu, sigma / Math.sqrt(1 - phi ** 2))];
    while (h.length < T) h.push(random.normal(mu + phi * (h[h.length - 1] - mu), sigma));
    const y = h.map((each) => random.normal(0, Math.exp(each / 2)));
    return { data: { T, y }, truth: { mu, phi, sigma, h } };
  },
};

const hiddenMarkov: Study = {
  program: 'series-hidden-markov',
  simulate(random) {
    const [T, mu] = [150, [2, 5]];
    const theta = [
      [0.8, 0.2],
      [0.3, 0.7],
    ];
    const state = [1];
    while (state.length < T) state.push(random.categorical(theta[state[state.length - 1] - 1]));
    const y = state.map((each) => random.normal(mu[each - 1]));
    return { data: { K: 2, T, y }, truth: { theta, mu, difference: 0 } };
  },
};

const kalman: Study = {
  program: 'series-kalman',
  simulate(random) {
    const [T, observation, innovation] = [100, 1, 0.5];
    let level = 0;
    const y = times(T, () => {
      level = random.normal(level, innovation);
      return random.normal(level, observation);
    });
    return { data: { T, y: [y] }, truth: { observation, innovation } };
  },
};

export const series: readonly Study[] = [autoregressive, movingAverage, garch, hiddenMarkov, kalman, volatility];
