import { dot, type Random, times } from './random.js';
import type { Study } from './study.js';

const linear: Study = {
  program: 'regression-linear',
  simulate(random) {
    const [alpha, beta, sigma] = [1.5, [2, -0.7, 0], 0.8];
    const x = times(80, () => random.normals(3));
    const y = x.map((row) => random.normal(alpha + dot(row, beta), sigma));
    return { data: { N: 80, K: 3, x, y }, truth: { alpha, beta, sigma } };
  },
};

const collinear: Study = {
  program: 'regression-qr',
  simulate(random) {
    const [alpha, beta, sigma] = [-0.5, [1, -2], 0.5];
    const x = times(100, () => {
      const common = random.normal();
      return times(2, () => common + random.normal(0, 0.05));
    });
    const y = x.map((row) => random.normal(alpha + dot(row, beta), sigma));
    return { data: { N: 100, K: 2, x, y }, truth: { alpha, beta, sigma } };
  },
};

const ordered: Study = {
  program: 'regression-ordered',
  simulate(random) {
    const [beta, cuts] = [
      [1.2, -0.8],
      [-1, 0.5, 2],
    ];
    const x = times(200, () => random.normals(2));
    const y = x.map((row) => {
      const u = random.uniform();
      const latent = dot(row, beta) + Math.log(u / (1 - u));
      return 1 + cuts.filter((cut) => latent > cut).length;
    });
    return { data: { K: 4, N: 200, D: 2, y, x }, truth: { beta, cuts } };
  },
};

const hierarchical: Study = {
  program: 'regression-hierarchical',
  simulate(random) {
    const [N, L, mu, tau] = [400, 20, [0.5, -1], [0.5, 0.8]];
    const beta = times(L, () => mu.map((each, k) => random.normal(each, tau[k])));
    const group = times(N, (n) => 1 + (n % L));
    const x = times(N, () => [1, random.normal()]);
    const y = x.map((row, n) => random.bernoulliLogit(dot(row, beta[group[n] - 1])));
    return { data: { N, K: 2, L, y, group, x }, truth: { mu, tau, beta } };
  },
};

/** Intercepts and slopes of groups: scales and correlation, then one (intercept, slope) per group. */
function varying(random: Random, groups: number): { tau: number[]; correlation: number; deviations: number[][] } {
  const [tau, correlation] = [[0.9, 0.6], -0.5];
  const factor = [
    [tau[0], 0],
    [tau[1] * correlation, tau[1] * Math.sqrt(1 - correlation ** 2)],
  ];
  return { tau, correlation, deviations: times(groups, () => random.correlated(factor)) };
}

const centered: Study = {
  program: 'slopes-centered',
  simulate(random) {
    const [N, J, gamma, sigma] = [300, 25, [2, -1], 0.4];
    const { tau, correlation, deviations } = varying(random, J);
    const beta = deviations.map((each) => each.map((value, k) => gamma[k] + value));
    const group = times(N, (n) => 1 + (n % J));
    const x = random.normals(N);
    const y = x.map((each, n) => random.normal(dot([1, each], beta[group[n] - 1]), sigma));
    return { data: { N, J, group, x, y }, truth: { gamma, beta, tau, 'Omega.1.2': correlation, sigma } };
  },
};

const noncentered: Study = {
  program: 'slopes-noncentered',
  simulate(random) {
    const [N, J, sigma] = [120, 30, 1];
    const gamma = [
      [2, -1],
      [0.5, 1],
    ];
    const { tau, correlation, deviations } = varying(random, J);
    const u = times(J, () => [1, random.normal()]);
    const beta = deviations.map((each, j) => each.map((value, k) => dot(u[j], [gamma[0][k], gamma[1][k]]) + value));
    const group = times(N, (n) => 1 + (n % J));
    const x = times(N, () => [1, random.normal()]);
    const y = x.map((row, n) => random.normal(dot(row, beta[group[n] - 1]), sigma));
    const truth = { gamma, beta, tau, 'Omega.1.2': correlation, sigma };
    return { data: { N, J, G: 2, group, x, u, y }, truth };
  },
};

const multivariate: Study = {
  program: 'regression-multivariate',
  simulate(random) {
    const [N, scales, correlation] = [120, [0.5, 1.5], 0.7];
    const beta = [
      [1, 2, 0],
      [-1, 0.5, 3],
    ];
    const factor = [
      [scales[0], 0],
      [scales[1] * correlation, scales[1] * Math.sqrt(1 - correlation ** 2)],
    ];
    const x = times(N, () => [1, random.normal(), random.normal()]);
    const y = x.map((row) => random.correlated(factor).map((error, k) => dot(beta[k], row) + error));
    return { data: { K: 2, J: 3, N, x, y }, truth: { beta, L_sigma: scales, 'Omega.2.1': correlation } };
  },
};

const counts: Study = {
  program: 'regression-counts',
  simulate(random) {
    const [N, alpha, beta, phi] = [150, 0.7, -0.5, 3];
    const exposure = times(N, () => random.uniform(0.5, 4));
    const x = random.normals(N);
    const y = x.map((each, n) =>
      random.poisson((random.gamma(phi) / phi) * exposure[n] * Math.exp(alpha + beta * each)),
    );
    return { data: { N, y, exposure, x }, truth: { alpha, beta, phi } };
  },
};

const probit: Study = {
  program: 'probit-multivariate',
  simulate(random) {
    const [N, alpha, beta, correlation] = [100, [0.3, -0.2], [1, -0.5], 0.6];
    const factor = [
      [1, 0],
      [correlation, Math.sqrt(1 - correlation ** 2)],
    ];
    const x = random.normals(N);
    const signs = x.flatMap((each, n) =>
      random
        .correlated(factor)
        .map((error, d) => ({ n: n + 1, d: d + 1, positive: alpha[d] + beta[d] * each + error > 0 })),
    );
    const [positive, negative] = [signs.filter((each) => each.positive), signs.filter((each) => !each.positive)];
    const data = {
      D: 2,
      N,
      N_pos: positive.length,
      N_neg: negative.length,
      x,
      n_pos: positive.map(({ n }) => n),
      d_pos: positive.map(({ d }) => d),
      n_neg: negative.map(({ n }) => n),
      d_neg: negative.map(({ d }) => d),
    };
    return { data, truth: { alpha, beta, 'Omega.1.2': correlation } };
  },
};

const reduced: Study = {
  program: 'reduce-sum',
  simulate(random) {
    const beta = [0.4, -1.1];
    const x = random.normals(200);
    const y = x.map((each) => random.bernoulliLogit(beta[0] + beta[1] * each));
    return { data: { N: 200, y, x }, truth: { beta } };
  },
};

const sparse: Study = {
  program: 'sparse-regression',
  simulate(random) {
    const [beta, sigma] = [[1, -1, 2, 0.5, 0], 0.6];
    const x = times(100, () => times(5, () => (random.bernoulli(0.3) ? random.normal() : 0)));
    const y = x.map((row) => random.normal(dot(row, beta), sigma));
    return { data: { N: 100, K: 5, x, y }, truth: { beta, sigma } };
  },
};

export const regression: readonly Study[] = [
  ...[linear, collinear, ordered, counts, multivariate, reduced, sparse],
  ...[hierarchical, centered, noncentered, probit],
];
